/**
 * One version of a custom resource as the server serves it. Invariant: its schema is compiled when an object first needs it, once for each generation of the definition, and
 * its columns when a table first does.
 */
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { compareKubeAwareVersions } from '../../apimachinery/meta/version-order.ts';
import { createStructView, type StructView } from '../../apimachinery/type-view.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { CompiledSchema } from '../../schema/compiled-schema.ts';
import type { NormalizeResult, TableDefinition, VersionDefinition } from '../../server/resource/version-definition.ts';
import type { Crd, CrdVersion } from '../crd.ts';
import { customTable } from './columns.ts';
import { normalizeMetadata, repairMetadata } from './object-meta.ts';

/** Compiles the schema of a version; undefined for a version without one. */
export type SchemaCompiler = (crd: Crd, version: CrdVersion) => CompiledSchema | undefined;

export class CustomVersion implements VersionDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly typedItems = true;
  readonly unstructured = true;
  readonly strategicMerge = false;
  readonly selectableFields: readonly string[];
  readonly deprecationWarning: string;
  readonly declared: CrdVersion;
  /** `stable.example.com/v1`. */
  readonly apiVersion: string;
  readonly #crd: Crd;
  readonly #compile: SchemaCompiler;
  #schema: CompiledSchema | undefined;
  #isCompiled = false;
  #table: TableDefinition | undefined;

  constructor(crd: Crd, declared: CrdVersion, compile: SchemaCompiler) {
    this.group = crd.group;
    this.version = declared.name;
    this.kind = crd.acceptedNames.kind;
    this.listKind = crd.acceptedNames.listKind;
    this.selectableFields = declared.selectableFields.map((path) => path.replace(/^\./, ''));
    this.deprecationWarning = declared.deprecated ? (declared.deprecationWarning ?? defaultWarning(crd, declared)) : '';
    this.declared = declared;
    this.apiVersion = formatGroupVersion(this);
    this.#crd = crd;
    this.#compile = compile;
  }

  /** Undefined for a version without a schema: anything is kept, and only metadata is judged. */
  schema(): CompiledSchema | undefined {
    if (!this.#isCompiled) {
      this.#schema = this.#compile(this.#crd, this.declared);
      this.#isCompiled = true;
    }
    return this.#schema;
  }

  type(): StructView {
    return this.schema()?.view ?? ANYTHING;
  }

  normalize(object: JsonObject): NormalizeResult {
    const metadata = normalizeMetadata(object);
    if (!metadata.ok) return metadata;
    const schema = this.isOwn(object) ? this.schema() : this.#schemaOfOther(object);
    if (schema === undefined) return { ok: true, object, problems: metadata.problems };
    const dropped = schema.prune(object);
    const embedded = schema.coerceEmbedded(object);
    if (!embedded.ok) return embedded;
    if (dropped.length + embedded.unknown.length === 0) return { ok: true, object, problems: metadata.problems };
    const unknown = [...dropped, ...embedded.unknown].map((path) => `unknown field "${path}"`);
    return { ok: true, object, problems: [...metadata.problems, ...unknown] };
  }

  /** Of what storage or a converter gave. */
  prune(object: JsonObject): void {
    repairMetadata(object);
    const schema = this.schema();
    schema?.prune(object);
    schema?.coerceEmbedded(object, { dropMalformed: true });
  }

  setDefaults(object: JsonObject): void {
    if (this.isOwn(object)) this.schema()?.setDefaults(object);
  }

  table(): TableDefinition {
    this.#table ??= customTable(this.declared.columns);
    return this.#table;
  }

  /** Objects of another kind are not ours to change; the strategy refuses them. Those of another version are read by its schema, or by one that has no fields, before they are refused. */
  #schemaOfOther({ kind, apiVersion }: JsonObject): CompiledSchema | undefined {
    const [group, name] = String(apiVersion).split('/');
    if (kind !== this.kind || group !== this.group || this.#crd.preserveUnknownFields) return undefined;
    const declared = this.#crd.versions.find((version) => version.name === name);
    return this.#compile(this.#crd, declared ?? { ...this.declared, schema: NO_FIELDS });
  }

  isOwn({ kind, apiVersion }: JsonObject): boolean {
    return kind === this.kind && apiVersion === this.apiVersion;
  }
}

const NO_FIELDS: JsonObject = { type: 'object' };

/** The type of objects without a schema. */
const ANYTHING: StructView = createStructView('', () => [], { preserveUnknown: true });

/** The newest version that is neither older nor deprecated itself is recommended. */
function defaultWarning({ group, names, versions }: Crd, { name }: CrdVersion): string {
  const better = versions
    .filter((other) => other.served && !other.deprecated && compareKubeAwareVersions(name, other.name) < 0)
    .map((other) => other.name)
    .sort((a, b) => compareKubeAwareVersions(b, a))[0];
  const text = `${group}/${name} ${names.kind} is deprecated`;
  return better === undefined ? text : `${text}; use ${group}/${better} ${names.kind}`;
}
