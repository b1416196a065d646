/** What writers ask for, from arrival to answer. */
import type { DeleteResult, Revision, Transaction, TransactionResult, WriteResult } from '../storage.ts';

interface Answerable<R> {
  /** Set when it was decided; given to the writer when that is durable. */
  result: R | undefined;
  /** Why this one failed while the others of its group did not. */
  error: Error | undefined;
}

export interface WriteRequest extends Answerable<WriteResult> {
  readonly kind: 'write';
  readonly key: string;
  readonly expected: Revision;
  readonly value: Uint8Array;
  readonly ttlMs: number | undefined;
  /** See CreateOptions. */
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
