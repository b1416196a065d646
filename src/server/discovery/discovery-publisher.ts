/**
 * What discovery says, and the manager that several servers publish into. Invariant: a group-version has one publisher
 * at a time; what is published is immutable, and answers are built on first use and kept until the group-version, or
 * the set of groups, changes.
 */

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
  /** Sorted. */
  readonly verbs: readonly string[];
  /** '' for resources that store nothing. */
  readonly storageVersionHash: string;
  readonly subresources: readonly DiscoverySubresource[];
}

export interface DiscoveryVersion extends GroupVersion {
  /** Sorted by plural, as they are shown. */
  readonly resources: readonly DiscoveryResource[];
  /** APIService's `groupPriorityMinimum`: groups with a higher one come first; among equals by name. */
  readonly groupPriority: number;
  /** APIService's `versionPriority`: versions with a higher one come first; among equals in kube-aware order. */
  readonly versionPriority: number;
  /** Not reachable now: shown as Stale in the aggregated form. */
  readonly stale: boolean;
  /**
   * The resources as another server describes them: the `resources` of an APIVersionDiscovery (apidiscovery.k8s.io/v2).
   * The aggregated form shows them unchanged, so fields that this server does not know survive. Default: made from
   * `resources`, which a publisher of given ones still fills for the lookups of this server.
   */
  readonly givenResources?: readonly JsonObject[];
  /**
   * True where the publisher has the whole group: a version that is not published then is a 404 with a Status, as for
   * built-in groups, not the plain text of an unknown path, as for custom resources. Default false.
   */
  readonly ownsGroup?: boolean;
  /**
   * True where the aggregated form names group and version of every kind, as for custom resources; else only of kinds
   * from elsewhere. Default false.
   */
  readonly namesKindsInFull?: boolean;
}

/** Where servers publish. `publish` replaces what the group-version had. */
export interface DiscoveryPublisher {
  publish(version: DiscoveryVersion): void;
  remove(version: GroupVersion): void;
  /** What is published of a group-version, by whomever. */
  get(version: GroupVersion): DiscoveryVersion | undefined;
}
