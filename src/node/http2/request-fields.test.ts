import { describe, expect, it } from 'vitest';
import { areTrailers, fieldNames, fieldOf, fieldValues, readRequestLine } from './request-fields.ts';

const LINE = [':method', 'GET', ':scheme', 'https', ':path', '/api?x=1'];

describe('a request', () => {
  it('has a method, a scheme and a path, in any order', () => {
    expect(readRequestLine(LINE)).toEqual({ method: 'GET', target: '/api?x=1', contentLength: -1 });
    expect(readRequestLine([':path', '/', ':authority', 'a', ':scheme', 'http', ':method', 'X'])).toEqual({
      method: 'X',
      target: '/',
      contentLength: -1,
    });
  });

  it('is malformed without one of them, or with one repeated, empty, unknown or after a regular field', () => {
    for (let i = 0; i < LINE.length; i += 2) {
      expect(readRequestLine(LINE.toSpliced(i, 2))).toBeUndefined();
      expect(readRequestLine([...LINE, LINE[i]!, LINE[i + 1]!])).toBeUndefined();
      expect(readRequestLine(LINE.toSpliced(i + 1, 1, ''))).toBeUndefined();
      expect(readRequestLine(['a', 'b', ...LINE])).toBeUndefined();
    }
    for (const name of [':status', ':protocol', ':x', ':'])
      expect(readRequestLine([...LINE, name, 'a'])).toBeUndefined();
    expect(readRequestLine([...LINE, ':authority', 'a', ':authority', 'a'])).toBeUndefined();
    expect(readRequestLine([])).toBeUndefined();
  });

  it('has a method that is a token, and a path or *', () => {
    const line = (method: string, target: string): boolean =>
      readRequestLine([':method', method, ':scheme', 'https', ':path', target]) !== undefined;
    for (const target of ['/', '/a?b=%20#c', '/\xe4', '*'])
      expect([target, line('GET', target)]).toEqual([target, true]);
    for (const target of ['a', 'https://a/', '**', '/a b', '/a\t', '/\x7f', '/\x01', '/a\n'])
      expect([target, line('GET', target)]).toEqual([target, false]);
    for (const method of ['G T', 'GET ', 'GET\t', '(', '\xe4'])
      expect([method, line(method, '/')]).toEqual([method, false]);
    expect(line('my-method', '/')).toBe(true);
  });

  it('is malformed with connection-specific fields of HTTP/1.1', () => {
    for (const name of ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])
      expect(readRequestLine([...LINE, name, 'x'])).toBeUndefined();
    expect(readRequestLine([...LINE, 'te', 'gzip'])).toBeUndefined();
    expect(readRequestLine([...LINE, 'te', 'trailers'])).toBeDefined();
  });

  it('declares at most one length, in digits', () => {
    const length = (...values: string[]): number | undefined =>
      readRequestLine([...LINE, ...values.flatMap((value) => ['content-length', value])])?.contentLength;
    expect(length('0')).toBe(0);
    expect(length('5', '5')).toBe(5);
    expect(length('999999999999999')).toBe(999_999_999_999_999);
    for (const values of [['5', '6'], ['-1'], ['+1'], ['1e3'], ['0x1'], [''], [' 5'], ['5, 5'], ['9'.repeat(16)]])
      expect([values, length(...values)]).toEqual([values, undefined]);
  });
});

describe('fields', () => {
  it('of trailers are not pseudo-headers', () => {
    expect(areTrailers([])).toBe(true);
    expect(areTrailers(['a', 'b'])).toBe(true);
    expect(areTrailers(['a', 'b', ':path', '/'])).toBe(false);
  });

  it('are found by their names, one or all of them', () => {
    const fields = [...LINE, 'a', '1', 'cookie', 'x=1', 'a', '2', 'cookie', 'y=2', 'b', ''];
    expect(fieldOf(fields, 'a')).toBe('1, 2');
    expect(fieldOf(fields, 'cookie')).toBe('x=1; y=2');
    expect(fieldOf(fields, 'b')).toBe('');
    // Values are not searched for names.
    expect(fieldOf(fields, '1')).toBeUndefined();
    expect(fieldValues(fields, 'a')).toEqual(['1', '2']);
    expect(fieldValues(fields, 'c')).toEqual([]);
    expect(fieldNames(fields)).toEqual(['a', 'cookie', 'b']);
  });
});
