/** The interface between an operator and its reconcile function. */
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/api.ts';
import type { ObjectKey } from '../client/informer.ts';
import type { Applied, DeepPartial, Draft, Stored } from '../client/object-types.ts';
import type { Kind } from '../kinds/kind.ts';
import type { CachedReader } from './cache.ts';
import type { ObjectName } from './keys.ts';
import type { Result } from './result.ts';

/** The result of a function of an operator. Undefined means `done`. */
export type ReturnedResult = Result | void | Promise<Result | undefined> | Promise<void>;

/**
 * Makes the actual state match the state that an object describes. Called with the newest state of the object, and
 * never concurrently for the same object. It must be idempotent: it runs again after failures, restarts and changes,
 * and it must not depend on which change triggered it. Returning undefined means `done`. A rejection is a failure: it
 * is logged and retried with backoff, and the status is not changed.
 */
export type Reconcile<T> = (context: ReconcileContext<T>) => ReturnedResult;

/**
 * Cleans up what reconciles have done outside of the API. Called when the object is being deleted and has the
 * finalizer. If it returns `done` or undefined, the finalizer is removed. Any other result, or a rejection, keeps the
 * finalizer. It must be idempotent: it runs again if the removal of the finalizer fails.
 */
export type Finalize<T> = Reconcile<T>;

/** Called when a key is reconciled whose object no longer exists. */
export type Gone = (context: GoneContext) => ReturnedResult;

export interface GoneContext {
  readonly key: ObjectKey;
  readonly client: Client;
  readonly cache: CachedReader;
  readonly log: Logger;
  readonly signal: AbortSignalLike;
}

/**
 * The argument of a reconcile function. Its methods may be destructured. They must not be used after the function has
 * returned.
 */
export interface ReconcileContext<T> {
  /** The object from the cache, frozen. It includes all earlier writes of this program. */
  readonly object: Stored<T>;
  readonly key: ObjectKey;
  /**
   * Aborts when the lease is lost, when the reconcile times out, and when the program stops. After a lost lease and
   * after a timeout the client refuses requests; at a stop it accepts them for the rest of the grace period.
   */
  readonly signal: AbortSignalLike;
  /** Reads from the server, and writes. Cached reads wait for its writes. */
  readonly client: Client;
  /** Reads from the cache. A read waits until the cache has seen this program's own writes. */
  readonly cache: CachedReader;
  /** Each line has the fields `operator` and `key`. */
  readonly log: Logger;
  /** The cause of this reconcile: `Deployment default/web updated`, `requeue after 30s`, `retry 2`. */
  readonly why: readonly string[];
  /**
   * Applies an object that the reconciled object controls, with server-side apply. The field manager is the operator's
   * name, conflicts are forced, and the owner reference is added. The namespace defaults to that of the owner. Fields
   * of an earlier apply that are missing in this one are removed. Throws BugError if the owner may not own the object.
   */
  readonly apply: <U>(kind: Kind<U>, configuration: Applied<U>, options?: OwnedOptions) => Promise<Stored<U>>;
  /**
   * Reads an object from the server, lets `mutate` change a copy of it, and creates or patches the object if the copy
   * differs. `mutate` runs again after a conflict, so it must be repeatable. Prefer `apply`.
   */
  readonly createOrPatch: <U>(
    kind: Kind<U>,
    name: ObjectName,
    mutate: (draft: Draft<U>) => void,
    options?: OwnedOptions,
  ) => Promise<CreateOrPatchResult<U>>;
  /**
   * Sets fields of the status. Several calls are merged; the last call wins for each top-level field. After the
   * function has returned, with any result, the fields are applied to the status subresource with one server-side
   * apply. They are then the whole status of this operator: fields and conditions that it set earlier and does not set
   * now are removed. Without a call the status is not changed.
   */
  readonly status: (fields?: StatusFields<T>) => StatusDraft;
  /**
   * Records an Event about the object, which `kubectl describe` shows. `reason` is one word in CamelCase. Repeated
   * events are merged into one with a count. Never throws and never waits: events are written later, on a best-effort
   * basis.
   */
  readonly event: (reason: string, message: string, options?: EventOptions) => void;
}

/** The part of a kind's status that an operator may set. */
export type StatusFields<T> = 'status' extends keyof T
  ? DeepPartial<NonNullable<T['status']>>
  : Readonly<Record<string, unknown>>;

export interface StatusDraft {
  /**
   * Sets a condition. `lastTransitionTime` changes only with the status of the condition. `observedGeneration` is the
   * generation of the reconciled object. The conditions of the kind must be a list of type `map` with the key `type`;
   * otherwise this operator owns the whole list.
   */
  condition(type: string, status: boolean | 'Unknown', reason: string, message?: string): StatusDraft;
}

export interface OwnedOptions {
  /** Whether the object is controlled by the reconciled object. Default true. */
  readonly owner?: boolean;
}

export interface EventOptions {
  /** Default Normal. */
  readonly type?: 'Normal' | 'Warning';
}

export interface CreateOrPatchResult<T> {
  readonly object: Stored<T>;
  readonly change: 'created' | 'patched' | 'none';
}
