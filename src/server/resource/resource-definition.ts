/**
 * The declaration of a resource: built-in kinds, custom resources and extension resources are values of one type.
 *
 * Invariant: a definition is immutable. Another schema, conversion or column is another definition, with another
 * `generation`.
 *
 * Objects are plain JSON. A function of a definition may change an object in place only where it says so.
 */
import type { GroupResource, ResourceScope } from '../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Revision, Storage } from '../../storage/storage.ts';
import type { Converted } from './converted.ts';
import type { RegistryHost } from './registry-host.ts';
import type { ResetFields } from './reset-fields.ts';
import type { ResourceStore } from './resource-store.ts';
import type { Strategy } from './strategy.ts';
import type { VersionDefinition } from './version-definition.ts';

export interface SubresourceDefinition {
  /** The last segment of the path: `status`, `scale`, `token`. */
  readonly name: string;
  /** The version of bodies and answers, for discovery, decoding and admission. Default: the parent's version. */
  readonly version?: VersionDefinition;
  /**
   * The version of the answers to creates, if their kind is not that of the bodies. For OpenAPI. Default: `version`.
   */
  readonly answer?: VersionDefinition;
  /** The description of creates and connections in OpenAPI. Default: made from the names. */
  readonly description?: string;
  /**
   * Whether the store reads and writes objects of the resource itself, as `status` does, so that `wrap` of the resource
   * applies. Default false.
   */
  readonly ofParent?: boolean;
  /** The reset fields of writes to the subresource. Default: none. */
  readonly resetFields?: ResetFields;
  /**
   * Makes the store of the subresource; discovery publishes its verbs. Called once, when the resource is opened.
   * `parent` is the registry store of the resource, or the definition's own store; never one that wraps it.
   */
  store(parent: ResourceStore, host: RegistryHost): ResourceStore;
}

/**
 * Declares that the storage may hold objects in other versions, or objects written under an earlier schema. The store
 * converts, prunes and defaults such an object whenever it is read or changed, and any update stores the result.
 */
export interface StoredHistory {
  /** Every version that a stored object may have, served or not. Contains the storage version. */
  readonly versions: readonly VersionDefinition[];
  /**
   * Returns the revision after which every object was written in the storage version, under this schema. Infinity while
   * that is not known. Called often; once it returns a number, it always returns that number. Absent: the revision at
   * which the store started, for a resource that only this program writes. Not called on a shared storage, where
   * another server may write under an earlier schema at any time.
   */
  exactSince?(): Revision;
  /**
   * Whether objects that are converted to other versions than the storage version get the defaults of that version.
   * Default false, as for custom resources.
   */
  readonly defaultsEveryVersion?: boolean;
}

export interface ResourceDefinition {
  /** The name in paths: `configmaps`. */
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** Groups of resources that kubectl knows by one name: `all`. */
  readonly categories: readonly string[];
  readonly scope: ResourceScope;
  /** Whether its objects are the namespaces: the name in a path to one of them is the namespace too. Default false. */
  readonly isNamespaces?: boolean;
  /** The served versions, in order of preference within their group. */
  readonly versions: readonly VersionDefinition[];
  /**
   * The version that is stored, and that others are converted from and to. Undefined if the resource stores nothing.
   */
  readonly storageVersion: VersionDefinition | undefined;
  /** Every version that bytes of another server in the storage may have, served or not. Default: `versions`. */
  readonly storedVersions?: readonly VersionDefinition[];
  /**
   * The part of storage keys between the host's scope and the namespace, without a slash at either end: `configmaps`,
   * `rbac.authorization.k8s.io/roles`.
   */
  readonly storagePrefix: string;
  /**
   * Opens a storage of the resource's own, such as the mirror of a database. Called once, when the resource is opened.
   * The storage is stopped after the store. Absent: the storage of the host.
   */
  storage?(host: RegistryHost): Storage;
  /** Absent: every stored object is in the storage version and was written under this schema. */
  readonly history?: StoredHistory;
  /** Part of the key of cached forms. Must change whenever conversion, defaults or the schema change. */
  readonly generation: string;
  /**
   * Returns the objects in another version, with apiVersion and kind set, in the same order and number. May change and
   * return the objects it is given. It gets objects in batches because a webhook may do the work. A rejection fails the
   * request, or the watch, that needed the conversion. An object that can never be converted has its error as result:
   * only requests and watches that would show it fail. Absent: versions differ only in apiVersion and kind.
   */
  convert?(
    objects: readonly JsonObject[],
    from: VersionDefinition,
    to: VersionDefinition,
  ): MaybePromise<readonly Converted[]>;
  /**
   * Reports whether conversion leaves the metadata as it is. Requests for metadata alone are then answered from stored
   * objects. Default: it may change labels and annotations.
   */
  keepsMetadata?(): boolean;
  readonly strategy: Strategy;
  /**
   * Wraps a store that requests go to: that of the resource, or that of a subresource that reads or writes its objects.
   * Called when the resource is opened. The parent that subresources get, and the store of the server's own writes, are
   * not wrapped. Absent: stores are used as they are.
   */
  wrap?(store: ResourceStore): ResourceStore;
  /** Makes the resource's own store. Called once, when the resource is opened. Absent: the store over Storage. */
  store?(host: RegistryHost): ResourceStore;
  readonly subresources: readonly SubresourceDefinition[];
}

/**
 * Returns the group and the plural by which options name a stored resource. A resource with a version in the core group
 * counts as one of that group: events.
 */
export function storedGroupResource({
  plural,
  storageVersion,
  storedVersions,
  versions,
}: ResourceDefinition): GroupResource {
  const isCore = (storedVersions ?? versions).some(({ group }) => group === '');
  return { group: isCore ? '' : (storageVersion?.group ?? ''), resource: plural };
}

/** A resource whose objects the store over Storage holds. */
export interface StoredDefinition extends ResourceDefinition {
  readonly storageVersion: VersionDefinition;
  readonly store?: never;
}
