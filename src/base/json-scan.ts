/**
 * Scans of JSON text in UTF-8 bytes, which scan faster than strings. Most bytes of a large text lie in long strings,
 * which a native search passes ten times as fast as a loop. Numbers are literals: a bundled constant is read from
 * memory in each step of a loop, which makes a scan slower by a third.
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

/** 1 for a quote and a backslash. With a lookup a short string takes half of the time of two comparisons per byte. */
const STRING_STOPS = new Uint8Array(256);
STRING_STOPS[0x22] = STRING_STOPS[0x5c] = 1;

const UNUSUAL: JsonScan = { plain: false, keys: 0 };

/**
 * Returns the position behind the closing quote of the string whose opening quote is at `from`; -1 if it does not end.
 * Takes linear time.
 */
export function endOfString(bytes: Uint8Array, from: number): number {
  const size = bytes.length;
  let at = from + 1;
  for (;;) {
    // The call of a native search takes as long as this loop takes for so many bytes.
    const near = Math.min(size, at + 32);
    while (at < near) {
      const byte = bytes[at];
      if (byte === 0x22) return at + 1;
      at += byte === 0x5c ? 2 : 1;
    }
    const quote = bytes.indexOf(0x22, at);
    if (quote < 0) return -1;
    let escapes = quote;
    while (escapes > at && bytes[escapes - 1] === 0x5c) escapes--;
    if ((quote - escapes) % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/**
 * Decides whether `JSON.parse` may read a text. Invariant: for a text that is `plain`, `JSON.parse` fails or gives what
 * the reference's decoder gives, duplicate keys aside.
 *
 * Takes linear time. Never fails; malformed text may get any result. These are not plain: 16 or more digits in a row (a
 * double may corrupt the integer), an exponent (it may overflow), a minus before a zero (`-0` is the integer 0), an
 * escaped surrogate (it may be alone), nesting beyond PLAIN_DEPTH.
 */
export function scanJson(text: Uint8Array): JsonScan {
  const length = text.length;
  const stops = STRING_STOPS;
  let keys = 0;
  let depth = 0;
  // The quote and the backslash that a native search found last.
  let quote = -1;
  let backslash = -1;
  for (let i = 0; i < length; i++) {
    const c = text[i] as number;
    if (c === 0x22) {
      for (;;) {
        // As in `endOfString`, for two searches.
        const near = Math.min(length, i + 64);
        do i++;
        while (i < near && stops[text[i] as number] === 0);
        if (i >= near) {
          if (quote < i) quote = positionOf(text, 0x22, i);
          if (backslash < i) backslash = positionOf(text, 0x5c, i);
          i = Math.min(quote, backslash);
          if (i >= length) return { plain: true, keys };
        }
        if (text[i] === 0x22) break;
        i++;
        // \u followed by d or D covers U+D000 to U+DFFF, half of which are surrogates.
        if ((text[i] as number) === 0x75 && ((text[i + 1] as number) | 0x20) === 0x64) return UNUSUAL;
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

/** Returns the first position of a byte, or the length of the text. */
function positionOf(text: Uint8Array, byte: number, from: number): number {
  const at = text.indexOf(byte, from);
  return at < 0 ? text.length : at;
}
