import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { EMPTY_BYTES, equalBytes } from './bytes.ts';

describe('base64', () => {
  it('reads back every run of bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(btoa(String.fromCharCode(...bytes)));
        expect(equalBytes(decodeBase64(text) ?? EMPTY_BYTES, bytes)).toBe(true);
      }),
      { seed: 5, numRuns: 300 },
    );
    const large = new Uint8Array(100_000).fill(0xa5);
    expect(equalBytes(decodeBase64(encodeBase64(large)) ?? EMPTY_BYTES, large)).toBe(true);
  });

  it('ignores line ends and refuses other characters', () => {
    expect(decodeBase64('aG\r\nk=\n')).toEqual(Uint8Array.of(0x68, 0x69));
    for (const text of ['a', 'aGk', 'aGk=aGk=', 'a===', '====', 'aG k', 'aG-_', 'aGké']) {
      expect(decodeBase64(text), text).toBeUndefined();
    }
  });
});
