/**
 * What a built-in kind may ask of the server around it: the other kinds, the platform, the settings. Invariant: nothing is asked before the server is put together; a
 * lister starts with the first question, so a server that nobody asks about a kind does not read its objects.
 */

import type { GroupVersionKind } from '../apimachinery/meta/gvk.ts';
import type { Logger } from '../base/logger.ts';
import type { Authorizer } from '../server/authorization.ts';
import type { Lister } from '../server/own/lister.ts';
import type { ObjectReader } from '../server/own/object-reader.ts';
import type { OpenResource } from '../server/resource/open-resource.ts';
import type { RegistryHost } from '../server/resource/registry-host.ts';
import type { ResourceDefinition } from '../server/resource/resource-definition.ts';
import type { ResourceStore } from '../server/resource/resource-store.ts';

export interface KubeContext {
  readonly host: RegistryHost;
  readonly logger: Logger;
  /** Throws BugError for a plural that is not served. Plurals of built-in kinds are unique across groups. */
  resource(plural: string): OpenResource;
  /** What a kind is called in paths, whichever server has it; undefined if none has. */
  pluralOf(kind: GroupVersionKind): string | undefined;
  /** Whether objects of a kind that `pluralOf` knows stand in namespaces. */
  isNamespaced(kind: GroupVersionKind): boolean;
  /** Objects one at a time, for kinds of which there may be very many. */
  reader(plural: string): ObjectReader;
  /** All objects, kept parsed: for kinds of which there are few. `fresh()` starts it. One for all who ask. */
  lister(plural: string): Lister;
  authorizer(): Authorizer;
}

/** A built-in kind: what it declares and, for a few, what stands in front of its store. */
export interface KubeResource {
  readonly definition: ResourceDefinition;
  /** Requests meet what this returns; subresources still get the store over storage. */
  front?(open: OpenResource, world: KubeContext): ResourceStore;
}
