/**
 * Small caches from encoded values to their JSON bytes. Objects of one manager mostly have equal FieldsV1, which would
 * otherwise be parsed and written for each object. The timestamps of an object are mostly equal, too.
 */
import { copyBytes, equalBytes } from '../../base/bytes.ts';
import { readJson } from '../../base/json-read.ts';
import { writeJsonBytes } from '../../base/json-write.ts';

/** The most cached texts. The oldest one is replaced. */
const TEXTS = 16;
/** Longer texts are not cached. */
const LONGEST = 16 * 1024;

interface SharedText {
  readonly raw: Uint8Array;
  readonly canonical: Uint8Array;
}

export class SharedTexts {
  readonly #texts: SharedText[] = [];
  #next = 0;

  /**
   * Returns the bytes that `writeJson` makes of the JSON text `raw`; undefined if `raw` is not JSON. Callers must not
   * change the result.
   */
  canonical(raw: Uint8Array): Uint8Array | undefined {
    for (const text of this.#texts) if (equalBytes(text.raw, raw)) return text.canonical;
    const read = readJson(raw);
    if (!read.ok) return undefined;
    const canonical = writeJsonBytes(read.value);
    if (raw.length <= LONGEST) {
      this.#texts[this.#next] = { raw: copyBytes(raw), canonical };
      this.#next = (this.#next + 1) % TEXTS;
    }
    return canonical;
  }
}

/** The most cached timestamps. The oldest one is replaced. */
const TIMES = 4;

/** Caches timestamps by their protobuf message, including its length. */
export class SharedTimes {
  readonly #times: SharedText[] = [];
  #next = 0;

  /** Returns the JSON bytes of the message between two offsets, if it is cached. */
  find(bytes: Uint8Array, from: number, to: number): Uint8Array | undefined {
    const size = to - from;
    for (const { raw, canonical } of this.#times) {
      if (raw.length !== size) continue;
      let i = 0;
      while (i < size && raw[i] === bytes[from + i]) i++;
      if (i === size) return canonical;
    }
    return undefined;
  }

  add(message: Uint8Array, canonical: Uint8Array): void {
    this.#times[this.#next] = { raw: copyBytes(message), canonical };
    this.#next = (this.#next + 1) % TIMES;
  }
}
