/**
 * The JSON bytes of a list: a head, the items joined by commas, and an end. Items are copied into blocks (see
 * `blocks.ts`), without their type fields where the list omits them. A large item is passed by reference.
 *
 * Nothing is parsed, and a block is made when it is read.
 */
import { allocateBytes, encodeUtf8 } from '../../../base/bytes.ts';
import type { ChunkSource } from '../../http/chunk-source.ts';
import { BLOCK_BYTES, LARGE_BYTES } from './blocks.ts';

const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const COMMA_BYTES = encodeUtf8(',');
const COMMA_BRACE = encodeUtf8(',{');
const BRACE = encodeUtf8('{');
const LIST_END = encodeUtf8(']}\n');

export interface ListParts {
  /** Up to and including the opening bracket of the items. */
  readonly head: Uint8Array;
  readonly items: readonly Uint8Array[];
  /**
   * The beginning of an item that is omitted: its type fields. The opening brace is kept. Empty: nothing is omitted.
   */
  readonly prefix: Uint8Array;
}

/**
 * Returns the chunks of the list. Their size is not known before the end, because an item is read only when its block
 * is made.
 */
export function listChunks({ head, items, prefix }: ListParts): ChunkSource {
  const cut = prefix.length;
  const pending: Uint8Array[] = [head];
  /** For each item that was read, 1 if its beginning is omitted. */
  const bare = new Uint8Array(items.length);
  let at = 0;
  let ended = false;
  const next = (): Uint8Array | undefined => {
    const ready = pending.shift();
    if (ready !== undefined) return ready;
    if (at === items.length) {
      if (ended) return undefined;
      ended = true;
      return LIST_END;
    }
    return (items[at] as Uint8Array).length < LARGE_BYTES ? block() : large();
  };
  /** Passes one item by reference. */
  const large = (): Uint8Array => {
    const item = items[at] as Uint8Array;
    const isBare = cut > 0 && startsWith(item, prefix);
    const rest = isBare ? item.subarray(cut) : item;
    if (at++ === 0 && !isBare) return rest;
    pending.push(rest);
    return isBare ? (at === 1 ? BRACE : COMMA_BRACE) : COMMA_BYTES;
  };
  /** Advances to the first item that does not fit and returns the size of those that do, with their commas. */
  const take = (room: number): number => {
    let bytes = 0;
    while (at < items.length) {
      const item = items[at] as Uint8Array;
      if (item.length >= LARGE_BYTES) break;
      const isBare = cut > 0 && startsWith(item, prefix);
      const more = bytes + item.length - (isBare ? cut - 1 : 0) + (at > 0 ? 1 : 0);
      if (more > room) break;
      bare[at] = isBare ? 1 : 0;
      bytes = more;
      at++;
    }
    return bytes;
  };
  /** Copies the items from the last to the first. The end of each item overwrites the omitted beginning of the next. */
  const copy = (from: number, into: Uint8Array, begin: number, bytes: number): void => {
    let start = begin + bytes;
    for (let i = at - 1; i >= from; i--) {
      const item = items[i] as Uint8Array;
      start -= item.length;
      if (bare[i] === 0) into.set(item, start);
      else {
        // The bytes before the first item of the block belong to the caller, so its omitted beginning must not be
        // copied.
        if (start >= begin) into.set(item, start);
        else into.set(item.subarray(cut), start + cut);
        start += cut - 1;
        into[start] = OPEN_BRACE;
      }
      if (i > 0) into[--start] = COMMA;
    }
  };
  const block = (): Uint8Array => {
    const from = at;
    const bytes = take(BLOCK_BYTES);
    const whole = allocateBytes(bytes);
    copy(from, whole, 0, bytes);
    return whole;
  };
  const fill = (into: Uint8Array, start: number, room: number): number => {
    if (pending.length > 0) return 0;
    const from = at;
    const bytes = take(room);
    copy(from, into, start, bytes);
    return bytes;
  };
  return { size: undefined, next, fill };
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  const { length } = prefix;
  if (bytes.length < length) return false;
  for (let i = 0; i < length; i++) if (bytes[i] !== prefix[i]) return false;
  return true;
}
