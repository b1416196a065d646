import { describe, expect, it } from 'vitest';
import { concatBytes, equalBytes } from '../../../base/bytes.ts';
import { iterateChunks } from '../../http/chunk-source.ts';
import { blocksOf } from './blocks.ts';

function piece(size: number, fill: number): Uint8Array {
  return new Uint8Array(size).fill(fill);
}

describe('blocks', () => {
  it('join small pieces and pass large ones by reference', () => {
    const large = piece(32 * 1024, 3);
    const pieces = [piece(10, 1), piece(20, 2), large, piece(5, 4)];
    const source = blocksOf(pieces);
    const blocks = [...iterateChunks(source)];
    expect(blocks.map(({ length }) => length)).toEqual([30, 32 * 1024, 5]);
    expect(blocks[1]).toBe(large);
    expect(equalBytes(concatBytes(blocks), concatBytes(pieces))).toBe(true);
    expect(source.size).toBe(30 + 32 * 1024 + 5);
  });

  it('are never longer than 64 KB unless a piece is', () => {
    const pieces = Array.from({ length: 9 }, (_, i) => piece(20_000, i));
    const blocks = [...iterateChunks(blocksOf(pieces))];
    expect(blocks.map(({ length }) => length)).toEqual([60_000, 60_000, 60_000]);
    expect(equalBytes(concatBytes(blocks), concatBytes(pieces))).toBe(true);
  });

  it('are none if there are no pieces', () => {
    const source = blocksOf([]);
    expect([source.size, source.next(), source.next()]).toEqual([0, undefined, undefined]);
  });
});
