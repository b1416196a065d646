/**
 * Cache entries: stored bytes with the resourceVersion inserted, ready to be sent.
 * Invariants: the bytes of an entry have their own allocation, or are a part of a slab that has only entries
 * (`entry-slab.ts`). The content of the bytes never changes. Removing the resourceVersion gives the stored bytes.
 */
import { type Allocate, allocateBytes, copyBytes, encodeUtf8 } from '../base/bytes.ts';
import { toError } from '../base/errors.ts';
import { StorageError } from '../storage/errors.ts';
import type { Revision } from '../storage/storage.ts';
import type { Describe, Description, Entry, Facts, Undescribable } from './cache.ts';
import { EMPTY_FACTS } from './facts.ts';

const HEAD = encodeUtf8('"resourceVersion":"');
const QUOTE = 0x22;
const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;
// Up to this length a loop is faster than a view and a copy.
const SHORT_COPY = 128;

class CacheEntry implements Entry {
  readonly key: string;
  readonly revision: Revision;
  /** Replaced by `moveBytes` only. */
  bytes: Uint8Array;
  readonly splice: number;
  readonly facts: Facts;
  readonly broken: StorageError | undefined;

  constructor(
    key: string,
    revision: Revision,
    bytes: Uint8Array,
    splice: number,
    facts: Facts,
    broken: StorageError | undefined,
  ) {
    this.key = key;
    this.revision = revision;
    this.bytes = bytes;
    this.splice = splice;
    this.facts = facts;
    this.broken = broken;
  }
}

/**
 * Makes the entry of a stored value, in bytes that `allocate` returns. Never throws: a value that cannot be described
 * becomes a broken entry.
 */
export function makeEntry(
  describe: Describe,
  key: string,
  revision: Revision,
  value: Uint8Array,
  allocate: Allocate = allocateBytes,
): Entry {
  return describedEntry(descriptionOf(describe, key, value, false), key, revision, value, allocate);
}

/** Like `makeEntry`, for a value that this process has encoded. */
export function makeOwnEntry(
  describe: Describe,
  key: string,
  revision: Revision,
  value: Uint8Array,
  allocate: Allocate = allocateBytes,
): Entry {
  return describedEntry(descriptionOf(describe, key, value, true), key, revision, value, allocate);
}

function descriptionOf(
  describe: Describe,
  key: string,
  value: Uint8Array,
  isOwn: boolean,
): Description | Undescribable {
  try {
    return describe(value, key, isOwn);
  } catch (caught) {
    return { reason: toError(caught).message };
  }
}

function describedEntry(
  description: Description | Undescribable,
  key: string,
  revision: Revision,
  value: Uint8Array,
  allocate: Allocate,
): Entry {
  if ('reason' in description) return brokenEntry(key, revision, value, description.reason);
  const { splice, facts } = description;
  if (!(splice > 0 && splice < value.length)) {
    return brokenEntry(key, revision, value, 'the place of its resourceVersion is outside of it');
  }
  return new CacheEntry(key, revision, spliceRevision(value, splice, revision, allocate), splice, facts, undefined);
}

function brokenEntry(key: string, revision: Revision, value: Uint8Array, reason: string): Entry {
  const error = new StorageError('Corrupt', `the value of ${JSON.stringify(key)} cannot be served: ${reason}`, { key });
  return new CacheEntry(key, revision, copyBytes(value), 0, EMPTY_FACTS, error);
}

/** Moves the bytes of an entry to newly allocated memory. The old bytes stay valid for readers that hold them. */
export function moveBytes(entry: Entry, allocate: Allocate): void {
  const { bytes } = entry;
  const moved = allocate(bytes.length);
  moved.set(bytes);
  (entry as CacheEntry).bytes = moved;
}

/** Returns the entry with another revision, for DELETED events. A broken entry stays broken. */
export function withRevision(entry: Entry, revision: Revision): Entry {
  const { key, facts, splice, broken } = entry;
  if (broken !== undefined) return new CacheEntry(key, revision, entry.bytes, splice, facts, broken);
  return new CacheEntry(
    key,
    revision,
    spliceRevision(storedBytes(entry), splice, revision, allocateBytes),
    splice,
    facts,
    undefined,
  );
}

/** Returns the bytes that the store has for this entry, as a new copy. */
export function storedBytes(entry: Entry): Uint8Array {
  const { bytes, splice } = entry;
  if (entry.broken !== undefined) return bytes;
  let length = HEAD.length + digits(entry.revision) + 1;
  if (bytes[splice + length] === COMMA) length++;
  const stored = allocateBytes(bytes.length - length);
  stored.set(bytes.subarray(0, splice));
  stored.set(bytes.subarray(splice + length), splice);
  return stored;
}

function spliceRevision(value: Uint8Array, at: number, revision: Revision, allocate: Allocate): Uint8Array {
  const width = digits(revision);
  const comma = value[at] !== CLOSING_BRACE;
  const length = HEAD.length + width + (comma ? 2 : 1);
  const bytes = allocate(value.length + length);
  bytes.set(value, length);
  if (at <= SHORT_COPY) for (let i = 0; i < at; i++) bytes[i] = value[i]!;
  else bytes.set(value.subarray(0, at));
  bytes.set(HEAD, at);
  let end = at + HEAD.length + width;
  bytes[end] = QUOTE;
  if (comma) bytes[end + 1] = COMMA;
  for (let rest = revision; end > at + HEAD.length; rest = Math.floor(rest / 10)) bytes[--end] = 0x30 + (rest % 10);
  return bytes;
}

function digits(revision: Revision): number {
  let width = 1;
  for (let bound = 10; revision >= bound; bound *= 10) width++;
  return width;
}
