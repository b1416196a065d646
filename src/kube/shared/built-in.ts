/**
 * Definitions of the built-in kinds. Invariant: the type of a kind is read from the generated facts when somebody first needs it, so that a server with many kinds
 * starts as fast as one with few.
 */
import { normalizeTyped } from '../../apimachinery/codec/typed-normalize.ts';
import { orderFields } from '../../apimachinery/codec/typed-order.ts';
import type { ResourceScope } from '../../apimachinery/meta/gvk.ts';
import { nameIsDnsSubdomain, nameIsPathSegment } from '../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { kindView } from '../../kinds/views.ts';
import type {
  ResourceDefinition,
  StoredDefinition,
  Strategy,
  SubresourceDefinition,
} from '../../server/resource/resource-definition.ts';
import type { ResourceStore } from '../../server/resource/resource-store.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import type { TableDefinition, VersionDefinition } from '../../server/resource/version-definition.ts';

export interface BuiltInVersion {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly setDefaults?: (object: JsonObject) => void;
  /** Default: name and time of creation. */
  readonly table?: () => TableDefinition;
  /** Beside metadata.name and metadata.namespace; default none. */
  readonly selectableFields?: readonly string[];
  /** See VersionDefinition. */
  readonly fieldSources?: NonNullable<VersionDefinition['fieldSources']>;
  /** False for kinds that are answered without being stored, which keep what the stored form loses (empty lists). Default true. */
  readonly stored?: boolean;
}

/** A version whose type is among the generated kinds. */
export function builtInVersion(options: BuiltInVersion): VersionDefinition {
  const { group, version, kind, setDefaults, table } = options;
  const form = options.stored === false ? 'decoded' : 'stored';
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    type: () => kindView(group, version, kind),
    strategicMerge: true,
    protobuf: true,
    normalize: (object) => normalizeTyped(object, kindView(group, version, kind), form),
    ...(setDefaults === undefined ? undefined : { setDefaults: orderedDefaults(options, setDefaults) }),
    ...(table === undefined ? undefined : { table }),
    selectableFields: options.selectableFields ?? [],
    ...(options.fieldSources === undefined ? undefined : { fieldSources: options.fieldSources }),
    deprecationWarning: '',
  };
}

/** Defaults are added where there is room; what they leave behind is put in order. */
function orderedDefaults(
  { group, version, kind }: BuiltInVersion,
  setDefaults: (object: JsonObject) => void,
): (object: JsonObject) => void {
  return (object) => {
    setDefaults(object);
    orderFields(object, kindView(group, version, kind));
  };
}

export interface BuiltInResource {
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  /** `all`: what `kubectl get all` shows. Default none. */
  readonly categories?: readonly string[];
  readonly scope: ResourceScope;
  /** Where the reference keeps it below `/registry`; default the plural. */
  readonly storagePrefix?: string;
  /** See ResourceDefinition. */
  readonly isNamespaces?: boolean;
  /** In order of preference; the first is the stored one. */
  readonly versions: readonly [VersionDefinition, ...VersionDefinition[]];
  readonly strategy: Strategy;
  readonly convert?: NonNullable<ResourceDefinition['convert']>;
  readonly subresources?: readonly SubresourceDefinition[];
}

/** A resource that is stored, below its plural whatever its group, as the reference lays out etcd. */
export function storedResource(options: BuiltInResource): StoredDefinition {
  const [storageVersion] = options.versions;
  const { plural, convert } = options;
  return {
    plural,
    singular: options.singular ?? storageVersion.kind.toLowerCase(),
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    scope: options.scope,
    isNamespaces: options.isNamespaces === true,
    versions: options.versions,
    storageVersion,
    storagePrefix: options.storagePrefix ?? plural,
    generation: '1',
    ...(convert === undefined ? undefined : { convert }),
    strategy: options.strategy,
    subresources: options.subresources ?? [],
  };
}

/** Judged in the storage version; updates without a resourceVersion are allowed, creation by update and generations are not; beyond its own validation a name is one segment of a path. */
export function builtInStrategy(strategy: Partial<Strategy>): Strategy {
  return {
    sees: 'hub',
    nameRule: nameIsPathSegment,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: false,
    countsGeneration: false,
    ...strategy,
  };
}

/**
 * The `status` subresource. Its strategy is the kind's, except that updates have only the `validateUpdate` and
 * `warningsOnUpdate` given here; default none.
 */
export function statusSubresource(strategy: Strategy, status: Partial<Strategy>): SubresourceDefinition {
  const { validateUpdate: _validate, warningsOnUpdate: _warnings, ...kept } = strategy;
  return updateSubresource('status', { ...kept, ...status });
}

/** A resource that stores nothing and only answers: it has the one verb create. */
export function reviewResource(
  version: VersionDefinition,
  scope: ResourceScope,
  create: NonNullable<ResourceStore['create']>,
): ResourceDefinition {
  const singular = version.kind.toLowerCase();
  return {
    plural: `${singular}s`,
    singular,
    shortNames: [],
    categories: [],
    scope,
    versions: [version],
    storageVersion: undefined,
    storagePrefix: '',
    generation: '1',
    strategy: builtInStrategy({ nameRule: nameIsDnsSubdomain }),
    store: () => ({ create }),
    subresources: [],
  };
}
