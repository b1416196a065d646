import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, copyBytes, decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { type FrameDecoder, type FramingError, JsonFrameDecoder, LengthDelimitedDecoder } from './framing.ts';

/** Feeds the stream in pieces of the given sizes, in turn. */
function decode(decoder: FrameDecoder, stream: Uint8Array, sizes: readonly number[]): Uint8Array[] | FramingError {
  const frames: Uint8Array[] = [];
  for (let at = 0, i = 0; at < stream.byteLength; i++) {
    const size = sizes[i % sizes.length] as number;
    const chunk = copyBytes(stream.subarray(at, at + size));
    const result = decoder.push(chunk);
    if (!result.ok) return result.error;
    frames.push(...result.frames.map(copyBytes));
    chunk.fill(0);
    at += size;
  }
  const last = decoder.end();
  return last.ok ? frames : last.error;
}

function framed(body: Uint8Array): Uint8Array {
  return concatBytes([new Uint8Array([0, 0, body.byteLength >> 8, body.byteLength & 0xff]), body]);
}

const chunkSizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe('JSON framing', () => {
  it('finds objects across chunk boundaries, newlines or not', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.json().map((t) => `{"a":${t}}`),
          { maxLength: 6 },
        ),
        fc.constantFrom('', '\n', ' \r\n'),
        chunkSizes,
        (texts, gap, sizes) => {
          const stream = encodeUtf8(texts.map((t) => t + gap).join(''));
          const frames = decode(new JsonFrameDecoder(), stream, sizes);
          expect(Array.isArray(frames) ? frames.map(decodeUtf8) : frames).toEqual(texts);
        },
      ),
      { seed: 41, numRuns: 200 },
    );
  });

  it('bounds a frame, refuses junk between frames and an end inside one', () => {
    const small = { maxFrameBytes: 10 };
    const tooLarge = 'object to decode was longer than maximum allowed size';
    expect(decode(new JsonFrameDecoder(small), encodeUtf8('{"aaaaaaaaaaaa":1}'), [3])).toMatchObject({
      message: tooLarge,
    });
    expect(decode(new JsonFrameDecoder(small), encodeUtf8('{"aaaaaaaaaaaa":1}'), [99])).toMatchObject({
      message: tooLarge,
    });
    expect(decode(new JsonFrameDecoder(small), encodeUtf8('{"a":1}\n{"b":22}\n'), [2])).toHaveLength(2);
    expect(decode(new JsonFrameDecoder(), encodeUtf8('{} x'), [1])).toEqual({
      message: "invalid character 'x' looking for beginning of value",
      offset: 3,
    });
    expect(decode(new JsonFrameDecoder(), encodeUtf8('{"a":"}"'), [2])).toEqual({
      message: 'unexpected EOF',
      offset: 8,
    });
  });
});

describe('length-delimited framing', () => {
  it('returns the framed values, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 6 }), chunkSizes, (bodies, sizes) => {
        const frames = decode(new LengthDelimitedDecoder(), concatBytes(bodies.map(framed)), sizes);
        expect(Array.isArray(frames) ? frames.map((f) => [...f]) : frames).toEqual(bodies.map((b) => [...b]));
      }),
      { seed: 42, numRuns: 200 },
    );
  });

  it('refuses a length beyond the bound before the body comes, and an end inside a frame', () => {
    expect(decode(new LengthDelimitedDecoder({ maxFrameBytes: 9 }), new Uint8Array([0, 0, 0, 10]), [1])).toEqual({
      message: 'object to decode was longer than maximum allowed size',
      offset: 4,
    });
    expect(decode(new LengthDelimitedDecoder(), new Uint8Array([0, 0, 0, 2, 1]), [5])).toMatchObject({
      message: 'unexpected EOF',
    });
    expect(decode(new LengthDelimitedDecoder(), new Uint8Array([0, 0]), [5])).toMatchObject({
      message: 'unexpected EOF',
    });
  });
});
