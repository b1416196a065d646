/** One version of a custom resource: a schema version with the declaration that it was made from. */
import type { ReplicasPaths } from '../../apimachinery/managed-fields/scale-handler.ts';
import { compareKubeAwareVersions } from '../../apimachinery/meta/version-order.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { CompiledSchema } from '../../schema/compiled-schema.ts';
import { SchemaVersion } from '../../server/resource/schema/schema-version.ts';
import type { Crd, CrdVersion } from '../crd.ts';

/** Compiles the schema of a version. Returns undefined for a version without one. */
export type SchemaCompiler = (crd: Crd, version: CrdVersion) => CompiledSchema | undefined;

export class CustomVersion extends SchemaVersion {
  readonly declared: CrdVersion;
  readonly #crd: Crd;
  #replicasPaths: ReplicasPaths | undefined;
  readonly #compileOf: SchemaCompiler;

  constructor(crd: Crd, declared: CrdVersion, compile: SchemaCompiler) {
    super({
      group: crd.group,
      version: declared.name,
      kind: crd.acceptedNames.kind,
      listKind: crd.acceptedNames.listKind,
      compile: () => compile(crd, declared),
      hasStatus: declared.hasStatus,
      isStorage: declared.storage,
      columns: declared.columns,
      selectableFields: declared.selectableFields.map((path) => path.replace(/^\./, '')),
      deprecationWarning: declared.deprecated ? (declared.deprecationWarning ?? defaultWarning(crd, declared)) : '',
    });
    this.declared = declared;
    this.#crd = crd;
    this.#compileOf = compile;
  }

  /** Returns where every version of the definition has its replicas; null for a version without `scale`. */
  replicasPaths(): ReplicasPaths {
    this.#replicasPaths ??= new Map(
      this.#crd.versions.map(({ name, scale }) => [
        `${this.group}/${name}`,
        scale === undefined ? null : scale.specReplicasPath.replace(/^\./, '').split('.'),
      ]),
    );
    return this.#replicasPaths;
  }

  /**
   * A body of another version of this kind is pruned by that version's schema, or by one without fields if the version
   * is unknown, as kube-apiserver does before it refuses the body.
   */
  protected override schemaOfOther({ kind, apiVersion }: JsonObject): CompiledSchema | undefined {
    const [group, name] = String(apiVersion).split('/');
    if (kind !== this.kind || group !== this.group || this.#crd.preserveUnknownFields) return undefined;
    const declared = this.#crd.versions.find((version) => version.name === name);
    return this.#compileOf(this.#crd, declared ?? { ...this.declared, schema: NO_FIELDS });
  }
}

const NO_FIELDS: JsonObject = { type: 'object' };

/** Recommends the newest served version that is newer than this one and not deprecated. */
function defaultWarning({ group, names, versions }: Crd, { name }: CrdVersion): string {
  const better = versions
    .filter((other) => other.served && !other.deprecated && compareKubeAwareVersions(name, other.name) < 0)
    .map((other) => other.name)
    .sort((a, b) => compareKubeAwareVersions(b, a))[0];
  const text = `${group}/${name} ${names.kind} is deprecated`;
  return better === undefined ? text : `${text}; use ${group}/${better} ${names.kind}`;
}
