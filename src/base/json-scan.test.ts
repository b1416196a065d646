import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from './bytes.ts';
import { endOfString, scanJson } from './json-scan.ts';
import { createRandom } from './random.fixtures.ts';

/** The definition: a loop over all bytes. */
function endByLoop(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === 0x22) return at + 1;
    if (bytes[at] === 0x5c) at++;
  }
  return -1;
}

describe('endOfString', () => {
  const rest = ',"x":1}';
  const texts = {
    empty: '""',
    short: '"abc"',
    'as long as the loop': `"${'a'.repeat(31)}"`,
    'one more': `"${'a'.repeat(32)}"`,
    long: `"${'a'.repeat(1000)}"`,
    'an escaped quote behind the loop': `"${'a'.repeat(100)}\\"${'b'.repeat(100)}"`,
    'an escaped backslash at the end': `"${'a'.repeat(100)}\\\\"`,
    'many backslashes': `"${'\\\\'.repeat(200)}\\"${'a'.repeat(50)}"`,
    'an escape across the end of the loop': `"${'a'.repeat(31)}\\"${'b'.repeat(40)}"`,
  };
  for (const [name, text] of Object.entries(texts))
    test(name, () => {
      expect(endOfString(encodeUtf8(text + rest), 0)).toBe(text.length);
      expect(endOfString(encodeUtf8(`{${text}${rest}`), 1)).toBe(text.length + 1);
      expect(endOfString(encodeUtf8(text.slice(0, -1)), 0)).toBe(-1);
    });

  test('equals a loop over all bytes', () => {
    const random = createRandom(1);
    for (let round = 0; round < 2000; round++) {
      const size = random.int(200);
      const bytes = Uint8Array.from({ length: size }, () => {
        const kind = random.int(20);
        return kind < 1 ? 0x22 : kind < 3 ? 0x5c : 0x61;
      });
      const from = random.int(size);
      expect(endOfString(bytes, from)).toBe(endByLoop(bytes, from));
    }
  });
});

describe('scanJson', () => {
  const long = 'a'.repeat(100);

  test('counts the keys of a text with long strings', () => {
    expect(scanJson(encodeUtf8(`{"a":"${long}","${long}":{"b":"${long}:{"},"c":"${long}\\":","d":1}`))).toEqual({
      plain: true,
      keys: 5,
    });
  });

  test('finds an escaped surrogate anywhere in a long string', () => {
    for (const before of ['', 'a', long, `${long}\\n${long}`, `${long}\\"${'b'.repeat(40)}`])
      expect(scanJson(encodeUtf8(`{"a":"${before}\\ud800${long}"}`)).plain).toBe(false);
    expect(scanJson(encodeUtf8(`{"a":"${long}\\\\ud800"}`)).plain).toBe(true);
  });

  test('numbers inside long strings are plain, numbers behind them are not', () => {
    expect(scanJson(encodeUtf8(`{"a":"${long}12345678901234567890"}`)).plain).toBe(true);
    expect(scanJson(encodeUtf8(`{"a":"${long}","b":12345678901234567890}`)).plain).toBe(false);
  });
});
