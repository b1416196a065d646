/**
 * Lists that are sent again. The items of a list are spread over memory, and reading them takes longer than copying
 * them. When the same array of items is sent for the second time, its joined bytes are kept, and later answers copy
 * them in one piece.
 * Invariants: joined bytes are kept only while the array of items is referenced elsewhere, and at most `MOST_BYTES` of
 * one array. At most one reader of an array collects them, so that many slow ones do not hold a copy each. If another
 * reader reaches the end before it, because it is slow or has stopped, the next reader collects them instead.
 */
import type { ChunkSource } from '../../http/chunk-source.ts';
import { type ListParts, listChunks } from './list-chunks.ts';

const MOST_BYTES = 32 * 2 ** 20;

interface SentItems {
  readonly prefix: Uint8Array;
  /** Identifies the source that collects the chunks. It is not the source itself, which holds them. */
  collector: symbol | undefined;
  isTooLong: boolean;
  /** All chunks after the head; undefined until a collector was read to its end. */
  joined: readonly Uint8Array[] | undefined;
}

const sent = new WeakMap<readonly Uint8Array[], SentItems>();

/** As `listChunks`, for lists whose array of items may be sent again. */
export function repeatableListChunks(parts: ListParts): ChunkSource {
  const { head, items, prefix } = parts;
  const before = sent.get(items);
  if (before === undefined) {
    sent.set(items, { prefix, collector: undefined, isTooLong: false, joined: undefined });
    return listChunks(parts);
  }
  if (before.prefix !== prefix || before.isTooLong) return listChunks(parts);
  if (before.joined !== undefined) return joinedChunks(head, before.joined);
  if (before.collector !== undefined) return overtakingChunks(listChunks(parts), before, before.collector);
  return collectedChunks(listChunks(parts), before);
}

/** Keeps the chunks of the source once all of them were read, unless another source collects them by then. */
function collectedChunks(source: ChunkSource, items: SentItems): ChunkSource {
  const collector = Symbol();
  items.collector = collector;
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    size: source.size,
    next() {
      const chunk = source.next();
      bytes += chunk?.length ?? 0;
      if (bytes > MOST_BYTES) items.isTooLong = true;
      if (items.isTooLong || items.collector !== collector) chunks = [];
      else if (chunk === undefined) items.joined = chunks.slice(1);
      else chunks.push(chunk);
      return chunk;
    },
  };
}

/** Reads the source and, if the collector has not reached the end by then, lets the next reader collect. */
function overtakingChunks(source: ChunkSource, items: SentItems, collector: symbol): ChunkSource {
  return {
    ...source,
    next() {
      const chunk = source.next();
      if (chunk === undefined && items.collector === collector) items.collector = undefined;
      return chunk;
    },
  };
}

function joinedChunks(head: Uint8Array, joined: readonly Uint8Array[]): ChunkSource {
  let hasHead = true;
  let at = 0;
  /** The bytes of the current chunk that were copied. */
  let offset = 0;
  return {
    size: undefined,
    next() {
      if (hasHead) {
        hasHead = false;
        return head;
      }
      const chunk = joined[at];
      if (chunk === undefined) return undefined;
      const rest = offset === 0 ? chunk : chunk.subarray(offset);
      at++;
      offset = 0;
      return rest;
    },
    fill(into, start, room) {
      if (hasHead) return 0;
      let size = 0;
      while (size < room && at < joined.length) {
        const chunk = joined[at] as Uint8Array;
        const part = Math.min(chunk.length - offset, room - size);
        into.set(part === chunk.length ? chunk : chunk.subarray(offset, offset + part), start + size);
        size += part;
        offset += part;
        if (offset === chunk.length) {
          at++;
          offset = 0;
        }
      }
      return size;
    },
  };
}
