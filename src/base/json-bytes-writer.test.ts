import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from './bytes.ts';
import { JsonBytesWriter } from './json-bytes-writer.ts';

describe('the writer of JSON bytes', () => {
  it('writes plain strings and leaves others to writeJson', () => {
    const writer = new JsonBytesWriter();
    for (const text of ['', 'plain text', '~\x7f']) {
      const bytes = encodeUtf8(text);
      expect(writer.plainString(bytes, 0, bytes.byteLength)).toBe(true);
      expect(decodeUtf8(writer.finish())).toBe(JSON.stringify(text));
    }
    for (const text of ['"', '\\', '\n', '\x1f', '<', '>', '&', 'é']) {
      const bytes = encodeUtf8(text);
      expect(writer.plainString(bytes, 0, bytes.byteLength)).toBe(false);
      expect(writer.length).toBe(0);
    }
  });

  it('writes integers, grows, and takes back what was written', () => {
    const writer = new JsonBytesWriter();
    const long = 'x'.repeat(10_000);
    writer.value(long);
    writer.byte(0x2c);
    const mark = writer.length;
    writer.integer(17);
    writer.length = mark;
    for (const value of [0, 9, 10, 127, 2_147_483_647]) {
      writer.integer(value);
      writer.byte(0x2c);
    }
    expect(decodeUtf8(writer.finish())).toBe(`"${long}",0,9,10,127,2147483647,`);
    expect(writer.length).toBe(0);
  });
});
