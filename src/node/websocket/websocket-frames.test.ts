import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader, frameHead, OPCODE } from './websocket-frames.ts';

type Event = readonly [kind: string, detail: string | number];

function reader(limit: number): { readonly events: Event[]; push(chunk: Uint8Array): void } {
  const events: Event[] = [];
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  const frames = new FrameReader(limit, {
    message: (bytes) => events.push(['message', hex(bytes)]),
    ping: (bytes) => events.push(['ping', hex(bytes)]),
    close: (code) => events.push(['close', code]),
    broken: (code) => events.push(['broken', code]),
  });
  return { events, push: (chunk) => frames.push(chunk) };
}

/** A frame head with the mask bit and a mask. */
function masked(first: number, payload: Uint8Array, mask: Uint8Array): Buffer {
  const head = Buffer.from(frameHead(0, payload.byteLength));
  head[0] = first;
  head[1]! |= 0x80;
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ mask[i & 3]!)]);
}

const mask = fc.uint8Array({ minLength: 4, maxLength: 4 });

describe('the frame reader', () => {
  it('returns every message, for all fragmentations and splits of the bytes', () => {
    const message = fc.record({
      parts: fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 5 }),
      mask,
      ping: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.integer({ min: 1, max: 200 }), (messages, step) => {
        const wire: Buffer[] = [];
        const expected: Event[] = [];
        for (const { parts, mask: key, ping } of messages) {
          parts.forEach((part, i) => {
            const last = i === parts.length - 1 ? 0x80 : 0;
            wire.push(masked(last | (i === 0 ? OPCODE.binary : OPCODE.continuation), part, key));
            if (ping) {
              wire.push(masked(0x80 | OPCODE.ping, part.subarray(0, 125), key));
              if (!last) expected.push(['ping', Buffer.from(part.subarray(0, 125)).toString('hex')]);
            }
          });
          expected.push(['message', Buffer.concat(parts).toString('hex')]);
          const end = parts.at(-1)!.subarray(0, 125);
          if (ping) expected.push(['ping', Buffer.from(end).toString('hex')]);
        }
        const all = Buffer.concat(wire);
        const target = reader(10_000);
        for (let at = 0; at < all.length; at += step) target.push(all.subarray(at, at + step));
        expect(target.events).toEqual(expected);
      }),
      { numRuns: 300, seed: 6455 },
    );
  });

  it('never throws, and reports nothing after an error or a close', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), (chunks) => {
        const target = reader(1000);
        for (const chunk of chunks) target.push(chunk);
        const end = target.events.findIndex(([kind]) => kind === 'broken' || kind === 'close');
        expect(end === -1 || end === target.events.length - 1).toBe(true);
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('rejects a length above the limit before it allocates memory', () => {
    const target = reader(1000);
    target.push(Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]));
    expect(target.events).toEqual([['broken', 1009]]);
  });
});
