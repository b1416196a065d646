/**
 * How the store lies in LMDB: five databases and the order of their keys.
 *
 * log     position            → record (`record.ts`), only appended to, pruned from below keys    key                 →
 * position, kind and checksum of the key's latest record, a deletion included dead    key                 → nothing;
 * the keys of `keys` whose latest record is a deletion, so that counting is native expiry  expiry time, position →
 * nothing; the latest records that have a time to live meta    name                → the one `StoreState`
 *
 * Invariant: a position is `revision * 128 + place in the transaction`, so positions order as changes do; 128 is
 * LIMITS.transactionOperations.
 */
import { BugError } from '../../base/errors.ts';
import type { Revision } from '../storage.ts';

export const FORMAT_VERSION = 1;

const PLACES = 128;
// A position must stay a safe integer: 2^46 revisions are 44 years of 50,000 a second.
const LAST_REVISION = 2 ** 46 - 1;

export type Position = number;

export function positionOf(revision: Revision, place: number): Position {
  if (revision > LAST_REVISION || place >= PLACES) throw new BugError(`no position for ${revision}/${place}`);
  return revision * PLACES + place;
}

/** The first position of a revision, whether or not it exists. */
export function firstPosition(revision: Revision): Position {
  return revision * PLACES;
}

export function revisionOf(position: Position): Revision {
  return Math.floor(position / PLACES);
}

/** What lmdb calls to write and read keys; its buffers are Node Buffers. */
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
      // lmdb recognises a RangeError as "the buffer is full" and makes a new one.
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

// Eight bytes, big-endian, so that LMDB's byte order is the order of numbers.
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
