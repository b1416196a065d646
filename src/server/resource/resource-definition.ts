/**
 * What a resource declares: one type for built-in kinds, custom resources and extension resources. Invariant: a definition is immutable; what changes
 * (a new schema, another column) is a new definition with another `generation`.
 *
 * Objects are plain JSON. Every function here that takes an object to change may change it in place: it gets one of its own.
 */

import type { DeleteOptions } from '../../apimachinery/meta/delete-options.ts';
import type { ResourceScope } from '../../apimachinery/meta/gvk.ts';
import type { FieldIssue } from '../../apimachinery/validation/field-issue.ts';
import type { NameRule } from '../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Revision } from '../../storage/storage.ts';
import type { RegistryHost } from './registry-host.ts';
import type { ResourceContext, ResourceStore } from './resource-store.ts';
import type { VersionDefinition } from './version-definition.ts';

// ── Strategy ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a strategy may want to know about the request. */
export type StrategyContext = ResourceContext;

/** `grace`: seconds until the object goes; 0 deletes at once. `force` also ends a deletion that is under way. */
export interface GraceDecision {
  readonly gracePeriodSeconds: number;
}

/** Per-kind behaviour: synchronous and pure. The objects are those of the version that `sees` says. */
export interface FollowUp {
  readonly object: JsonObject;
  /** Called once, whether it was written or not. */
  settled(): void;
}

export interface Strategy {
  /** `hub`: the storage version, whatever version the request was in. `request`: the request's. */
  readonly sees: 'hub' | 'request';
  readonly nameRule: NameRule;
  /** An update without a resourceVersion is allowed: the last one wins. */
  readonly allowUnconditionalUpdate: boolean;
  /** PUT of a name that does not exist creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** metadata.generation is counted: 1 at the start, one more when `metadata` and `status` are not all that changed. */
  readonly countsGeneration: boolean;
  /** What the server itself writes over a new object, at a revision of its own and in the same commit. The object is the stored one and is not changed. */
  followCreate?(object: JsonObject): FollowUp | undefined;
  /** Clears what clients may not set: status, mostly. */
  prepareForCreate?(object: JsonObject, context: StrategyContext): void;
  /** Beyond metadata, which the store validates, unless `validatesMetadata`. */
  validate?(object: JsonObject, context: StrategyContext): readonly FieldIssue[];
  /** `validate` covers metadata, its name by `nameRule`: the store does not look at them again. Default false. */
  readonly validatesMetadata?: boolean;
  warningsOnCreate?(object: JsonObject, context: StrategyContext): readonly string[];
  /** Keeps what this path may not change: the status on the main resource, everything else on `/status`. */
  prepareForUpdate?(object: JsonObject, old: JsonObject, context: StrategyContext): void;
  validateUpdate?(object: JsonObject, old: JsonObject, context: StrategyContext): readonly FieldIssue[];
  warningsOnUpdate?(object: JsonObject, old: JsonObject, context: StrategyContext): readonly string[];
  /** After validation, before storing. */
  canonicalize?(object: JsonObject, context: StrategyContext): void;
  /** Kinds that are deleted gracefully; absent: at once (unless finalizers hold them). */
  grace?(object: JsonObject, options: DeleteOptions): GraceDecision | undefined;
  /** An object with no finalizers that is updated while terminating goes away; this holds it back (Namespace: spec.finalizers). Default: it goes. */
  holdsDeletion?(object: JsonObject): boolean;
  /**
   * The object is marked (deletionTimestamp) and stays for now: Namespace becomes Terminating. It may change anything, the marks included. `isFirst`: it was not
   * marked before this request.
   */
  prepareForDeletion?(object: JsonObject, isFirst: boolean): void;
  /** What dependents meet if the client does not say. Default `background`. */
  readonly defaultGarbageCollection?: 'background' | 'orphan' | 'unsupported';
  /** A completed DELETE answers with the object instead of a Status. */
  readonly returnsDeletedObject?: boolean;
  /** Time to live of a stored object, 0 for none: Events. */
  ttlSeconds?(object: JsonObject): number;
}

// ── Resources ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface SubresourceDefinition {
  /** `status`, `scale`, `token`. */
  readonly name: string;
  /** What it speaks, for discovery, decoding and admission. Absent: the parent's own version. */
  readonly version?: VersionDefinition;
  /** What it does; discovery's verbs are those present. `parent` is the resource's own store. */
  store(parent: ResourceStore, host: RegistryHost): ResourceStore;
}

/**
 * What storage may hold beside exact objects of the storage version: bytes in another version, or written under an earlier schema. Such a state is converted, pruned and
 * given its defaults whenever it is shown or changed, and written again by any update.
 */
export interface StoredHistory {
  /** Every version that stored bytes may be of, the storage version among them, served or not. */
  readonly versions: readonly VersionDefinition[];
  /** What was written after this revision is exact. Infinity while nobody can tell; once it is a number it stays. */
  exactSince(): Revision;
}

export interface ResourceDefinition {
  /** `configmaps`: the name in paths. */
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: ResourceScope;
  /** Its objects are the namespaces of all others: in paths to one, the name is the namespace too. Default false. */
  readonly isNamespaces?: boolean;
  /** In order of preference within their group. */
  readonly versions: readonly VersionDefinition[];
  /** The one that is stored, one of `versions`; the hub that others are converted from and to. Undefined for resources that store nothing. */
  readonly storageVersion: VersionDefinition | undefined;
  /** Below the store's scope, without a slash at either end: `configmaps`, `rbac.authorization.k8s.io/roles`, as the reference lays out etcd. */
  readonly storagePrefix: string;
  /** Absent: whatever is stored is in the storage version and exact. */
  readonly history?: StoredHistory;
  /** Part of the key of cached forms: another text whenever conversion, defaults or the schema change. */
  readonly generation: string;
  /**
   * Objects of one version as another, with type fields set, in their order. Batched because a webhook may do it. Absent: versions differ in their type
   * fields alone.
   */
  convert?(
    objects: readonly JsonObject[],
    from: VersionDefinition,
    to: VersionDefinition,
  ): MaybePromise<readonly JsonObject[]>;
  readonly strategy: Strategy;
  /** Absent: the store over Storage with `strategy`. */
  store?(host: RegistryHost): ResourceStore;
  readonly subresources: readonly SubresourceDefinition[];
}

/** A resource whose objects are kept by the store over Storage. */
export interface StoredDefinition extends ResourceDefinition {
  readonly storageVersion: VersionDefinition;
  readonly store?: never;
}
