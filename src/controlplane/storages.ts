/**
 * The storages of a control plane: the main storage, and one per cluster of `--etcd-servers-overrides`.
 * Invariant: each resource is in exactly one storage, whose revisions it has.
 */
import type { GroupResource } from '../apimachinery/meta/gvk.ts';
import type { StoredForms } from '../server/registry/stored-forms.ts';
import { storedGroupResource } from '../server/resource/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';

export interface OverrideStorage {
  /** The resources in this storage. The resource `*` means all resources of the group. */
  readonly resources: readonly GroupResource[];
  readonly storage: Storage;
}

export interface Storages {
  readonly main: Storage;
  /** In the order of the flag. */
  readonly overrides: readonly OverrideStorage[];
}

export const ALL_RESOURCES = '*';

/**
 * The groups of the aggregator and of the server of custom resources. kube-apiserver always stores their objects as
 * JSON, and overrides do not apply to them.
 */
export const DELEGATE_GROUPS: ReadonlySet<string> = new Set(['apiregistration.k8s.io', 'apiextensions.k8s.io']);

/** Returns all storages, the main one first. */
export function allStorages({ main, overrides }: Storages): readonly Storage[] {
  return [main, ...overrides.map(({ storage }) => storage)];
}

/** Wraps each of the storages. */
export function mapStorages({ main, overrides }: Storages, wrap: (storage: Storage) => Storage): Storages {
  return {
    main: wrap(main),
    overrides: overrides.map(({ resources, storage }) => ({ resources, storage: wrap(storage) })),
  };
}

/**
 * Returns the storage of a built-in resource. An override of the resource takes precedence over an override of its
 * group.
 */
export function storageOf({ main, overrides }: Storages, { group, resource }: GroupResource): Storage {
  if (overrides.length === 0 || DELEGATE_GROUPS.has(group)) return main;
  const named = (name: string): Storage | undefined =>
    overrides.find(({ resources }) => resources.some((each) => each.group === group && each.resource === name))
      ?.storage;
  return named(resource) ?? named(ALL_RESOURCES) ?? main;
}

/** Returns the storage that serves the object of a key. Custom resources and private keys are in the main storage. */
export function storageOfKey(storages: Storages, forms: Pick<StoredForms, 'definitionOf'>, key: string): Storage {
  const definition = storages.overrides.length === 0 ? undefined : forms.definitionOf(key);
  return definition === undefined ? storages.main : storageOf(storages, storedGroupResource(definition));
}
