import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gzipCompressor } from './gzip.ts';

describe('gzip', () => {
  it('round-trips and compresses at level 1', async () => {
    const bytes = Buffer.from('{"kind":"Pod"}'.repeat(10_000));
    const compressed = await gzipCompressor.compress(bytes);
    expect(compressed.byteLength).toBeLessThan(bytes.byteLength / 20);
    expect(gunzipSync(compressed).equals(bytes)).toBe(true);
    // The gzip header's flag for level 1.
    expect(compressed[8]).toBe(4);
  });
});
