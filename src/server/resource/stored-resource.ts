/** Resources and strategies with the defaults that most stored kinds have. */
import type { ResourceScope } from '../../apimachinery/meta/gvk.ts';
import { nameIsPathSegment } from '../../apimachinery/validation/name-rules.ts';
import { RESETS_STATUS } from './reset-fields.ts';
import type { ResourceDefinition, StoredDefinition, SubresourceDefinition } from './resource-definition.ts';
import type { Strategy } from './strategy.ts';
import type { VersionDefinition } from './version-definition.ts';

export interface StoredResourceOptions {
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  /** Groups of resources for clients: `kubectl get all` shows those in `all`. Default none. */
  readonly categories?: readonly string[];
  readonly scope: ResourceScope;
  /** The storage prefix that kube-apiserver uses below `/registry`. Default: the plural, without the group. */
  readonly storagePrefix?: string;
  /** See ResourceDefinition. */
  readonly isNamespaces?: boolean;
  /** In order of preference. The first is the storage version. */
  readonly versions: readonly [VersionDefinition, ...VersionDefinition[]];
  readonly strategy: Strategy;
  readonly convert?: NonNullable<ResourceDefinition['convert']>;
  readonly subresources?: readonly SubresourceDefinition[];
}

/** Returns a resource that the registry stores. Its generation never changes. */
export function storedResource(options: StoredResourceOptions): StoredDefinition {
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
 * Returns a strategy with defaults for the members that `strategy` lacks: it sees objects in the storage version; a
 * name must be one path segment; updates may leave out the resourceVersion; updates do not create; metadata.generation
 * is not counted; the status is reset.
 */
export function strategyWithDefaults(strategy: Partial<Strategy>): Strategy {
  return {
    objectVersion: 'storage',
    nameRule: nameIsPathSegment,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: false,
    countsGeneration: false,
    resetFields: RESETS_STATUS,
    ...strategy,
  };
}
