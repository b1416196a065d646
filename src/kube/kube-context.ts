/** The context of a built-in kind: the other kinds of its server, the host and the authorizer. */

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
import type { DefaultAccounts } from './identity/default-accounts.ts';

/**
 * Kinds are declared before the server is complete. They may keep the context, but must not call `resource`,
 * `writer`, `reader` or `lister` before the first request or `wrapStore`.
 */
export interface KubeContext {
  readonly host: RegistryHost;
  readonly logger: Logger;
  /** The union of all authorization modes. */
  readonly authorizer: Authorizer;
  /** Whether a loop of this process empties and removes deleted namespaces. */
  readonly terminatesNamespaces: boolean;
  /** Undefined if the plugin ServiceAccount is disabled: pods then need no account. */
  readonly defaultAccounts: DefaultAccounts | undefined;
  /** Throws BugError for a plural that is not a stored kind. Plurals of built-in kinds are unique across groups. */
  readonly resource: (plural: string) => StoredResource;
  /** Returns the plural of a kind of any server, and undefined for an unknown kind. */
  readonly pluralOf: (kind: GroupVersionKind) => string | undefined;
  /** Returns whether a kind of any server is namespaced, and false for an unknown kind. */
  readonly isNamespaced: (kind: GroupVersionKind) => boolean;
  /** Returns the writer of a kind, which writes as the server itself. All callers share it. */
  readonly writer: (plural: string) => OwnWriter;
  /** Returns the reader of single objects, for kinds that may have many objects. All callers share it. */
  readonly reader: (plural: string) => ObjectReader;
  /**
   * Returns the lister of a kind, which keeps all objects parsed in memory, for kinds with few objects. All callers
   * share it. It starts at the first `fresh()`.
   */
  readonly lister: (plural: string) => Lister;
}

/** A built-in kind. Its file in `groups/` declares it, and `resources.ts` lists it. */
export interface KubeResource {
  readonly definition: ResourceDefinition;
  /**
   * Called once, after every kind is open and before the first request. Returns the store that requests to the resource
   * itself go to; usually one that delegates to `open.registry`. Subresources were opened on `open.registry` and keep
   * it. Not called for a kind that has a store of its own. Default: `open.registry`.
   */
  wrapStore?(open: StoredResource, kube: KubeContext): ResourceStore;
}
