/** The interface to the rules of ResourceQuotas: which objects a quota counts, and how much an object uses. */
import type { GroupResource } from '../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { DeepReadonly, Stored } from '../../client/object-types.ts';
import type { ResourceQuota } from '../../kinds/api/core/v1.ts';

export type Quota = Stored<ResourceQuota>;

/** The usage of the objects of one resource that is counted for one quota. Objects outside of its scopes use nothing. */
export interface QuotaTally {
  /** False: every object uses the same, so `addCount` is enough. True: `add` is called with every object. */
  readonly readsObjects: boolean;
  /** The object is not kept and not changed. */
  add(object: JsonObject): void;
  addCount(count: number): void;
}

/** Pure functions of their arguments and the time. They are the rules of the admission plugin ResourceQuota. */
export interface QuotaRules {
  /** The resources that the limits in the spec concern. Some of them may not be served. */
  resourcesOf(quota: Quota): readonly GroupResource[];
  /** Begins to count the objects of one of these resources. */
  tally(quota: Quota, resource: GroupResource): QuotaTally;
  /**
   * Returns the status of the quota after its objects were counted, and undefined if its present status is the same. A
   * limit that no tally concerns keeps its recorded usage.
   */
  statusOf(quota: Quota, tallies: readonly QuotaTally[]): DeepReadonly<ResourceQuota['status']> | undefined;
  /** Returns true if an object of the resource may use another amount of the quota after its update. */
  changesUsage(quota: Quota, resource: GroupResource, before: JsonObject, after: JsonObject): boolean;
}
