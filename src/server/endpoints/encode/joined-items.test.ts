import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../../base/bytes.ts';
import { type ChunkSource, chunksOf, drainChunks, iterateChunks } from '../../http/chunk-source.ts';
import { repeatableListChunks } from './joined-items.ts';
import { listChunks } from './list-chunks.ts';

const head = encodeUtf8('{"items":[');
const prefix = encodeUtf8('{"kind":"Thing","apiVersion":"v1",');

function itemOf(i: number, size: number): Uint8Array {
  return encodeUtf8(`{"kind":"Thing","apiVersion":"v1","name":"n${i}","data":"${'x'.repeat(size)}"}`);
}

/** Reads the source as a connection does: frames of `room` bytes, and `next` where the source fills nothing. */
function readFrames(source: ChunkSource, room: number): string {
  let text = '';
  const into = new Uint8Array(room + 10);
  for (;;) {
    const size = source.fill?.(into, 10, room) ?? 0;
    if (size > 0) {
      text += decodeUtf8(into.subarray(10, 10 + size));
      continue;
    }
    const chunk = source.next();
    if (chunk === undefined) return text;
    text += decodeUtf8(chunk);
  }
}

describe('repeatableListChunks', () => {
  it('keeps the joined bytes when a list is sent for the second time', () => {
    const items = Array.from({ length: 200 }, (_, i) => itemOf(i, 1000));
    const first = drainChunks(repeatableListChunks({ head, items, prefix }));
    const second = [...iterateChunks(repeatableListChunks({ head, items, prefix }))];
    const other = encodeUtf8('{"metadata":{},"items":[');
    const third = [...iterateChunks(repeatableListChunks({ head: other, items, prefix }))];
    expect(third[0]).toBe(other);
    expect(third.length).toBe(second.length);
    for (let i = 1; i < third.length; i++) expect(third[i]).toBe(second[i]);
    expect(decodeUtf8(first)).toBe(second.map((chunk) => decodeUtf8(chunk)).join(''));
  });

  it('keeps the bytes of one reader if several read at the same time', () => {
    const items = Array.from({ length: 200 }, (_, i) => itemOf(i, 1000));
    const source = (): ChunkSource => repeatableListChunks({ head, items, prefix });
    drainChunks(source());
    const collecting = source();
    const chunks = [collecting.next()];
    const other = source();
    const beside = [other.next()];
    for (let chunk = collecting.next(); chunk !== undefined; chunk = collecting.next()) chunks.push(chunk);
    beside.push(...iterateChunks(other));
    const repeated = [...iterateChunks(source())];
    expect(repeated.length).toBe(chunks.length);
    for (let i = 1; i < chunks.length; i++) expect(repeated[i]).toBe(chunks[i]);
    expect(Buffer.concat(beside as Uint8Array[]).equals(Buffer.concat(repeated))).toBe(true);
    expect(repeated).not.toContain(beside[1]);
  });

  it('lets the next reader collect the bytes if another one reaches the end before the one that collects', () => {
    const items = Array.from({ length: 200 }, (_, i) => itemOf(i, 1000));
    const source = (): ChunkSource => repeatableListChunks({ head, items, prefix });
    const expected = drainChunks(source());
    const stopped = source();
    stopped.next();
    stopped.next();
    expect(drainChunks(source())).toEqual(expected);
    const chunks = [...iterateChunks(source())];
    const rest = [...iterateChunks(stopped)];
    const repeated = [...iterateChunks(source())];
    expect(drainChunks(chunksOf(repeated))).toEqual(expected);
    for (let i = 1; i < chunks.length; i++) expect(repeated[i]).toBe(chunks[i]);
    expect(repeated).not.toContain(rest[0]);
  });

  it('sends the same bytes each time, in frames of any size', () => {
    const sizes = fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.nat(3000) },
        { weight: 1, arbitrary: fc.integer({ min: 30_000, max: 70_000 }) },
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1000, max: 20_000 }), (lengths, room) => {
        const items = lengths.map((size, i) => itemOf(i, size));
        const expected = decodeUtf8(drainChunks(listChunks({ head, items, prefix })));
        for (let i = 0; i < 4; i++)
          expect(readFrames(repeatableListChunks({ head, items, prefix }), room)).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps nothing of a list that is not read to its end, or that omits another prefix', () => {
    const items = Array.from({ length: 100 }, (_, i) => itemOf(i, 1000));
    repeatableListChunks({ head, items, prefix });
    const stopped = repeatableListChunks({ head, items, prefix });
    stopped.next();
    stopped.next();
    const expected = decodeUtf8(drainChunks(listChunks({ head, items, prefix })));
    const whole = new Uint8Array(0);
    for (let i = 0; i < 3; i++) {
      expect(decodeUtf8(drainChunks(repeatableListChunks({ head, items, prefix })))).toBe(expected);
      expect(decodeUtf8(drainChunks(repeatableListChunks({ head, items, prefix: whole })))).toBe(
        decodeUtf8(drainChunks(listChunks({ head, items, prefix: whole }))),
      );
    }
  });

  it('does not keep more than 32 MiB', () => {
    const large = encodeUtf8(`{"data":"${'x'.repeat(1_000_000)}"}`);
    const items = Array.from({ length: 40 }, () => large);
    for (let i = 0; i < 3; i++) {
      const chunks = [...iterateChunks(repeatableListChunks({ head, items, prefix }))];
      expect(chunks.length).toBe(81);
    }
    expect(repeatableListChunks({ head, items, prefix }).size).toBeUndefined();
  });
});
