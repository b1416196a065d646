/** The interface to the rules of ResourceQuotas: which objects a quota counts, and how much an object uses. */
import type { GroupResource } from '../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { DeepReadonly, Stored } from '../../client/object-types.ts';
import type { ResourceQuota } from '../../kinds/api/core/v1.ts';

export type Quota = Stored<ResourceQuota>;

/**
 * The sum of the usage of one quota by the objects of one resource. Objects outside of the scopes of the quota use
 * nothing.
 */
export interface QuotaTally {
  /** True: call `add` with every object. False: every object uses the same amount, so call `addCount`. */
  readonly readsObjects: boolean;
  /** Adds the usage of an object. Neither keeps nor changes the object. */
  add(object: JsonObject): void;
  /** Adds the usage of this many objects. */
  addCount(count: number): void;
}

/** Pure functions of their arguments and the time. They are the rules of the admission plugin ResourceQuota. */
export interface QuotaRules {
  /** Returns the resources whose objects the limits in the spec count. Some of them may not be served. */
  resourcesOf(quota: Quota): readonly GroupResource[];
  /** Returns an empty tally of one of these resources. */
  tally(quota: Quota, resource: GroupResource): QuotaTally;
  /**
   * Returns the status of the quota after its objects were counted, and undefined if its present status is the same. A
   * limit that no tally concerns keeps its recorded usage.
   */
  statusOf(quota: Quota, tallies: readonly QuotaTally[]): DeepReadonly<ResourceQuota['status']> | undefined;
  /** Returns true if an object of the resource may use another amount of the quota after its update. */
  changesUsage(quota: Quota, resource: GroupResource, before: JsonObject, after: JsonObject): boolean;
}
