/**
 * The bytes of a list in JSON: a head, the items joined by commas, an end. Items are copied into blocks (`blocks.ts` says why), without their type fields where they come
 * without; a large item is a block of its own, by reference. Invariant: nothing is parsed, and a block is made only when somebody takes it.
 */
import { allocateBytes, encodeUtf8 } from '../../base/bytes.ts';
import type { ChunkSource } from '../chunk-source.ts';
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
  /** What items begin with and is left out, its opening brace excepted: their type fields. Empty: nothing. */
  readonly prefix: Uint8Array;
}

/** Nothing of an item is looked at before its block is made, so its size is not known before the end. */
export function listChunks({ head, items, prefix }: ListParts): ChunkSource {
  const cut = prefix.length;
  const pending: Uint8Array[] = [head];
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
  /** One item by reference. */
  const large = (): Uint8Array => {
    const item = items[at] as Uint8Array;
    const isBare = cut > 0 && startsWith(item, prefix);
    const rest = isBare ? item.subarray(cut) : item;
    if (at++ === 0 && !isBare) return rest;
    pending.push(rest);
    return isBare ? (at === 1 ? BRACE : COMMA_BRACE) : COMMA_BYTES;
  };
  /** As many items as fit, from the last to the first: the beginning that is left out is overwritten by the end of the item before. */
  const block = (): Uint8Array => {
    const from = at;
    // Room in front for beginnings that nothing overwrites, and for the commas.
    let bytes = cut;
    while (at < items.length) {
      const { length } = items[at] as Uint8Array;
      if (length >= LARGE_BYTES || bytes + length + 1 > BLOCK_BYTES) break;
      bytes += length + 1;
      at++;
    }
    const whole = allocateBytes(bytes);
    let start = bytes;
    for (let i = at - 1; i >= from; i--) {
      const item = items[i] as Uint8Array;
      start -= item.length;
      whole.set(item, start);
      if (cut > 0 && startsWith(item, prefix)) {
        start += cut - 1;
        whole[start] = OPEN_BRACE;
      }
      if (i > 0) whole[--start] = COMMA;
    }
    return start === 0 ? whole : whole.subarray(start);
  };
  return { size: undefined, next };
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  const { length } = prefix;
  if (bytes.length < length) return false;
  for (let i = 0; i < length; i++) if (bytes[i] !== prefix[i]) return false;
  return true;
}
