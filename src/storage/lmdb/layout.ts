/**
 * The layout of the store in LMDB: five tables and the order of their keys.
 *
 *   log     position              → record (`record.ts`); append-only, pruned from its start
 *   keys    key                   → position, kind and checksum of the key's latest record, which may be a deletion
 *   dead    key                   → nothing; the keys of `keys` whose latest record is a deletion, so that LMDB can count
 *   expiry  expiry time, position → nothing; the latest records with a time to live
 *   meta    name                  → the `StoreState`
 *
 * Invariant: a position is `revision * 128 + index in the transaction`, so positions have the order of changes. 128 is
 * LIMITS.transactionOperations.
 */
import { BugError } from '../../base/errors.ts';
import type { Revision } from '../storage.ts';

export const FORMAT_VERSION = 1;

const PLACES = 128;
// A position must be a safe integer. 2^46 revisions are enough for 44 years at 50,000 per second.
const LAST_REVISION = 2 ** 46 - 1;

export type Position = number;

export function positionOf(revision: Revision, place: number): Position {
  if (revision > LAST_REVISION || place >= PLACES) throw new BugError(`no position for ${revision}/${place}`);
  return revision * PLACES + place;
}

/** The first possible position of a revision. */
export function firstPosition(revision: Revision): Position {
  return revision * PLACES;
}

export function revisionOf(position: Position): Revision {
  return Math.floor(position / PLACES);
}

/** The functions that lmdb calls to encode and decode keys. lmdb passes Node Buffers. */
export interface KeyCodec<K> {
  writeKey(key: K, target: Buffer, start: number): number;
  readKey(source: Buffer, start: number, end: number): K;
}

export const positionKeys: KeyCodec<Position> = {
  writeKey: writeNumber,
  readKey: readNumber,
};

export const stringKeys: KeyCodec<string> = {
  writeKey(key, target, start) {
    for (let i = 0; i < key.length; i++) {
      const unit = key.charCodeAt(i);
      // lmdb takes a RangeError as a sign that the buffer is full, and allocates a new one.
      if (start + i >= target.length) throw new RangeError('key buffer is full');
      if (unit >= 0x80) return writeUtf8(key, target, start);
      target[start + i] = unit;
    }
    return start + key.length;
  },
  readKey: (source, start, end) => source.toString('utf8', start, end),
};

export interface ExpiryKey {
  readonly at: number;
  readonly position: Position;
}

export const expiryKeys: KeyCodec<ExpiryKey> = {
  writeKey: (key, target, start) => writeNumber(key.position, target, writeNumber(key.at, target, start)),
  readKey: (source, start, end) => ({
    at: readNumber(source, start),
    position: end - start >= 16 ? readNumber(source, start + 8) : 0,
  }),
};

function writeUtf8(key: string, target: Buffer, start: number): number {
  if (start + Buffer.byteLength(key) > target.length) throw new RangeError('key buffer is full');
  return start + target.write(key, start, 'utf8');
}

// Writes eight bytes in big-endian order, so that LMDB's order of bytes is the order of numbers.
function writeNumber(value: number, target: Buffer, start: number): number {
  if (start + 8 > target.length) throw new RangeError('key buffer is full');
  const high = Math.floor(value / 0x1_0000_0000);
  const low = value >>> 0;
  target[start] = high >>> 24;
  target[start + 1] = high >>> 16;
  target[start + 2] = high >>> 8;
  target[start + 3] = high;
  target[start + 4] = low >>> 24;
  target[start + 5] = low >>> 16;
  target[start + 6] = low >>> 8;
  target[start + 7] = low;
  return start + 8;
}

function readNumber(source: Buffer, start: number): number {
  return source.readUInt32BE(start) * 0x1_0000_0000 + source.readUInt32BE(start + 4);
}
