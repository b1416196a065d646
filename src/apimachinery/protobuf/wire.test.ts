import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BYTES, FIXED32, FIXED64, VARINT, WireReader, WireWriter } from './wire.ts';

function written(write: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter(1 << 20);
  write(writer);
  return writer.finish();
}

describe('a varint', () => {
  it.each<[number | bigint, number[]]>([
    [0, [0]],
    [127, [0x7f]],
    [128, [0x80, 1]],
    [300, [0xac, 2]],
    [2 ** 32, [0x80, 0x80, 0x80, 0x80, 0x10]],
    [2 ** 53 - 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    [-1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]],
    [9_223_372_036_854_775_807n, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
  ])('of %s has its bytes', (value, bytes) => {
    expect([...written((writer) => writer.writeVarint(value))]).toEqual(bytes);
  });

  it('reads back every int64, exact', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const exact = Number.isSafeInteger(Number(value)) ? Number(value) : value;
        const reader = new WireReader(written((writer) => writer.writeVarint(exact)));
        expect(reader.readVarint(reader.bytes.length)).toBe(true);
        expect(reader.toInt64()).toBe(exact);
        expect(reader.pos).toBe(reader.bytes.length);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('is refused when it does not end, or ends beyond 64 bits', () => {
    const cut = new WireReader(Uint8Array.of(0x80, 0x80));
    expect(cut.readVarint(2)).toBe(false);
    expect(cut.error).toEqual({ message: 'unexpected EOF', offset: 2 });
    const long = new WireReader(new Uint8Array(11).fill(0x80), 0, 100);
    expect(long.readVarint(11)).toBe(false);
    expect(long.error).toEqual({ message: 'proto: integer overflow', offset: 100 });
  });

  it('beyond int64 is a double, as JSON values have it', () => {
    const reader = new WireReader(written((writer) => writer.writeVarint(2n ** 64n - 1n)));
    reader.readVarint(10);
    expect(reader.toUint64()).toBe(2 ** 64);
    expect(reader.toInt64()).toBe(-1);
  });
});

const codePoint: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0x80, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
);

describe('other values', () => {
  it('read back as they were written', () => {
    const bytes = written((writer) => {
      writer.writeDouble(-1.5e300);
      writer.writeTag(2, FIXED64);
      writer.writeFloat(0.25);
      writer.writeTag(1, FIXED32);
    });
    expect([...bytes.subarray(0, 5)]).toEqual([0x0d, 0, 0, 0x80, 0x3e]);
    const reader = new WireReader(bytes);
    expect(reader.readTag(bytes.length) && reader.readFixed32(bytes.length) && reader.toFloat()).toBe(0.25);
    expect(reader.readTag(bytes.length) && reader.readFixed64(bytes.length) && reader.toDouble()).toBe(-1.5e300);
  });

  it('keep every text, lone surrogates aside', () => {
    fc.assert(
      fc.property(fc.array(codePoint, { maxLength: 60 }), (points) => {
        const text = String.fromCodePoint(...points);
        const reader = new WireReader(written((writer) => writer.writeText(text)));
        expect(reader.takeText(reader.bytes.length)).toBe(text);
      }),
      { seed: 2, numRuns: 300 },
    );
    const lone = new WireReader(written((writer) => writer.writeText('a\ud800b')));
    expect(lone.takeText(lone.bytes.length)).toBe('a\ufffdb');
  });

  it('replace malformed UTF-8 byte by byte', () => {
    const reader = new WireReader(Uint8Array.of(0x61, 0xe2, 0x82, 0x62));
    expect(reader.takeText(4)).toBe('a\ufffd\ufffdb');
  });
});

describe('a reader', () => {
  it('keeps its first failure and stands at the end', () => {
    const reader = new WireReader(Uint8Array.of(0x0a, 0x05, 1));
    expect(reader.readTag(3)).toBe(true);
    expect(reader.readLength(3)).toBe(-1);
    reader.fail('later');
    expect(reader.error).toEqual({ message: 'unexpected EOF', offset: 1 });
    expect(reader.pos).toBe(3);
  });

  it('distinguishes a negative length from one that is too long', () => {
    const reader = new WireReader(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01));
    expect(reader.readLength(10)).toBe(-1);
    expect(reader.error?.message).toBe('proto: negative length found during unmarshaling');
  });

  it.each<[string, number[]]>([
    ['illegal field number 0', [0x00]],
    ['illegal field number -1', [0xf8, 0xff, 0xff, 0xff, 0x7f]],
    ['the end of a group that was not begun', [0x0c]],
  ])('refuses a tag: %s', (message, bytes) => {
    const reader = new WireReader(Uint8Array.from(bytes));
    expect(reader.readTag(bytes.length)).toBe(false);
    expect(reader.error).toEqual({ message, offset: 0 });
  });

  it('passes over unknown values, groups in groups included', () => {
    const values = [
      [0x08, 0x96, 0x01],
      [0x09, 1, 2, 3, 4, 5, 6, 7, 8],
      [0x0a, 2, 1, 1],
      [0x0d, 1, 2, 3, 4],
      [0x0b, 0x13, 0x08, 1, 0x14, 0x0a, 1, 9, 0x0c],
    ];
    for (const value of values) {
      const reader = new WireReader(Uint8Array.from(value));
      expect(reader.readTag(value.length) && reader.skip(value.length)).toBe(true);
      expect(reader.pos).toBe(value.length);
      for (let cut = 1; cut < value.length; cut++) {
        const short = new WireReader(Uint8Array.from(value.slice(0, cut)));
        expect(short.readTag(cut) && short.skip(cut), `${value} cut at ${cut}`).toBe(false);
      }
    }
    const odd = new WireReader(Uint8Array.of(0x0f, 1));
    expect(odd.readTag(2) && odd.skip(2)).toBe(false);
    expect(odd.error?.message).toBe('proto: illegal wireType 7');
  });

  it('passes over a deep nest of groups without a deep stack', () => {
    const bytes = new Uint8Array(200_000).fill(0x0b, 0, 100_000).fill(0x0c, 100_000);
    const reader = new WireReader(bytes);
    expect(reader.readTag(bytes.length) && reader.skip(bytes.length)).toBe(true);
  });
});

