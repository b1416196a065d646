/**
 * The bytes of a list in JSON: a head, the items joined by commas, an end. Items are copied into blocks, because one write of 64 KB costs a tenth of sixty writes of
 * 1 KB; a large item is a block of its own, by reference. Invariant: nothing is parsed, and a block is made only when somebody takes it.
 */
import { allocateBytes, encodeUtf8 } from '../../base/bytes.ts';
import type { ChunkSource } from '../chunk-source.ts';

const BLOCK_BYTES = 64 * 1024;
/** An item of at least this size goes by reference. */
const LARGE_BYTES = 32 * 1024;
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

export function listChunks({ head, items, prefix }: ListParts): ChunkSource {
  const cut = prefix.length;
  /** Per item: whether its beginning is left out. */
  const isCut = new Uint8Array(items.length);
  let size = head.length + LIST_END.length + Math.max(0, items.length - 1);
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Uint8Array;
    size += item.length;
    if (cut > 0 && startsWith(item, prefix)) {
      isCut[i] = 1;
      // The brace comes back.
      size -= cut - 1;
    }
  }
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
    const first = items[at] as Uint8Array;
    if (first.length >= LARGE_BYTES) {
      const isBare = isCut[at] === 1;
      pending.push(isBare ? first.subarray(cut) : first);
      const comma = isBare ? COMMA_BRACE : COMMA_BYTES;
      const start = at++ > 0 ? comma : isBare ? BRACE : pending.shift();
      return start;
    }
    return block();
  };
  /** As many items as fit, from the last to the first: the beginning that is left out is overwritten by the end of the item before. */
  const block = (): Uint8Array => {
    const from = at;
    let bytes = 0;
    while (at < items.length) {
      const { length } = items[at] as Uint8Array;
      const needed = length - (isCut[at] === 1 ? cut - 1 : 0) + (at > 0 ? 1 : 0);
      if (length >= LARGE_BYTES || bytes + needed > BLOCK_BYTES) break;
      bytes += needed;
      at++;
    }
    // Room in front for the beginning of the first items: nothing overwrites that of the first, and a short one not all of the next.
    const room = cut;
    const whole = allocateBytes(room + bytes);
    let end = room + bytes;
    for (let i = at - 1; i >= from; i--) {
      const item = items[i] as Uint8Array;
      let start = end - item.length;
      whole.set(item, start);
      if (isCut[i] === 1) {
        start += cut - 1;
        whole[start] = OPEN_BRACE;
      }
      if (i > 0) whole[--start] = COMMA;
      end = start;
    }
    return room === 0 ? whole : whole.subarray(end);
  };
  return { size, next };
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  const { length } = prefix;
  if (bytes.length < length) return false;
  for (let i = 0; i < length; i++) if (bytes[i] !== prefix[i]) return false;
  return true;
}
