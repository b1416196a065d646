/** The resources whose stored objects are counted for metrics. */
import type { GroupResource } from '../../apimachinery/meta/gvk.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { StoredResource } from './open-resource.ts';
import { storedGroupResource } from './resource-definition.ts';

export interface CountedResource extends GroupResource {
  /** Returns the number of stored objects. Throws, or rejects with, a StorageError. */
  count(): MaybePromise<number>;
}

export function countedResource({ definition, registry }: StoredResource): CountedResource {
  return { ...storedGroupResource(definition), count: () => registry.count() };
}
