/**
 * One cheap pass over the UTF-8 of JSON text (bytes scan faster than strings) that says whether `JSON.parse` may be trusted with it. Invariant: text for which `plain` is true either
 * fails in `JSON.parse` or gives there what the reference's decoder gives, duplicate keys aside.
 */

/** Deeper text than this goes to the reader with an explicit stack, because what walks the value afterwards may recurse. */
export const PLAIN_DEPTH = 500;

export interface JsonScan {
  /** False if the text has what `JSON.parse` loses or what must not reach it: see `scanJson`. */
  readonly plain: boolean;
  /** Colons outside strings: the number of keys, if the text is well formed. Only meaningful when `plain`. */
  readonly keys: number;
}

const UNUSUAL: JsonScan = { plain: false, keys: 0 };

/**
 * Not plain: 16 or more digits in a row (a double may corrupt the integer), an exponent (it may overflow), a minus before a zero (`-0` is
 * the integer 0), an escaped surrogate (it may be alone), nesting beyond PLAIN_DEPTH.
 * Linear in the length; never fails, malformed text may get any answer.
 */
export function scanJson(text: Uint8Array): JsonScan {
  const length = text.byteLength;
  let keys = 0;
  let depth = 0;
  for (let i = 0; i < length; i++) {
    const c = text[i] as number;
    if (c === 0x22) {
      for (;;) {
        if (++i >= length) return { plain: true, keys };
        const s = text[i] as number;
        if (s === 0x22) break;
        if (s === 0x5c) {
          i++;
          // \u followed by d or D: U+D000 to U+DFFF, half of which are surrogates.
          if ((text[i] as number) === 0x75 && ((text[i + 1] as number) | 0x20) === 0x64) return UNUSUAL;
        }
      }
    } else if (c === 0x3a) keys++;
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > PLAIN_DEPTH) return UNUSUAL;
    } else if (c === 0x7d || c === 0x5d) depth--;
    else if (c === 0x2d) {
      if ((text[i + 1] as number) === 0x30) return UNUSUAL;
    } else if (c >= 0x30 && c <= 0x39) {
      const start = i;
      let next = text[i + 1] as number;
      while (next >= 0x30 && next <= 0x39) next = text[++i + 1] as number;
      if (i - start >= 15 || (next | 0x20) === 0x65) return UNUSUAL;
    }
  }
  return { plain: true, keys };
}