describe('a writer', () => {
  it('grows as needed and stops at its limit', () => {
    const writer = new WireWriter(3000);
    for (let i = 0; i < 3000; i++) writer.writeByte(i & 0xff);
    expect(writer.full).toBe(false);
    writer.writeByte(0);
    expect(writer.full).toBe(true);
    expect(writer.size).toBe(3000);
    expect(writer.finish()[0]).toBe(2999 & 0xff);
  });

  it('shares its buffer with no other writer before it has finished', () => {
    const first = new WireWriter(1 << 20);
    first.writeText('first');
    const second = new WireWriter(1 << 20);
    second.writeText('second');
    const bytes = first.finish();
    const third = new WireWriter(1 << 20);
    third.writeText('the third text, which is longer than the others and not ASCII: \u00e9\ud800');
    expect([bytes, second.finish(), third.finish()].map((each) => Buffer.from(each).toString())).toEqual([
      'first',
      'second',
      'the third text, which is longer than the others and not ASCII: \u00e9\ufffd',
    ]);
    expect(first.size).toBe(0);
  });

  it('shares the rest of its buffer after a view of it, which no later writer changes', () => {
    const texts = Array.from({ length: 40 }, (_, i) => `text ${i} ${'x'.repeat(i * 100)}`);
    const views = texts.map((text, i) => {
      const writer = new WireWriter(1 << 20);
      writer.writeText(text);
      // Others copy, and need more than the rest of the buffer.
      const other = new WireWriter(1 << 20);
      for (let byte = 0; byte < i * 200; byte++) other.writeByte(0);
      other.finish();
      return writer.finishView();
    });
    expect(views.map((view) => Buffer.from(view).toString())).toEqual(texts);
    expect(views[0]?.buffer).toBe(views[1]?.buffer);
  });

  it('puts a length and a tag before the bytes written since a mark', () => {
    const bytes = written((writer) => {
      const mark = writer.size;
      writer.writeText('hi');
      writer.closeField(5, mark);
    });
    expect([...bytes]).toEqual([(5 << 3) | BYTES, 2, 0x68, 0x69]);
    expect([...written((writer) => writer.writeTag(16, VARINT))]).toEqual([0x80, 0x01]);
  });
});
