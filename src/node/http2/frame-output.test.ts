import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { Flusher } from './flusher.ts';
import { FrameOutput, type Written } from './frame-output.ts';

const step = fc.oneof(
  fc.record({ kind: fc.constant('bytes' as const), size: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ kind: fc.constant('headers' as const), size: fc.integer({ min: 0, max: 40_000 }) }),
  fc.record({ kind: fc.constant('data' as const), size: fc.integer({ min: 0, max: 16_384 }) }),
  fc.record({ kind: fc.constant('dropped' as const), size: fc.integer({ min: 0, max: 16_384 }) }),
  fc.record({ kind: fc.constant('expect' as const), size: fc.integer({ min: 1, max: 150_000 }) }),
  fc.record({ kind: fc.constant('take' as const), size: fc.constant(0) }),
  fc.record({ kind: fc.constant('release' as const), size: fc.nat(1_000) }),
);

describe('the frame output', () => {
  it('returns what was written, and does not overwrite it before it is released', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
        const output = new FrameOutput();
        const held: { written: Written; bytes: Buffer }[] = [];
        let expected = 0;
        let fill = 0;
        const check = ({ written, bytes }: (typeof held)[number]): void =>
          expect(Buffer.concat(written.pieces).equals(bytes)).toBe(true);
        for (const { kind, size } of steps) {
          const bytes = new Uint8Array(size).fill(++fill % 251);
          if (kind === 'bytes') output.bytes(bytes);
          else if (kind === 'headers') output.headers(1, bytes, false);
          else if (kind === 'expect') output.expect(size);
          else if (kind === 'data' || kind === 'dropped') {
            output.beginData(size);
            output.data(bytes, 0, size);
            if (kind === 'data') output.endData(1, size, false);
            else output.dropData();
          }
          if (kind === 'bytes') expected += size;
          else if (kind === 'headers') expected += size + 9 * Math.max(1, Math.ceil(size / 16_384));
          else if (kind === 'data') expected += size + 9;
          expect(output.size).toBe(expected);
          if (kind === 'take') {
            const written = output.take();
            expect(written?.size ?? 0).toBe(expected);
            expected = 0;
            if (written !== undefined) held.push({ written, bytes: Buffer.concat(written.pieces) });
          } else if (kind === 'release' && held.length > 0) {
            const [one] = held.splice(size % held.length, 1);
            check(one!);
            output.release(one!.written);
          }
        }
        for (const one of held) check(one);
      }),
      { numRuns: 200, seed: 8 },
    );
  });
});

describe('the flusher', () => {
  it('flushes every connection once, also after one that throws', async () => {
    const flusher = new Flusher();
    const seen: string[] = [];
    const last = new Deferred<void>();
    const thrown = new Deferred<unknown>();
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', (error) => thrown.resolve(error));
    flusher.add({ flush: () => seen.push('first') });
    flusher.add({
      flush: () => {
        throw new Error('broken');
      },
    });
    flusher.add({ flush: () => seen.push('third') });
    flusher.add({ flush: () => last.resolve() });
    expect(await thrown.promise).toMatchObject({ message: 'broken' });
    await last.promise;
    for (const listener of others) process.on('uncaughtException', listener);
    expect(seen).toEqual(['first', 'third']);
  });
});
