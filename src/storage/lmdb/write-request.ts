/** The requests in the write queue. */
import type { Transaction, TransactionResult } from '../embedded-storage.ts';
import type { DeleteResult, Revision, WriteResult } from '../storage.ts';

interface Answerable<R> {
  /** Set when the request is decided. The writer gets the result when the group is durable. */
  result: R | undefined;
  /** Set if this request failed on its own. The other requests of the group are not affected. */
  error: Error | undefined;
}

export interface WriteRequest extends Answerable<WriteResult> {
  readonly kind: 'write';
  readonly key: string;
  readonly expected: Revision;
  readonly value: Uint8Array;
  readonly ttlMs: number | undefined;
  /** See `CreateOptions`. */
  readonly followedBy: Uint8Array | undefined;
}

export interface DeleteRequest extends Answerable<DeleteResult> {
  readonly kind: 'delete';
  readonly key: string;
  readonly expected: Revision | undefined;
}

export interface TransactRequest extends Answerable<TransactionResult> {
  readonly kind: 'transact';
  readonly transaction: Transaction;
}

export interface CompactRequest extends Answerable<true> {
  readonly kind: 'compact';
  readonly horizon: Revision;
}

export type Request = WriteRequest | DeleteRequest | TransactRequest | CompactRequest;
