/**
 * The functions that declarations of built-in kinds are written with. Invariant: declaring a kind does not load its
 * type. The generated facts are read when the type is first used, so startup time does not grow with the kinds.
 */
import { normalizeTyped } from '../../apimachinery/codec/typed-normalize.ts';
import { orderFields } from '../../apimachinery/codec/typed-order.ts';
import type { ResourceScope } from '../../apimachinery/meta/gvk.ts';
import { type NameRule, nameIsDnsSubdomain, nameIsPathSegment } from '../../apimachinery/validation/name-rules.ts';
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
  /** Called on every decoded object. May add fields in any order: they are sorted afterwards. Must be idempotent. */
  readonly setDefaults?: (object: JsonObject) => void;
  /** Default: the columns Name and Created At. */
  readonly table?: () => TableDefinition;
  /** The field selectors in addition to metadata.name and metadata.namespace. Default none. */
  readonly selectableFields?: readonly string[];
  /** See VersionDefinition. */
  readonly fieldSources?: NonNullable<VersionDefinition['fieldSources']>;
  /**
   * False for kinds that are never stored, such as reviews: they keep empty lists, which stored objects drop. Default
   * true.
   */
  readonly stored?: boolean;
}

/** One version of a built-in kind, with the type that is generated for it. */
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

/** Sets the defaults, then puts the fields into the order of the type. */
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
  /** Groups of resources for clients: `kubectl get all` shows those in `all`. Default none. */
  readonly categories?: readonly string[];
  readonly scope: ResourceScope;
  /** The storage prefix that kube-apiserver uses below `/registry`. Default: the plural. */
  readonly storagePrefix?: string;
  /** See ResourceDefinition. */
  readonly isNamespaces?: boolean;
  /** In order of preference. The first is the storage version. */
  readonly versions: readonly [VersionDefinition, ...VersionDefinition[]];
  readonly strategy: Strategy;
  readonly convert?: NonNullable<ResourceDefinition['convert']>;
  readonly subresources?: readonly SubresourceDefinition[];
}

/** A resource that the registry stores. Like kube-apiserver's, the key does not contain the group. */
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

/**
 * The strategy of a built-in kind. Defaults: it sees objects in the storage version; a name must be one path segment;
 * updates may leave out the resourceVersion; updates do not create; metadata.generation is not counted.
 */
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

export interface UnstoredResource {
  readonly version: VersionDefinition;
  readonly scope: ResourceScope;
  /** Default: the kind in lower case with an `s`. */
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  /** Default: a name must be one path segment. */
  readonly nameRule?: NameRule;
  /** The verbs of the resource are those that the store has. */
  readonly store: NonNullable<ResourceDefinition['store']>;
}

/** A resource with a store of its own instead of the registry's. */
export function unstoredResource(options: UnstoredResource): ResourceDefinition {
  const { version, nameRule } = options;
  const singular = version.kind.toLowerCase();
  return {
    plural: options.plural ?? `${singular}s`,
    singular,
    shortNames: options.shortNames ?? [],
    categories: [],
    scope: options.scope,
    versions: [version],
    storageVersion: undefined,
    storagePrefix: '',
    generation: '1',
    strategy: builtInStrategy(nameRule === undefined ? {} : { nameRule }),
    store: options.store,
    subresources: [],
  };
}

/** A resource that is not stored and has only the verb create, such as SubjectAccessReview. */
export function reviewResource(
  version: VersionDefinition,
  scope: ResourceScope,
  create: NonNullable<ResourceStore['create']>,
): ResourceDefinition {
  return unstoredResource({ version, scope, nameRule: nameIsDnsSubdomain, store: () => ({ create }) });
}
