/** The server that a built-in kind is part of, as the kind sees it: the other kinds, the platform, the authorizer. */

import type { GroupVersionKind } from '../apimachinery/meta/gvk.ts';
import type { Logger } from '../base/logger.ts';
import type { Authorizer } from '../server/authorizer.ts';
import type { Lister } from '../server/own/lister.ts';
import type { ObjectReader } from '../server/own/object-reader.ts';
import type { OwnWriter } from '../server/own/own-writer.ts';
import type { StoredResource } from '../server/resource/open-resource.ts';
import type { RegistryHost } from '../server/resource/registry-host.ts';
import type { ResourceDefinition } from '../server/resource/resource-definition.ts';
import type { ResourceStore } from '../server/resource/resource-store.ts';

/**
 * Kinds are declared before the server is complete. They may keep the context, but must not call `resource`,
 * `writer`, `reader` or `lister` before the first request or `wrapStore`.
 */
export interface KubeContext {
  readonly host: RegistryHost;
  readonly logger: Logger;
  /** Throws BugError for a plural that is not served or not stored. Plurals of built-in kinds are unique across groups. */
  resource(plural: string): StoredResource;
  /** The plural of a kind, whichever server serves it. Undefined for an unknown kind. */
  pluralOf(kind: GroupVersionKind): string | undefined;
  /** Whether the kind is namespaced. False for an unknown kind. */
  isNamespaced(kind: GroupVersionKind): boolean;
  /** Writes objects as the server itself. All callers share one writer per kind. */
  writer(plural: string): OwnWriter;
  /** Reads single objects: for kinds that may have very many objects. */
  reader(plural: string): ObjectReader;
  /**
   * Keeps all objects of a kind parsed in memory: for kinds with few objects. All callers share one lister per kind. It
   * starts at the first `fresh()`, so a kind that is never asked for is never read.
   */
  lister(plural: string): Lister;
  authorizer(): Authorizer;
}

/** A built-in kind, as its file in `groups/` declares it and `resources.ts` lists it. */
export interface KubeResource {
  readonly definition: ResourceDefinition;
  /**
   * Called once, after every kind is open and before the first request. Returns the store that requests to the resource
   * itself go to; usually one that delegates to `open.registry`. Subresources were opened on `open.registry` and keep
   * it. Not called for a kind that has a store of its own. Default: `open.registry`.
   */
  wrapStore?(open: StoredResource, kube: KubeContext): ResourceStore;
}
