import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from './bytes.ts';
import { sha256, sha256Hex } from './sha256.ts';

describe('sha256', () => {
  it('gives the digest of the standard for "abc"', () => {
    expect(sha256Hex(encodeUtf8('abc'))).toBe('BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD');
  });

  it('agrees with the platform for every length around the block boundaries', () => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 131 + 7) & 255);
    for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000]) {
      const part = bytes.subarray(0, length);
      expect([...sha256(part)], `${length}`).toEqual([...createHash('sha256').update(part).digest()]);
    }
  });
});
