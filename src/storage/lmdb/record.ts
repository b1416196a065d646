/**
 * The encoding of records, index entries and the store's state.
 * Invariant: every byte that is read is covered by a checksum; a mismatch throws StorageError(Corrupt).
 */
import { allocateBytes } from '../../base/bytes.ts';
import { StorageError } from '../errors.ts';
import type { Revision } from '../storage.ts';
import { checksumOf, checksumOfWords } from './checksum.ts';
import { type Position, revisionOf } from './layout.ts';
import type { Chunk } from './scratch.ts';

// A record: checksum of everything that follows (4), flags (1), zero (1), length of the key (2), position (8), previous
// (8), created (8), time (8), expires (8), key, value. Numbers are little-endian doubles, which are exact for safe
// integers.
const HEADER = 48;
const DELETED = 1;
const PREVIOUS_DELETED = 2;
const KNOWN_FLAGS = DELETED | PREVIOUS_DELETED;

export interface RecordHeader {
  readonly position: Position;
  readonly deleted: boolean;
  /** The position of the key's previous record; 0 if there was none. */
  readonly previous: Position;
  /** Whether the previous record is a deletion. Such a record may have been pruned already. */
  readonly previousDeleted: boolean;
  readonly created: Revision;
  /** The time of the write, from the clock of the store. */
  readonly time: number;
  /** The time at which the key expires; 0 means never. */
  readonly expires: number;
}

export interface LogRecord extends RecordHeader {
  readonly key: string;
  readonly value: Uint8Array;
  readonly checksum: number;
  /** The bytes of the whole record. */
  readonly size: number;
}

export function recordSize(keyBytes: number, valueBytes: number): number {
  return HEADER + keyBytes + valueBytes;
}

/**
 * The contents of a new record. `replacesPosition` and `replacesDeleted` are stored as `previous` and
 * `previousDeleted`.
 */
export interface NewRecord {
  readonly key: string;
  readonly value: Uint8Array;
  readonly position: Position;
  readonly deleted: boolean;
  readonly replacesPosition: Position;
  readonly replacesDeleted: boolean;
  readonly created: Revision;
  readonly time: number;
  readonly expires: number;
}

/** Writes a record at `start` of the chunk and returns its checksum. The caller has reserved `recordSize` bytes. */
export function writeRecord(chunk: Chunk, start: number, record: NewRecord, keyBytes: number): number {
  const { key, value } = record;
  const { doubles } = chunk;
  const at = start >> 3;
  chunk[start + 4] = (record.deleted ? DELETED : 0) | (record.replacesDeleted ? PREVIOUS_DELETED : 0);
  chunk[start + 5] = 0;
  chunk[start + 6] = keyBytes & 0xff;
  chunk[start + 7] = keyBytes >> 8;
  // In the byte order of the machine: every platform that lmdb is built for is little-endian.
  doubles[at + 1] = record.position;
  doubles[at + 2] = record.replacesPosition;
  doubles[at + 3] = record.created;
  doubles[at + 4] = record.time;
  doubles[at + 5] = record.expires;
  const body = start + HEADER;
  if (keyBytes === key.length) for (let i = 0; i < keyBytes; i++) chunk[body + i] = key.charCodeAt(i);
  else chunk.utf8Write(key, body, keyBytes);
  chunk.set(value, body + keyBytes);
  const size = HEADER + keyBytes + value.byteLength;
  const checksum = checksumOfWords(chunk.words, (start >> 2) + 1, chunk, start + 4, size - 4);
  chunk.writeUInt32LE(checksum, start);
  return checksum;
}

/**
 * Reads the record at `position`. Copies the value, because `bytes` may be lmdb's reused buffer; `size` is the number
 * of valid bytes. Throws Corrupt if the record is damaged, or belongs to another position or key.
 */
