/**
 * Writes the bytes of a list: a header, the items joined by commas, a footer. Invariant: items are written by reference, never copied,
 * in groups of 64 with a pause whenever the sink asks for one (hot-path rule 5): larger groups make everybody else's request late.
 */
import { encodeUtf8 } from '../base/bytes.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';

const ITEMS_PER_WRITE = 64;
const COMMA = encodeUtf8(',');

export interface ListSink {
  /**
   * Takes the chunks, in order; the array is not changed later. A promise (of whatever value) means: call again when it has resolved. Its rejection, or a throw,
   * ends the writing.
   */
  write(chunks: readonly Uint8Array[]): MaybePromise<unknown>;
}

/** A promise only if the sink asked for a pause. Throws, or rejects with, what the sink does. */
export function writeList(
  sink: ListSink,
  items: readonly Uint8Array[],
  header: Uint8Array,
  footer: Uint8Array,
): MaybePromise<void> {
  return writeFrom(sink, items, 0, header, footer);
}

function writeFrom(
  sink: ListSink,
  items: readonly Uint8Array[],
  from: number,
  header: Uint8Array,
  footer: Uint8Array,
): MaybePromise<void> {
  let at = from;
  do {
    const end = Math.min(items.length, at + ITEMS_PER_WRITE);
    const chunks: Uint8Array[] = at === 0 ? [header] : [];
    for (; at < end; at++) {
      if (at > 0) chunks.push(COMMA);
      chunks.push(items[at]!);
    }
    if (at === items.length) chunks.push(footer);
    const taken = sink.write(chunks);
    if (at < items.length && isPromise(taken)) return taken.then(() => writeFrom(sink, items, at, header, footer));
    if (isPromise(taken)) return taken.then(() => {});
  } while (at < items.length);
}
