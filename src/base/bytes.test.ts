import { describe, expect, it } from 'vitest';
import {
  allocateBytes,
  concatBytes,
  copyBytes,
  decodeUtf8,
  decodeUtf8Strict,
  encodeUtf8,
  encodeUtf8Around,
  equalBytes,
} from './bytes.ts';

describe('bytes', () => {
  it('have memory of their own', () => {
    for (const bytes of [
      allocateBytes(10),
      encodeUtf8('hello'),
      concatBytes([encodeUtf8('a'), encodeUtf8('b')]),
      copyBytes(Buffer.from('x')),
    ]) {
      expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
    }
  });

  it('carry any text', () => {
    for (const text of ['', 'plain', 'größe 🚢 名', '\u0000']) expect(decodeUtf8(encodeUtf8(text))).toBe(text);
    expect(decodeUtf8(encodeUtf8('\ud800'))).toBe('\ufffd');
  });

  it('stand between two texts', () => {
    for (const [before, between, after] of [
      ['', '', ''],
      ['a', 'b', 'c'],
      ['größe', '名', '🚢'],
      ['plain', '', 'größe'],
    ] as const) {
      const bytes = encodeUtf8Around(before, encodeUtf8(between), after);
      expect(decodeUtf8(bytes)).toBe(`${before}${between}${after}`);
      expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
    }
  });

  it('keep a byte order mark', () => {
    expect(decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toBe('\ufeffa');
  });

  it('tell malformed UTF-8', () => {
    expect(decodeUtf8Strict(new Uint8Array([0xff]))).toBeUndefined();
    expect(decodeUtf8Strict(encodeUtf8('ok'))).toBe('ok');
  });

  it('compare by content', () => {
    expect(equalBytes(encodeUtf8('abc'), encodeUtf8('abc'))).toBe(true);
    expect(equalBytes(encodeUtf8('abc'), encodeUtf8('abd'))).toBe(false);
    expect(equalBytes(encodeUtf8('abc'), encodeUtf8('ab'))).toBe(false);
  });
});
