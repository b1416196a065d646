import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../../base/bytes.ts';
import { drainChunks, iterateChunks } from '../../http/chunk-source.ts';
import { type ListParts, listChunks } from './list-chunks.ts';

const head = encodeUtf8('{"items":[');
const prefix = encodeUtf8('{"kind":"Thing","apiVersion":"v1",');

function parts(items: readonly string[], cut = prefix): ListParts {
  return { head, items: items.map((item) => encodeUtf8(item)), prefix: cut };
}

function itemOf(name: string, size: number, typed: boolean): string {
  const rest = `"name":${JSON.stringify(name)},"data":"${'x'.repeat(size)}"}`;
  return typed ? `{"kind":"Thing","apiVersion":"v1",${rest}` : `{${rest}`;
}

describe('listChunks', () => {
  it('writes an empty list', () => {
    const source = listChunks(parts([]));
    expect(decodeUtf8(drainChunks(source))).toBe('{"items":[]}\n');
  });

  it('omits the type fields of items, and keeps items that do not begin with them', () => {
    const items = [itemOf('a', 3, true), itemOf('b', 3, false), itemOf('c', 3, true)];
    const bare = ['a', 'b', 'c'].map((name) => itemOf(name, 3, false)).join(',');
    expect(decodeUtf8(drainChunks(listChunks(parts(items))))).toBe(`{"items":[${bare}]}\n`);
    expect(decodeUtf8(drainChunks(listChunks(parts(items, new Uint8Array(0)))))).toBe(
      `{"items":[${items.join(',')}]}\n`,
    );
  });

  it('makes no block much larger than 64 KB, and passes large items by reference', () => {
    const large = encodeUtf8(itemOf('large', 100_000, false));
    const items = Array.from({ length: 300 }, (_, i) => encodeUtf8(itemOf(String(i), 1000, true)));
    const chunks = [...iterateChunks(listChunks({ head, items: [...items, large], prefix }))];
    expect(chunks).toContain(large);
    expect(chunks.filter((chunk) => chunk !== large).every((chunk) => chunk.length <= 64 * 1024)).toBe(true);
    expect(chunks.length).toBeLessThan(12);
  });

  it('returns every item for random items', () => {
    const size = fc.oneof(
      { weight: 8, arbitrary: fc.nat(200) },
      { weight: 1, arbitrary: fc.integer({ min: 20_000, max: 70_000 }) },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(size, fc.boolean()), { maxLength: 40 }), (shapes) => {
        const items = shapes.map(([bytes, typed], i) => itemOf(`n${i}`, bytes, typed));
        const bytes = drainChunks(listChunks(parts(items)));
        expect(decodeUtf8(bytes)).toBe(`{"items":[${shapes.map(([b], i) => itemOf(`n${i}`, b, false)).join(',')}]}\n`);
      }),
      { numRuns: 200 },
    );
  });
});
