/** Argument checks that every driver makes before anything else. Each throws StorageError(InvalidArgument). */

import { LIMITS, type Transaction } from './embedded-storage.ts';
import { StorageError } from './errors.ts';
import { checkKey, type KeyRange } from './keys.ts';
import type { CreateOptions, Revision, SeenState, StorageLimits, WatchOptions } from './storage.ts';

export function checkRange(range: KeyRange): void {
  if (range.prefix !== '') checkKey(range.prefix);
  if (range.start !== undefined) checkKey(range.start);
}

export function checkValue(key: string, value: Uint8Array, limits: StorageLimits = LIMITS): void {
  if (value.byteLength > limits.valueBytes) {
    throw new StorageError(
      'InvalidArgument',
      `the value has ${value.byteLength} bytes, at most ${limits.valueBytes} are allowed`,
      { key },
    );
  }
}

export function checkTtl(key: string, ttlMs: number | undefined): void {
  if (ttlMs !== undefined && !(ttlMs > 0 && Number.isFinite(ttlMs))) {
    throw new StorageError('InvalidArgument', `a time to live must be a positive number, got ${ttlMs}`, { key });
  }
}

export function checkFollowing(
  key: string,
  followedBy: Uint8Array | undefined,
  ttlMs: number | undefined,
  limits: StorageLimits = LIMITS,
): void {
  if (followedBy === undefined) return;
  checkValue(key, followedBy, limits);
  if (ttlMs !== undefined)
    throw new StorageError('InvalidArgument', 'followedBy and ttlMs cannot be combined', { key });
}

/** Throws unless the revision is a non-negative safe integer. */
export function checkRevision(revision: Revision): void {
  if (!Number.isSafeInteger(revision) || revision < 0)
    throw new StorageError('InvalidArgument', `${revision} is not a revision`);
}

/** The revision that a compare-and-write expects: 0 if the key must not exist. */
export function expectedRevision(seen: SeenState | undefined): Revision {
  if (seen === undefined) return 0;
  checkRevision(seen.revision);
  if (seen.revision === 0) throw new StorageError('InvalidArgument', 'a state that was seen has a positive revision');
  return seen.revision;
}

/** Checks the arguments of `create` and `compareAndWrite`. A create has no `seen`. */
export function checkWrite(
  key: string,
  seen: SeenState | undefined,
  value: Uint8Array,
  { ttlMs, followedBy }: CreateOptions,
  limits: StorageLimits = LIMITS,
): void {
  checkKey(key);
  expectedRevision(seen);
  checkValue(key, value, limits);
  checkTtl(key, ttlMs);
  checkFollowing(key, followedBy, ttlMs, limits);
}

export function checkTransaction(transaction: Transaction): void {
  const { checks, writes } = transaction;
  if (checks.length + writes.length > LIMITS.transactionOperations) {
    throw new StorageError(
      'InvalidArgument',
      `a transaction may have ${LIMITS.transactionOperations} checks and writes, got ${checks.length + writes.length}`,
    );
  }
  for (const check of checks) {
    checkKey(check.key);
    checkRevision(check.revision);
  }
  const keys = new Set<string>();
  let size = 0;
  for (const write of writes) {
    checkKey(write.key);
    if (keys.has(write.key)) {
      throw new StorageError('InvalidArgument', `the transaction writes ${JSON.stringify(write.key)} twice`, {
        key: write.key,
      });
    }
    keys.add(write.key);
    if (write.type === 'delete') continue;
    checkValue(write.key, write.value);
    checkTtl(write.key, write.ttlMs);
    size += write.value.byteLength;
  }
  if (size > LIMITS.transactionBytes) {
    throw new StorageError(
      'InvalidArgument',
      `the values of the transaction have ${size} bytes, at most ${LIMITS.transactionBytes} are allowed`,
    );
  }
}

export function checkWatch(options: WatchOptions): void {
  for (const range of options.ranges) {
    checkRange(range);
    if (range.start !== undefined) throw new StorageError('InvalidArgument', 'a watch takes prefixes, without a start');
  }
  if (typeof options.from === 'object') checkRevision(options.from.after);
}

/** Throws unless the limit is absent or a non-negative safe integer. */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) return;
  throw new StorageError('InvalidArgument', `limit ${limit} is not a whole number`);
}
