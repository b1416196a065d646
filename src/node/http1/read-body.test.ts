import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BodyResult } from '../../server/http/exchange.ts';
import { BodyReader, declaredLength } from './read-body.ts';

describe('reading a body', () => {
  it('joins the pieces in a buffer of their exact size, or reports that they are too large', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.boolean(), fc.integer({ min: 0, max: 12_000 }), async (parts, declare, limit) => {
        const source = new PassThrough();
        const whole = Buffer.concat(parts);
        if (declare && whole.length > limit) return;
        const result = new Promise<BodyResult>((resolve) => {
          new BodyReader(source, declare ? whole.length : -1, limit, resolve).start();
        });
        for (const part of parts) source.write(part);
        source.end();
        const got = await result;
        expect(source.listenerCount('data')).toBe(0);
        if (whole.length > limit) expect(got).toEqual({ outcome: 'too-large' });
        else {
          expect(got.outcome).toBe('ok');
          const { bytes } = got as Extract<BodyResult, { outcome: 'ok' }>;
          expect(whole.equals(bytes)).toBe(true);
          expect(bytes.buffer.byteLength).toBe(whole.length);
        }
      }),
      { numRuns: 300, seed: 4 },
    );
  });

  it('is aborted when the pieces do not add up to the declared length', async () => {
    for (const text of ['ab', 'abcd']) {
      const source = new PassThrough();
      const result = new Promise<BodyResult>((resolve) => {
        new BodyReader(source, 3, 10, resolve).start();
      });
      source.end(text);
      expect(await result).toEqual({ outcome: 'aborted' });
    }
  });

  it('accepts only digits as a length', () => {
    expect([undefined, '', '5', '-5', '1e3', '0x10', '9'.repeat(20)].map(declaredLength)).toEqual([
      -1, -1, 5, -1, -1, -1, -1,
    ]);
  });
});
