import { describe, expect, it } from 'vitest';
import { Slab } from './slab.ts';

describe('a slab', () => {
  it('shares an allocation between small arrays, which do not overlap', () => {
    const slab = new Slab({ bytes: 32 * 1024 });
    const parts = Array.from({ length: 100 }, (_, i) => slab.cut(1000).fill(i));
    expect(new Set(parts.map(({ buffer }) => buffer)).size).toBe(4);
    for (const [i, part] of parts.entries()) expect([part.byteLength, part[0], part[999]]).toEqual([1000, i, i]);
  });

  it('gives a large array an allocation of its own', () => {
    const slab = new Slab({ largest: 8000 });
    slab.cut(10);
    expect(slab.cut(8001).buffer.byteLength).toBe(8001);
    expect(slab.cut(8000).byteOffset).toBe(10);
  });
});
