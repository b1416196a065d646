/**
 * A served version whose type is a structural schema: a custom resource, or a resource of `defineResource`. The schema
 * is compiled when an object first needs it, and the columns when a table does.
 */
import { formatGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import { createStructView, type StructView } from '../../../apimachinery/type-view.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { CompiledSchema } from '../../../schema/compiled-schema.ts';
import type { GivenVersionSchemas } from '../../openapi/given-schema.ts';
import { type JsonPathColumn, jsonPathTable } from '../json-path-columns.ts';
import type { NormalizeResult, TableDefinition, VersionDefinition } from '../version-definition.ts';
import { normalizeMetadata, repairMetadata } from './object-metadata-form.ts';

export interface SchemaVersionOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  /**
   * Compiles the schema. Called once, on first use. Returns undefined for a version without a schema: any object is
   * accepted.
   */
  compile(): CompiledSchema | undefined;
  /** The status can be changed only through the subresource `status`. */
  readonly hasStatus: boolean;
  /** Objects are stored in this version. */
  readonly isStorage: boolean;
  readonly columns: readonly JsonPathColumn[];
  /** Paths without a leading dot. */
  readonly selectableFields: readonly string[];
  readonly deprecationWarning: string;
  readonly openapi?: GivenVersionSchemas;
  /** False: bodies may leave out apiVersion and kind. Default true. */
  readonly unstructured?: boolean;
  /** See VersionDefinition. The view of the schema must then have patch strategies. Default false. */
  readonly strategicMerge?: boolean;
  /** See VersionDefinition. The view of the schema must then have field numbers. Default false. */
  readonly protobuf?: boolean;
}

export class SchemaVersion implements VersionDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly typedItems = true;
  readonly unstructured: boolean;
  readonly strategicMerge: boolean;
  readonly protobuf: boolean;
  readonly selectableFields: readonly string[];
  readonly deprecationWarning: string;
  readonly hasStatus: boolean;
  readonly isStorage: boolean;
  /** `stable.example.com/v1`. */
  readonly apiVersion: string;
  readonly openapi?: GivenVersionSchemas;
  readonly #columns: readonly JsonPathColumn[];
  readonly #compile: () => CompiledSchema | undefined;
  #schema: CompiledSchema | undefined;
  #isCompiled = false;
  #table: TableDefinition | undefined;

  constructor(options: SchemaVersionOptions) {
    this.group = options.group;
    this.version = options.version;
    this.kind = options.kind;
    this.listKind = options.listKind;
    this.selectableFields = options.selectableFields;
    this.deprecationWarning = options.deprecationWarning;
    this.unstructured = options.unstructured ?? true;
    this.protobuf = options.protobuf ?? false;
    this.strategicMerge = options.strategicMerge ?? false;
    this.hasStatus = options.hasStatus;
    this.isStorage = options.isStorage;
    this.apiVersion = formatGroupVersion(this);
    if (options.openapi !== undefined) this.openapi = options.openapi;
    this.#columns = options.columns;
    this.#compile = () => options.compile();
  }

  /** Returns undefined for a version without a schema: every field is kept, and only metadata is validated. */
  schema(): CompiledSchema | undefined {
    if (!this.#isCompiled) {
      this.#schema = this.#compile();
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
    const schema = this.isOwn(object) ? this.schema() : this.schemaOfOther(object);
    if (schema === undefined) return { ok: true, object, problems: metadata.problems };
    const dropped = schema.prune(object);
    const embedded = schema.coerceEmbedded(object);
    if (!embedded.ok) return embedded;
    if (dropped.length + embedded.unknown.length === 0) return { ok: true, object, problems: metadata.problems };
    const unknown = [...dropped, ...embedded.unknown].map((path) => `unknown field "${path}"`);
    return { ok: true, object, problems: [...metadata.problems, ...unknown] };
  }

  prune(object: JsonObject): void {
    repairMetadata(object);
    const schema = this.schema();
    schema?.prune(object);
    schema?.coerceEmbedded(object, { dropMalformed: true });
  }

  setDefaults(object: JsonObject, keepNulls = false): void {
    if (this.isOwn(object)) this.schema()?.setDefaults(object, keepNulls);
  }

  table(): TableDefinition {
    this.#table ??= jsonPathTable(this.#columns);
    return this.#table;
  }

  /** Reports whether the type fields of an object are those of this version. */
  isOwn({ kind, apiVersion }: JsonObject): boolean {
    return kind === this.kind && apiVersion === this.apiVersion;
  }

  /**
   * Returns the schema by which a body of another kind or version is pruned before the strategy refuses it; undefined
   * to leave it as it is.
   */
  protected schemaOfOther(_object: JsonObject): CompiledSchema | undefined {
    return undefined;
  }
}

/** The type of objects without a schema. */
const ANYTHING: StructView = createStructView('', () => [], { preserveUnknown: true });
