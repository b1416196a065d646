/**
 * A pool of facts, so that objects with equal labels and fields share one `Facts`. Most objects of a kind share a few
 * label sets, and one `Facts` per object would cost more memory than its key.
 * Invariants: `find` returns facts only for bytes that equal those of their `add`. The pool has at most two generations
 * of `GENERATION` facts each.
 */
import { allocateBytes } from '../base/bytes.ts';
import type { Facts } from './cache.ts';

const GENERATION = 1024;
// Longer texts are rarely shared, and would make the pool large.
const LONGEST = 1024;

interface Pooled {
  readonly text: Uint8Array;
  readonly facts: Facts;
}

/** The key of the pool is a text: the spans of a value (start and end offsets, in pairs). A lookup decodes nothing. */
export class FactsPool {
  #young = new Map<number, Pooled>();
  #old = new Map<number, Pooled>();

  find(value: Uint8Array, spans: readonly number[]): Facts | undefined {
    const length = totalLength(spans);
    if (length > LONGEST) return undefined;
    const hash = hashOf(value, spans);
    let pooled = this.#young.get(hash);
    if (pooled === undefined) {
      pooled = this.#old.get(hash);
      if (pooled !== undefined && isText(pooled.text, value, spans, length)) this.#put(hash, pooled);
    }
    return pooled !== undefined && isText(pooled.text, value, spans, length) ? pooled.facts : undefined;
  }

  /** Adds facts. Replaces the facts of another text with the same hash. */
  add(value: Uint8Array, spans: readonly number[], facts: Facts): void {
    const length = totalLength(spans);
    if (length <= LONGEST) this.#put(hashOf(value, spans), { text: textOf(value, spans, length), facts });
  }

  #put(hash: number, pooled: Pooled): void {
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(hash, pooled);
  }
}

function totalLength(spans: readonly number[]): number {
  let length = spans.length / 2;
  for (let i = 0; i < spans.length; i += 2) length += spans[i + 1]! - spans[i]!;
  return length;
}

/** FNV-1a over all spans. */
export function hashOf(value: Uint8Array, spans: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < spans.length; i += 2) {
    for (let at = spans[i]!; at < spans[i + 1]!; at++) hash = Math.imul(hash ^ value[at]!, 0x01000193);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash;
}

/** The bytes of the spans, each followed by a zero byte, which JSON text never contains. */
function textOf(value: Uint8Array, spans: readonly number[], length: number): Uint8Array {
  const text = allocateBytes(length);
  let to = 0;
  for (let i = 0; i < spans.length; i += 2) {
    for (let at = spans[i]!; at < spans[i + 1]!; at++) text[to++] = value[at]!;
    text[to++] = 0;
  }
  return text;
}

function isText(text: Uint8Array, value: Uint8Array, spans: readonly number[], length: number): boolean {
  if (text.length !== length) return false;
  let to = 0;
  for (let i = 0; i < spans.length; i += 2) {
    for (let at = spans[i]!; at < spans[i + 1]!; at++) if (text[to++] !== value[at]) return false;
    if (text[to++] !== 0) return false;
  }
  return true;
}
