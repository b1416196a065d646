import { describe, expect, it } from 'vitest';
import { EntrySlab } from './entry-slab.ts';

describe('a slab of entries', () => {
  it('shares an allocation between small entries, which do not overlap', () => {
    const slab = new EntrySlab();
    const parts = Array.from({ length: 100 }, (_, i) => slab.allocate(1000).fill(i));
    expect(new Set(parts.map(({ buffer }) => buffer)).size).toBe(4);
    for (const [i, part] of parts.entries()) expect([part.byteLength, part[0], part[999]]).toEqual([1000, i, i]);
  });

  it('gives a large entry an allocation of its own', () => {
    const slab = new EntrySlab();
    slab.allocate(10);
    const large = slab.allocate(20_000);
    expect(large.buffer.byteLength).toBe(20_000);
    expect(slab.allocate(10).byteOffset).toBe(10);
  });
});
