/**
 * The strategy of a resource: its rules for create, update and delete. The store over Storage calls its methods. A
 * resource's own store need not call them.
 *
 * Order of a create. The object is decoded, normalized, defaulted and admitted by mutating admission. The store fills
 * in the name, uid, creation time, namespace and generation, then calls `prepareForCreate`, `validate`,
 * `warningsOnCreate` and `canonicalize`, runs validating admission, calls `validateStored`, and calls `ttlSeconds` and
 * `followCreate` as it writes. A create whose generated name is taken starts over with a fresh copy and another name.
 *
 * Order of an update. For each attempt the store applies the change (mutating admission included) to a copy of the
 * stored object, keeps the generation, and calls `prepareForUpdate`. It counts the generation and keeps the system
 * metadata, then calls `authorizeUpdate`, `validateUpdate`, `warningsOnUpdate` and `canonicalize`, runs validating
 * admission, calls `validateStored`, and calls `holdsDeletion` if the object is terminating and `ttlSeconds` as it
 * writes. An attempt that loses a race with another writer is repeated on the new state, so every method may run
 * several times for one request.
 *
 * Order of a delete. For each attempt the store checks the preconditions, calls `grace` unless the object is
 * terminating already, runs validating admission, calls `holdsDeletion`, and calls `prepareForDeletion` if the object
 * stays.
 *
 * Every method but `authorizeUpdate` is synchronous, and none has a side effect. A method may change only the object
 * that it is told it may change. It refuses by returning issues. It throws a StatusError only for a refusal that is not
 * about a field; any other exception is a 500.
 */
import type { DeleteOptions } from '../../apimachinery/meta/delete-options.ts';
import type { FieldIssue } from '../../apimachinery/validation/field-issue.ts';
import type { NameRule } from '../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ResetFields } from './reset-fields.ts';
import type { ResourceContext } from './resource-store.ts';

/** The context of the request that a strategy works for. */
export type StrategyContext = ResourceContext;

/** A graceful deletion: the object is marked, and stays until a client deletes it with a grace period of 0. */
export interface GraceDecision {
  /** How long the object should stay. 0: the marks are written, and the object is removed right after them. */
  readonly gracePeriodSeconds: number;
}

/** A second state of an object that is created. The server writes it over the first state, in the same commit. */
export interface FollowUp {
  /** The whole second state, in the storage version. */
  readonly object: JsonObject;
  /** Called once, after the commit or its failure. */
  settled(): void;
}

export interface Strategy {
  /**
   * The version of the objects that the methods get, unless a method says otherwise. `storage`: the storage version,
   * whatever version the request is in. `request`: the version of the request.
   */
  readonly objectVersion: 'storage' | 'request';
  /** The rule for `metadata.name` and `metadata.generateName` of a new object. */
  readonly nameRule: NameRule;
  /** Whether an update without a resourceVersion replaces whatever is stored. False: it is refused with a 422. */
  readonly allowUnconditionalUpdate: boolean;
  /** Whether an update of a name that does not exist creates the object. False: it is refused with a 404. */
  readonly allowCreateOnUpdate: boolean;
  /**
   * Whether the store counts `metadata.generation`: 1 for a new object, one more for each update after which anything
   * but `metadata` and `status` differs, and one more when a deletion marks the object.
   */
  readonly countsGeneration: boolean;

  /**
   * The fields that `prepareForCreate` and `prepareForUpdate` clear or restore, so that no manager owns them. Must
   * agree with these methods. Default: none.
   */
  readonly resetFields?: ResetFields;

