/**
 * A scan that decides whether `JSON.parse` may read a JSON text. It works on UTF-8 bytes, which scan faster than
 * strings. Invariant: for a text that is `plain`, `JSON.parse` fails or gives what the reference's decoder gives,
 * duplicate keys aside.
 */

/**
 * Deeper text goes to the parser with an explicit stack, because functions that walk the value afterwards may recurse.
 */
export const PLAIN_DEPTH = 500;

export interface JsonScan {
  /** False if `JSON.parse` would lose something or must not read the text. See `scanJson`. */
  readonly plain: boolean;
  /** Colons outside strings, which is the number of keys of well-formed text. Valid only if `plain`. */
  readonly keys: number;
}

const UNUSUAL: JsonScan = { plain: false, keys: 0 };

/**
 * Scans a text in linear time. Never fails; malformed text may get any result. These are not plain: 16 or more digits
 * in a row (a double may corrupt the integer), an exponent (it may overflow), a minus before a zero (`-0` is the
 * integer 0), an escaped surrogate (it may be alone), nesting beyond PLAIN_DEPTH.
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
          // \u followed by d or D covers U+D000 to U+DFFF, half of which are surrogates.
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
