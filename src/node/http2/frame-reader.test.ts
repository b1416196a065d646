import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader } from './frame-reader.ts';
import { FRAME_LIMIT, writeFrameHead } from './frames.ts';

const END_STREAM = 1;
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

interface Sent {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

function wire({ type, flags, stream, payload }: Sent): Buffer {
  const bytes = Buffer.alloc(9 + payload.length);
  writeFrameHead(bytes, 0, payload.length, type, flags, stream);
  bytes.set(payload, 9);
  return bytes;
}

/** Collects the frames of a reader and stops after `most` of them. */
function collect(most = Number.POSITIVE_INFINITY): { readonly seen: string[]; readonly reader: FrameReader } {
  const seen: string[] = [];
  const reader = new FrameReader({
    frame(type, flags, stream, bytes, start, end) {
      seen.push(`${type} ${flags} ${stream} ${bytes.subarray(start, end).toString('hex')}`);
      return seen.length < most;
    },
    unreadable: (problem) => seen.push(problem),
  });
  return { seen, reader };
}

function show({ type, flags, stream, payload }: Sent): string {
  return `${type} ${flags} ${stream} ${Buffer.from(payload).toString('hex')}`;
}

const frame = fc.record({
  type: fc.nat(255),
  flags: fc.nat(255),
  stream: fc.nat(0x7fff_ffff),
  payload: fc.oneof(
    { weight: 20, arbitrary: fc.uint8Array({ maxLength: 60 }) },
    { weight: 1, arbitrary: fc.constantFrom(new Uint8Array(FRAME_LIMIT - 1), new Uint8Array(FRAME_LIMIT)) },
  ),
});

describe('frames', () => {
  it('are the same for every split of their bytes', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), fc.array(fc.nat(40_000), { maxLength: 30 }), (frames, cuts) => {
        const bytes = Buffer.concat([PREFACE, ...frames.map(wire)]);
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const { seen, reader } = collect();
        for (let i = 1; i < places.length; i++) reader.read(Buffer.from(bytes.subarray(places[i - 1], places[i])));
        expect(seen).toEqual(frames.map(show));
      }),
      { numRuns: 300, seed: 3 },
    );
  });

  it('of a server are the same for every split, with DATA in parts of which the last one ends the stream', () => {
    const fromServer = fc.array(
      frame.map((one) => ({ ...one, type: one.type % 3 })),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(fromServer, fc.array(fc.nat(40_000), { maxLength: 30 }), (frames, cuts) => {
        const bytes = Buffer.concat(frames.map(wire));
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const seen: Sent[] = [];
        let isOpen = false;
        const reader = new FrameReader(
          {
            frame(type, flags, stream, from, start, end) {
              const payload = from.subarray(start, end);
              const last = seen.at(-1);
              if (isOpen && last !== undefined)
                seen[seen.length - 1] = { ...last, flags, payload: Buffer.concat([last.payload, payload]) };
              else seen.push({ type, flags, stream, payload });
              const whole = frames[seen.length - 1] as Sent;
              isOpen = (seen.at(-1) as Sent).payload.length < whole.payload.length;
              if (isOpen) expect([type, flags & END_STREAM]).toEqual([0, 0]);
              return true;
            },
            unreadable: (problem) => expect(problem).toBe('nothing'),
          },
          'server',
        );
        for (let i = 1; i < places.length; i++) reader.read(Buffer.from(bytes.subarray(places[i - 1], places[i])));
        expect(seen.map(show)).toEqual(frames.map(show));
      }),
      { numRuns: 300, seed: 4 },
    );
  });

  it('are the same byte by byte, and a frame that was passed on is never overwritten', () => {
    const frames = Array.from({ length: 20 }, (_, i) => ({
      type: i,
      flags: i,
      stream: i,
      payload: new Uint8Array(i * 7).fill(i),
    }));
    const kept: Buffer[] = [];
    const reader = new FrameReader({
      frame: (_type, _flags, _stream, bytes, start, end) => kept.push(bytes.subarray(start, end)) > 0,
      unreadable: (problem) => expect(problem).toBe('nothing'),
    });
    for (const byte of Buffer.concat([PREFACE, ...frames.map(wire)])) reader.read(Buffer.from([byte]));
    expect(kept.map((payload) => [...payload])).toEqual(frames.map(({ payload }) => [...payload]));
  });

  it('are not read after a wrong preface, at any position', () => {
    for (const at of [0, 5, 23]) {
      const bytes = Buffer.concat([PREFACE, wire({ type: 4, flags: 0, stream: 0, payload: new Uint8Array(0) })]);
      bytes[at] = 0x7a;
      const { seen, reader } = collect();
      for (const byte of bytes) reader.read(Buffer.from([byte]));
      expect(seen).toEqual(['preface']);
    }
  });

  it('are not read after one that is too large, in one piece or in several', () => {
    const good = wire({ type: 6, flags: 0, stream: 0, payload: new Uint8Array(8) });
    const large = Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1, ...new Uint8Array(40)]);
    const bytes = Buffer.concat([PREFACE, good, large, good]);
    for (const step of [1, 2, 7, 9, 30, bytes.length]) {
      const { seen, reader } = collect();
      for (let at = 0; at < bytes.length; at += step) reader.read(bytes.subarray(at, at + step));
      expect(seen).toEqual([expect.stringMatching(/^6 0 0/), 'frame-size']);
    }
  });

  it('are not passed on after the consumer stopped reading', () => {
    const ping = wire({ type: 6, flags: 0, stream: 0, payload: new Uint8Array(8) });
    for (const step of [1, 17, 1_000]) {
      const bytes = Buffer.concat([PREFACE, ping, ping, ping]);
      const { seen, reader } = collect(2);
      for (let at = 0; at < bytes.length; at += step) reader.read(bytes.subarray(at, at + step));
      expect(seen).toHaveLength(2);
    }
  });

  it('ignore the reserved bit of the stream number', () => {
    const { seen, reader } = collect();
    reader.read(Buffer.concat([PREFACE, Buffer.from([0, 0, 0, 4, 0, 0xff, 0xff, 0xff, 0xff])]));
    expect(seen).toEqual([`4 0 ${0x7fff_ffff} `]);
  });
});