export function readRecord(bytes: Buffer, size: number, position: Position, key?: string): LogRecord {
  if (size < HEADER) throw corrupt(position, key, `it is ${size} bytes long`);
  const checksum = bytes.readUInt32LE(0);
  const found = checksumOf(bytes, 4, size);
  if (checksum !== found) throw corrupt(position, key, 'its checksum does not match');
  const flags = bytes[4] as number;
  const keyBytes = bytes.readUInt16LE(6);
  if ((flags & ~KNOWN_FLAGS) !== 0 || HEADER + keyBytes > size)
    throw corrupt(position, key, 'its header makes no sense');
  const stored = bytes.toString('utf8', HEADER, HEADER + keyBytes);
  if (bytes.readDoubleLE(8) !== position) throw corrupt(position, key ?? stored, 'it belongs to another revision');
  if (key !== undefined && stored !== key) throw corrupt(position, key, `it belongs to key ${JSON.stringify(stored)}`);
  const value = allocateBytes(size - HEADER - keyBytes);
  value.set(bytes.subarray(HEADER + keyBytes, size));
  return {
    position,
    deleted: (flags & DELETED) !== 0,
    previous: bytes.readDoubleLE(16),
    previousDeleted: (flags & PREVIOUS_DELETED) !== 0,
    created: bytes.readDoubleLE(24),
    time: bytes.readDoubleLE(32),
    expires: bytes.readDoubleLE(40),
    key: stored,
    value,
    checksum,
    size,
  };
}

/**
 * Returns the key in the bytes of a record that may be damaged, for messages about records that are not read by key.
 */
export function claimedKey(bytes: Buffer, size: number): string | undefined {
  if (size < HEADER) return undefined;
  const keyBytes = bytes.readUInt16LE(6);
  return HEADER + keyBytes <= size ? bytes.toString('utf8', HEADER, HEADER + keyBytes) : undefined;
}

/**
 * The bytes of an entry of `keys`: position (8), kind (1), checksum of the record (4). The checksum detects damage that
 * turns the position into another valid position.
 */
export const INDEX_SIZE = 13;

export interface IndexEntry {
  readonly position: Position;
  readonly deleted: boolean;
  readonly checksum: number;
}

export function writeIndex(chunk: Chunk, start: number, position: Position, deleted: boolean, checksum: number): void {
  chunk.writeDoubleLE(position, start);
  chunk[start + 8] = deleted ? 2 : 1;
  chunk.writeUInt32LE(checksum, start + 9);
}

export function readIndex(bytes: Buffer, size: number, key: string): IndexEntry {
  const kind = bytes[8];
  const position = size === INDEX_SIZE ? bytes.readDoubleLE(0) : 0;
  if (!Number.isSafeInteger(position) || position <= 0 || (kind !== 1 && kind !== 2)) {
    throw new StorageError('Corrupt', `the index entry of key ${JSON.stringify(key)} is damaged`, { key });
  }
  return { position, deleted: kind === 2, checksum: bytes.readUInt32LE(9) };
}

/** The state of the store, which every commit writes. */
export interface StoreState {
  readonly format: number;
  readonly revision: Revision;
  readonly horizon: Revision;
  /** The oldest revision whose state can be read. Older history is pruned. */
  readonly floor: Revision;
  /** The bytes of all records above the floor. */
  readonly logBytes: number;
}

const STATE_SIZE = 44;

export function writeState(state: StoreState): Buffer {
  const bytes = Buffer.allocUnsafeSlow(STATE_SIZE);
  bytes.writeDoubleLE(state.format, 4);
  bytes.writeDoubleLE(state.revision, 12);
  bytes.writeDoubleLE(state.horizon, 20);
  bytes.writeDoubleLE(state.floor, 28);
  bytes.writeDoubleLE(state.logBytes, 36);
  bytes.writeUInt32LE(checksumOf(bytes, 4), 0);
  return bytes;
}

export function readState(bytes: Buffer): StoreState {
  if (bytes.length !== STATE_SIZE || checksumOf(bytes, 4) !== bytes.readUInt32LE(0)) {
    throw new StorageError('Corrupt', "the store's own state record is damaged");
  }
  return {
    format: bytes.readDoubleLE(4),
    revision: bytes.readDoubleLE(12),
    horizon: bytes.readDoubleLE(20),
    floor: bytes.readDoubleLE(28),
    logBytes: bytes.readDoubleLE(36),
  };
}

function corrupt(position: Position, key: string | undefined, why: string): StorageError {
  const of = key === undefined ? '' : ` of key ${JSON.stringify(key)}`;
  const message = `the record${of} at revision ${revisionOf(position)} is damaged: ${why}`;
  return new StorageError('Corrupt', message, key === undefined ? {} : { key });
}