  /**
   * Called on create after the system metadata is set and before `validate`. Clears fields that clients may not set,
   * such as status, and fills in derived ones. May change the object. Must not drop a field whose presence is an error.
   */
  prepareForCreate?(object: JsonObject, context: StrategyContext): void;
  /**
   * Called on create after `prepareForCreate`. Returns what is wrong with the object; any issue refuses it with a 422.
   * If `validate` returns no issues, the store checks the metadata itself, unless `validatesMetadata` is true. Must not
   * change the object.
   */
  validate?(object: JsonObject, context: StrategyContext): readonly FieldIssue[];
  /**
   * Whether `validate` checks the metadata, including the name. If true, the store does not check the metadata on
   * create. On update the store always checks them. Default false.
   */
  readonly validatesMetadata?: boolean;
  /** Called on create once the object is valid. Returns texts for `Warning` headers. Must not change the object. */
  warningsOnCreate?(object: JsonObject, context: StrategyContext): readonly string[];
  /**
   * Called on update before validation. Restores what this path may not change: the status on the main resource,
   * everything else on `/status`. May change `object`; `old` is the stored object and must not be changed.
   */
  prepareForUpdate?(object: JsonObject, old: JsonObject, context: StrategyContext): void;
  /**
   * Called on update after `prepareForUpdate` and before `validateUpdate`, for a kind whose fields need permissions of
   * their own. May read other objects or ask an authorizer. Returns the issues of fields that the user may not change;
   * a 422 lists them after those of the metadata and before those of `validateUpdate`, which runs in any case. Must
   * change neither object.
   */
  authorizeUpdate?(object: JsonObject, old: JsonObject, context: StrategyContext): MaybePromise<readonly FieldIssue[]>;
  /**
   * Called on update after `prepareForUpdate`. Returns what is wrong with the object or with the change; any issue
   * refuses it with a 422, after those that the store finds in the metadata. Must change neither object.
   */
  validateUpdate?(object: JsonObject, old: JsonObject, context: StrategyContext): readonly FieldIssue[];
  /** Called on update once the object is valid. Returns texts for `Warning` headers. Must change neither object. */
  warningsOnUpdate?(object: JsonObject, old: JsonObject, context: StrategyContext): readonly string[];
  /**
   * Called on create and update after validation and before validating admission. Brings the object into the form in
   * which it is stored, such as the order of its fields. May change the object; must keep it valid.
   */
  canonicalize?(object: JsonObject, context: StrategyContext): void;

  /**
   * Called on create and update with the object in the storage version, after validating admission and before it is
   * stored. `old` is the stored object in the storage version; undefined on create, and if it cannot be converted.
   * Returns what is wrong with the object; any issue refuses it with a 422. Must change neither object. Not called for
   * an update that removes the object. Default: no issues.
   */
  validateStored?(object: JsonObject, old: JsonObject | undefined, context: StrategyContext): readonly FieldIssue[];
  /**
   * Called on create as the object is written. Returns a second state that is written over it at a revision of its own,
   * in the same commit, or undefined for none. The object is in the storage version and must not be changed.
   */
  followCreate?(object: JsonObject): FollowUp | undefined;
  /**
   * Called on create and update as the object is written. Returns its time to live; 0 for none, which is the default.
   * The object is in the storage version and must not be changed.
   */
  ttlSeconds?(object: JsonObject): number;

  /**
   * Called on delete of an object that is not terminating. Returns how long it stays, or undefined to delete it at
   * once. A negative grace period of the client is given as 1. Must not change the object. Absent: objects are deleted
   * at once.
   */
  grace?(object: JsonObject, options: DeleteOptions): GraceDecision | undefined;
  /**
   * Called on delete, and on an update of a terminating object without finalizers. True keeps the object, as a
   * finalizer does: a Namespace has finalizers in its spec. A delete of such an object that is terminating already
   * changes nothing. The object is in the storage version and must not be changed. Default false.
   */
  holdsDeletion?(object: JsonObject): boolean;
  /**
   * Called on delete of an object that stays, after it was marked with deletionTimestamp, deletionGracePeriodSeconds
   * and finalizers, and before it is written. May change anything in the object, the marks included: a Namespace
   * becomes Terminating. The object is in the storage version. `isFirst`: it was not terminating before this request.
   */
  prepareForDeletion?(object: JsonObject, isFirst: boolean): void;
  /**
   * The fate of dependents if neither the client nor the finalizers of the object say so. `unsupported`: the
   * garbage collector's finalizers are never added. Default `background`.
   */
  readonly defaultGarbageCollection?: 'background' | 'orphan' | 'unsupported';
  /** Whether a completed delete answers with the object instead of a Status. Default false. */
  readonly returnsDeletedObject?: boolean;
}
