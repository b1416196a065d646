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

/** The result of a function of an operator. Nothing means `done`. */
export type ReturnedResult = Result | void | Promise<Result | undefined> | Promise<void>;

/**
 * Brings the world into the state that an object describes. Called with the newest state of the object, never twice at
 * once for the same object. It must be idempotent: it runs again after failures, restarts and changes, and says nothing
 * about which change came. Returning nothing means `done`. A rejection is a failure: it is logged and retried with
 * backoff, and the status is left as it was.
 */
export type Reconcile<T> = (context: ReconcileContext<T>) => ReturnedResult;

/**
 * Undoes what reconciles have done outside of the API. Called when the object is being deleted and has the finalizer;
 * after `done`, or nothing, the finalizer is removed. Any other result, or a rejection, keeps the finalizer. It must be
 * idempotent: it runs again if the removal of the finalizer fails.
 */
export type Finalize<T> = Reconcile<T>;

/** Called when a key is reconciled whose object does not exist any more. */
export type Gone = (context: GoneContext) => ReturnedResult;

export interface GoneContext {
  readonly key: ObjectKey;
  readonly client: Client;
  readonly cache: CachedReader;
  readonly log: Logger;
  readonly signal: AbortSignalLike;
}

/** The tools of one reconcile. All of them work when destructured. They are of no use after the function has returned. */
export interface ReconcileContext<T> {
  /** The object from the cache, frozen. It reflects every earlier write of this program to it. */
  readonly object: Stored<T>;
  readonly key: ObjectKey;
  /**
   * Aborts when the lease is lost, when the reconcile times out, and when the program stops. After a lost lease and
   * after a timeout the client refuses requests, too; at a stop it accepts them for the rest of the grace period.
   */
  readonly signal: AbortSignalLike;
  /** Reads from the server. What it writes is known to cached reads. */
  readonly client: Client;
  /** Reads from the cache. A read waits until the cache has seen this program's own writes. */
  readonly cache: CachedReader;
  /** Each line has the fields `operator` and `key`. */
  readonly log: Logger;
  /** The cause of this reconcile: `Deployment default/web updated`, `requeue after 30s`, `retry 2`. */
  readonly why: readonly string[];
  /**
   * Server-side apply of an object that the reconciled object controls. The field manager is the operator's name,
   * conflicts are forced, and the owner reference is added. The namespace defaults to that of the owner. Fields that an
   * earlier apply had and this one lacks are removed. Throws BugError if the owner may not own the object.
   */
  readonly apply: <U>(kind: Kind<U>, configuration: Applied<U>, options?: OwnedOptions) => Promise<Stored<U>>;
  /**
   * Reads an object from the server, lets `mutate` change a copy of it, and creates or patches it if that changed
   * anything. `mutate` must be repeatable: it runs again after a conflict. Prefer `apply`.
   */
  readonly createOrPatch: <U>(
    kind: Kind<U>,
    name: ObjectName,
    mutate: (draft: Draft<U>) => void,
    options?: OwnedOptions,
  ) => Promise<CreateOrPatchResult<U>>;
  /**
   * Sets fields of the status. Several calls add up; the last one wins for each top-level field. After the function has
   * returned, with any result, one server-side apply to the status subresource makes them the whole status of this
   * operator: fields and conditions that it set earlier and does not set now are removed. Without a call the status is
   * left as it was.
   */
  readonly status: (fields?: StatusFields<T>) => StatusDraft;
  /**
   * Records an Event about the object, which `kubectl describe` shows. `reason` is one word in CamelCase. Repeated events
   * become one whose count grows. Never throws and never waits: events are written later, at best effort.
   */
  readonly event: (reason: string, message: string, options?: EventOptions) => void;
}

/** The part of a kind's status that an operator may set. */
export type StatusFields<T> = 'status' extends keyof T
  ? DeepPartial<NonNullable<T['status']>>
  : Readonly<Record<string, unknown>>;

export interface StatusDraft {
  /**
   * Sets a condition. `lastTransitionTime` changes only if the status of the condition does. `observedGeneration` is
   * that of the reconciled object. The conditions of the kind must be a list of type map with the key `type`; otherwise
   * this operator takes over the whole list.
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
