/** The definition of an operator, as the builder collects it and the controller runs it. */
import type { BackoffPolicy } from '../base/backoff.ts';
import type { ObjectKey, ObjectStore } from '../client/informer.ts';
import type { Stored } from '../client/object-types.ts';
import type { Kind } from '../kinds/kind.ts';
import type { HotLoopOptions } from './hot-loop.ts';
import type { ObjectName } from './keys.ts';
import type { OwnerKey } from './owners.ts';
import type { Predicate } from './predicates.ts';
import type { Finalize, Gone, Reconcile } from './reconcile.ts';
import type { TimeSpan } from './result.ts';

export interface OperatorOptions {
  /** The most reconciles at the same time, of different objects. Default 4. */
  readonly concurrency?: number;
  /** The time limit of a reconcile. Afterwards its signal aborts and its client refuses requests. Default 5 minutes. */
  readonly timeout?: TimeSpan;
  /** The delays between retries of a key. Default: from 5 ms, doubling, up to one minute. */
  readonly backoff?: BackoffPolicy;
  /** Reconciles every object again at this interval. Default: never. */
  readonly resync?: TimeSpan;
  /** When a key counts as a hot loop. Default: 30 reconciles within a minute without a change of its spec. */
  readonly hotLoop?: HotLoopOptions;
  /** Whether reconciles run only while the manager is the leader, if it takes part in an election. Default true. */
  readonly needsLeader?: boolean;
}

export interface ForOptions<T> {
  /** Which changes of the object trigger a reconcile. Default: all. */
  readonly when?: Predicate<T>;
  /**
   * Whether the reconcile function is called for an object that is being deleted. Default false, because it would
   * create objects again that the garbage collector deletes. Finalizers always run.
   */
  readonly reconcileDeleted?: boolean;
}

export interface WatchOptions<T> {
  /** Which changes of the watched object trigger reconciles. Default: all. */
  readonly when?: Predicate<T>;
}

/**
 * A key to reconcile: `namespace/name`, a name in the namespace of the watched object, or an object with both. An
 * OwnerKey of another kind than the operator's is ignored.
 */
export type MappedKey = ObjectKey | ObjectName | OwnerKey;

/**
 * Returns the objects to reconcile when a watched object changes. `objects` are the cached objects of the operator's
 * kind. Called synchronously with each state of the watched object, also with the last state of a deleted object. If it
 * throws, the error is reported and the mapper is called again with backoff.
 */
export type Mapper<T, U> = (
  object: Stored<U>,
  context: { readonly objects: ObjectStore<T> },
) => Iterable<MappedKey> | undefined;

/**
 * Returns the watched objects to which an object of the operator's kind refers: names in its own namespace, or
 * `namespace/name`. The operator indexes them. Must be pure.
 */
export interface References<T> {
  readonly referencedBy: (object: Stored<T>) => string | readonly string[] | undefined;
}

export interface WatchDefinition<T> {
  readonly kind: Kind<unknown>;
  readonly when: Predicate<unknown> | undefined;
  readonly map: 'owner' | Mapper<T, unknown> | References<T>;
}

export interface FinalizerDefinition<T> {
  readonly name: string;
  readonly finalize: Finalize<T>;
}

export interface OperatorDefinition<T> {
  readonly name: string;
  readonly kind: Kind<T>;
  readonly options: OperatorOptions;
  readonly forOptions: ForOptions<T>;
  readonly watches: readonly WatchDefinition<T>[];
  readonly finalizers: readonly FinalizerDefinition<T>[];
  readonly reconcile: Reconcile<T>;
  readonly gone: Gone | undefined;
}
