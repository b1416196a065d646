/** The interface through which servers publish their group-versions in discovery. */

import type { GroupVersion, GroupVersionKind, ResourceScope } from '../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../base/json-value.ts';

export interface DiscoverySubresource {
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

export interface DiscoveryResource {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: ResourceScope;
  readonly kind: GroupVersionKind;
  /** The verbs, sorted by name. */
  readonly verbs: readonly string[];
  /** '' for resources that are not stored. */
  readonly storageVersionHash: string;
  readonly subresources: readonly DiscoverySubresource[];
}

export interface DiscoveryVersion extends GroupVersion {
  /** Sorted by plural: this is the order of the documents. */
  readonly resources: readonly DiscoveryResource[];
  /**
   * As `groupPriorityMinimum` of an APIService. Groups with a higher priority come first; equal ones are sorted by
   * name.
   */
  readonly groupPriority: number;
  /**
   * As `versionPriority` of an APIService. Versions with a higher priority come first; equal ones are in kube-aware
   * order.
   */
  readonly versionPriority: number;
  /** True if the server of the version cannot be reached. The aggregated form shows it as Stale. */
  readonly stale: boolean;
  /**
   * The resources as another server describes them: the `resources` of an APIVersionDiscovery (apidiscovery.k8s.io/v2).
   * The aggregated form shows them unchanged, so fields that this server does not know survive. Default: made from
   * `resources`, which a publisher of given ones still fills for the lookups of this server.
   */
  readonly givenResources?: readonly JsonObject[];
  /**
   * True if the publisher has the whole group. A request to another version of it is then a 404 with a Status, as for
   * built-in groups; otherwise it is the plain text of an unknown path, as for custom resources. Default false.
   */
  readonly ownsGroup?: boolean;
  /**
   * True if the aggregated form writes group and version of every kind, as for custom resources. Otherwise only of
   * kinds of another group-version. Default false.
   */
  readonly namesKindsInFull?: boolean;
}

/** The publishing side of the discovery manager for versions of other servers. See DiscoveryPublisher. */
export interface RemoteDiscoveryPublisher {
  /** Publishes a group-version, or replaces it. The next request sees the change. */
  publish(version: DiscoveryVersion): void;
  /** Removes a group-version. Does nothing if it is not published. */
  remove(version: GroupVersion): void;
}

/**
 * The publishing side of the discovery manager for the servers of this process. A group-version has one publisher at a
 * time. A published value must not be changed afterwards.
 */
export interface DiscoveryPublisher extends RemoteDiscoveryPublisher {
  /** Returns the group-version that the documents show, local or remote; undefined if none is published. */
  get(version: GroupVersion): DiscoveryVersion | undefined;
  /** Returns the local group-version, even while a remote one is shown in its place. */
  getLocal(version: GroupVersion): DiscoveryVersion | undefined;
}
