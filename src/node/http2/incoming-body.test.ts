import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BodyResult } from '../../server/http/exchange.ts';
import { IncomingBody } from './incoming-body.ts';

const WINDOW = 256 * 1024;
const never = (): void => {
  throw new Error('not expected to wait');
};

function bytesOf(result: BodyResult): Buffer {
  expect(result.outcome).toBe('ok');
  return Buffer.from((result as Extract<BodyResult, { outcome: 'ok' }>).bytes);
}

describe('a body', () => {
  it('consists of its pieces, at whatever time it is read', async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 6_000 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.nat(13), fc.boolean(), async (parts, readAt, declare) => {
        const whole = Buffer.concat(parts);
        const body = new IncomingBody(declare ? whole.length : -1);
        let result: BodyResult | Promise<BodyResult> | undefined;
        let waits = 0;
        const read = (): void => {
          result = body.read(1_000_000, () => waits++);
        };
        for (const [i, part] of parts.entries()) {
          if (i === readAt) read();
          expect(body.push(Uint8Array.from(part), WINDOW)).toBe(true);
        }
        const early = result !== undefined;
        expect(body.end()).toBe(true);
        if (!early) read();
        expect(waits).toBe(early ? 1 : 0);
        expect(bytesOf(await result!).equals(whole)).toBe(true);
        if (parts.length > 1) expect(bytesLength(await result!)).toBe(whole.length);
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  it('is not copied if it arrived in one piece', () => {
    const piece = Buffer.from('abc');
    const body = new IncomingBody(-1);
    body.push(piece, WINDOW);
    body.end();
    const result = body.read(3, never) as Extract<BodyResult, { outcome: 'ok' }>;
    expect(result.bytes).toBe(piece);
  });

  it('is too large by its declared length, by the bytes received, or by later ones', async () => {
    expect(new IncomingBody(11).read(10, never)).toEqual({ outcome: 'too-large' });
    const there = new IncomingBody(-1);
    there.push(Buffer.alloc(6), WINDOW);
    there.push(Buffer.alloc(5), WINDOW);
    expect(there.read(10, never)).toEqual({ outcome: 'too-large' });
    const coming = new IncomingBody(-1);
    coming.push(Buffer.alloc(6), WINDOW);
    const result = coming.read(10, () => {});
    expect(coming.push(Buffer.alloc(5), WINDOW)).toBe(true);
    expect(await result).toEqual({ outcome: 'too-large' });
    // The rest is dropped and has no effect.
    for (let i = 0; i < 100; i++) expect(coming.push(Buffer.alloc(10_000), WINDOW)).toBe(true);
    expect(coming.end()).toBe(true);
  });

  it('is rejected if it is longer or shorter than declared', async () => {
    const long = new IncomingBody(3);
    expect(long.push(Buffer.alloc(2), WINDOW)).toBe(true);
    expect(long.push(Buffer.alloc(2), WINDOW)).toBe(false);
    const short = new IncomingBody(3);
    const result = short.read(10, () => {});
    short.push(Buffer.alloc(2), WINDOW);
    expect(short.end()).toBe(false);
    short.abort();
    expect(await result).toEqual({ outcome: 'aborted' });
    expect(new IncomingBody(0).end()).toBe(true);
  });

  it('is aborted for a waiting reader and for a later one', async () => {
    const body = new IncomingBody(-1);
    const waiting = body.read(10, () => {});
    body.abort();
    body.abort();
    expect(await waiting).toEqual({ outcome: 'aborted' });
    expect(body.read(10, never)).toEqual({ outcome: 'aborted' });
  });

  it('is counted to its end when discarded, and a waiting reader is aborted', async () => {
    const body = new IncomingBody(10);
    const waiting = body.read(10, () => {});
    body.push(Buffer.alloc(3), WINDOW);
    expect(body.skip(4)).toBe(true);
    expect(await waiting).toEqual({ outcome: 'aborted' });
    expect(body.skip(3)).toBe(true);
    expect(body.end()).toBe(true);
    expect(body.skip(1)).toBe(false);
    const short = new IncomingBody(10);
    short.skip(9);
    expect([short.end(), short.read(10, never)]).toEqual([false, { outcome: 'aborted' }]);
    expect(new IncomingBody(-1).skip(1_000_000)).toBe(true);
  });

  it('is empty without pieces', async () => {
    const body = new IncomingBody(-1);
    const waiting = body.read(10, () => {});
    body.end();
    expect(bytesOf(await waiting).length).toBe(0);
    const ended = new IncomingBody(0);
    ended.end();
    expect(bytesOf(ended.read(0, never) as BodyResult).length).toBe(0);
  });
});

function bytesLength(result: BodyResult): number {
  return (result as Extract<BodyResult, { outcome: 'ok' }>).bytes.buffer.byteLength;
}
