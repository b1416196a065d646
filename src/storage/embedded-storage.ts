/**
 * The interface of embedded stores, which live in this process. It adds transactions, snapshots and forks to `Storage`.
 * Every embedded driver runs `storage.suite.ts`, which tests each statement of this file.
 */
import type { Stoppable } from '../base/lifetime.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { KeyRange } from './keys.ts';
import type { KeyValue, Revision, Storage } from './storage.ts';

/** The limits of embedded stores. */
export const LIMITS = {
  /** The most checks and writes in one transaction, together: the default of etcd's `--max-txn-ops`. */
  transactionOperations: 128,
  /** The most bytes of one value: below the default of etcd's `--max-request-bytes`, 1.5 MiB. */
  valueBytes: 1_500_000,
  /** The most bytes of all values in one transaction. */
  transactionBytes: 1_500_000,
} as const;

/**
 * An immutable state of the whole store. Compaction does not affect a snapshot. Its methods throw Closed once the
 * snapshot or its store is stopped.
 */
export interface Snapshot extends Stoppable {
  readonly revision: Revision;
  /** Returns undefined if the key did not exist. */
  get(key: string): MaybePromise<KeyValue | undefined>;
  /** Like `Storage.list`, at the revision of the snapshot. */
  list(
    range: KeyRange,
    options?: { limit?: number },
  ): MaybePromise<{
    readonly items: readonly KeyValue[];
    readonly next: string | undefined;
    readonly remaining: number;
  }>;
}

/** A condition of a transaction: at the commit, the key must have this revision. 0: the key must not exist. */
export interface Check {
  readonly key: string;
  readonly revision: Revision;
}

export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly ttlMs?: number }
  | { readonly type: 'delete'; readonly key: string };

export interface Transaction {
  readonly checks: readonly Check[];
  /**
   * A key occurs at most once. A put of equal bytes without a time to live changes nothing, and neither does a delete
   * of a missing key.
   */
  readonly writes: readonly Write[];
}

export type TransactionResult =
  /** `changed` is false if no write changed a key. `revision` is then the current revision of the store. */
  | { readonly outcome: 'ok'; readonly revision: Revision; readonly changed: boolean }
  /** A check failed. `current` has the state of each checked key, in the order of `checks`, all at `revision`. */
  | { readonly outcome: 'conflict'; readonly current: readonly (KeyValue | undefined)[]; readonly revision: Revision };

/** A store in this process. It begins at revision 1 and has no gaps between revisions. */
export interface EmbeddedStorage extends Storage {
  readonly embedded: true;

  /** Makes all writes at one revision if all checks hold. Otherwise it makes none, and the result is `conflict`. */
  transact(transaction: Transaction): Promise<TransactionResult>;

  /** The oldest revision that can be read with `lookBack`. */
  oldestRevision(): Revision;

  /** Takes a snapshot of the current state. The caller must stop it. */
  snapshot(): MaybePromise<Snapshot>;
}

export function isEmbedded(storage: Storage): storage is EmbeddedStorage {
  return storage.embedded;
}

/** An embedded store that can be copied. */
export interface ForkableStorage extends EmbeddedStorage {
  /**
   * Returns an independent store with the same contents, revision and history, in O(1). Neither store sees later
   * changes of the other. `from` is a snapshot of this store: the copy then has the state of the snapshot and the
   * history before it.
   */
  fork(from?: Snapshot): ForkableStorage;
}

export function isForkable(storage: Storage): storage is ForkableStorage {
  return typeof (storage as Partial<ForkableStorage>).fork === 'function';
}
