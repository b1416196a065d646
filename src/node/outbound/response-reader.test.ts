import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../../base/bytes.ts';
import { ResponseReader } from './response-reader.ts';

/** Pushes a response in pieces of a size. Returns what was read when it is complete, or after the end. */
function read(text: string, size: number, limit = 1000): { status: number; body: string; keeps: boolean } | undefined {
  const reader = new ResponseReader(limit);
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.byteLength; at += size)
    if (reader.push(bytes.subarray(at, at + size))) return resultOf(reader);
  return reader.end() ? resultOf(reader) : undefined;
}

function resultOf(reader: ResponseReader): { status: number; body: string; keeps: boolean } {
  return { status: reader.status, body: decodeUtf8(reader.body()), keeps: reader.keepsConnection };
}

const OK = 'HTTP/1.1 200 OK\r\n';

describe('ResponseReader', () => {
  it.each<[string, string, { status: number; body: string; keeps: boolean }]>([
    ['a length', `${OK}Content-Length: 5\r\n\r\nhello`, { status: 200, body: 'hello', keeps: true }],
    ['an empty body', `${OK}content-length: 0\r\n\r\n`, { status: 200, body: '', keeps: true }],
    ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, body: '', keeps: true }],
    [
      'chunks, extensions and trailers',
      `${OK}Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nx: y\r\n\r\n`,
      { status: 200, body: 'hello', keeps: true },
    ],
    ['the end of the connection', `${OK}\r\nhello`, { status: 200, body: 'hello', keeps: false }],
    [
      'connection: close',
      `${OK}Connection: close\r\nContent-Length: 1\r\n\r\nx`,
      { status: 200, body: 'x', keeps: false },
    ],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx', { status: 200, body: 'x', keeps: false }],
    [
      'an interim response',
      `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}content-length: 1\r\n\r\nx`,
      { status: 200, body: 'x', keeps: true },
    ],
  ])('reads a response with %s, in pieces of any size', (_title, text, expected) => {
    for (const size of [1, 2, 7, 1000]) expect(read(text, size)).toEqual(expected);
  });

  it('does not keep a connection with bytes after the response', () => {
    expect(read(`${OK}content-length: 1\r\n\r\nxy`, 1000)?.keeps).toBe(false);
    expect(read(`${OK}transfer-encoding: chunked\r\n\r\n0\r\n\r\ny`, 1000)?.keeps).toBe(false);
  });

  it.each<[string, string, string]>([
    ['another protocol', 'SSH-2.0-x\r\n', 'malformed HTTP response "SSH-2.0-x"'],
    ['a bad status', 'HTTP/1.1 20 OK\r\n\r\n', 'malformed HTTP response "HTTP/1.1 20 OK"'],
    ['a header without a name', `${OK}: x\r\n\r\n`, 'malformed MIME header line: : x'],
    ['a bad length', `${OK}content-length: -1\r\n\r\n`, 'bad Content-Length "-1"'],
    ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 'bad Content-Length "2"'],
    ['another encoding', `${OK}transfer-encoding: gzip\r\n\r\n`, 'unsupported transfer encoding: "gzip"'],
    ['a bad chunk', `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`, 'invalid byte in chunk length'],
    ['a chunk without an end', `${OK}transfer-encoding: chunked\r\n\r\n1\r\nxy\r\n`, 'malformed chunked encoding'],
    ['a body that is too large', `${OK}content-length: 1001\r\n\r\n${'x'.repeat(1001)}`, 'larger than 1000 bytes'],
    ['a head that is too large', `${OK}a: ${'x'.repeat(70_000)}`, 'server response headers exceeded 65536 bytes'],
  ])('refuses %s', (_title, text, message) => {
    for (const size of [1000, 100_000]) expect(() => read(text, size)).toThrow(message);
  });

  it('is not complete before its last byte', () => {
    const text = `${OK}transfer-encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\n`;
    for (let end = 0; end < text.length; end++) expect(read(text.slice(0, end), 1000)).toBeUndefined();
  });
});
