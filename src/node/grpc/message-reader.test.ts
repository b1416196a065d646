import { describe, expect, it } from 'vitest';
import { MessageReader, wholeMessage } from './message-reader.ts';

function framed(...messages: readonly string[]): Uint8Array {
  return Buffer.concat(
    messages.map((message) => {
      const head = Buffer.alloc(5);
      head.writeUInt32BE(message.length, 1);
      return Buffer.concat([head, Buffer.from(message)]);
    }),
  );
}

function read(bytes: Uint8Array, size: number): string[] {
  const found: string[] = [];
  const reader = new MessageReader((message) => found.push(Buffer.from(message).toString()));
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return found;
}

describe('the reader of gRPC messages', () => {
  it('reads messages in pieces of any size', () => {
    const messages = ['one', '', 'x'.repeat(70_000), 'last'];
    const bytes = framed(...messages);
    for (const size of [1, 2, 3, 4, 5, 6, 7, 11, 16_384, bytes.length]) expect(read(bytes, size)).toEqual(messages);
  });

  it('does not copy a message that arrives in one piece', () => {
    const bytes = framed('abc', 'def');
    const buffers: ArrayBufferLike[] = [];
    new MessageReader((message) => buffers.push(message.buffer)).push(bytes);
    expect(buffers).toEqual([bytes.buffer, bytes.buffer]);
  });

  it('refuses messages above its limit before they have arrived', () => {
    const reader = new MessageReader(() => {}, 10);
    reader.push(framed('x'.repeat(10)));
    expect(() => reader.push(framed('x'.repeat(11)).subarray(0, 5))).toThrow('11 bytes, at most 10');
  });

  it('refuses compressed messages', () => {
    const bytes = framed('abc');
    bytes[0] = 1;
    expect(() => read(bytes, bytes.length)).toThrow('compressed');
  });

  it('knows a chunk that is exactly one message', () => {
    const one = framed('one');
    expect(Buffer.from(wholeMessage(one)!).toString()).toBe('one');
    expect(wholeMessage(framed(''))).toHaveLength(0);
    expect(wholeMessage(one, 2)).toBeUndefined();
    expect(wholeMessage(framed('one', 'two'))).toBeUndefined();
    for (let size = 0; size < one.length; size++) expect(wholeMessage(one.subarray(0, size))).toBeUndefined();
    const compressed = Uint8Array.from(one);
    compressed[0] = 1;
    expect(wholeMessage(compressed)).toBeUndefined();
  });
});
