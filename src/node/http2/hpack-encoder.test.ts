import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerHeaders } from '../../server/http/exchange.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { HpackEncoder } from './hpack-encoder.ts';

const LIMITS = { maxHeaderBytes: 10_000_000, maxHeaderCount: 10_000 };
const DATE = 'Tue, 01 Jan 2030 00:00:00 GMT';

/** Decodes a block as a client does, to names and values in alternation. */
function expected(status: number, headers: AnswerHeaders, length: number, date: string): string[] {
  const fields = [':status', String(status)];
  for (const [name, value] of Object.entries(headers))
    for (const one of typeof value === 'string' ? [value] : value) fields.push(name, one);
  if (headers['date'] === undefined) fields.push('date', date);
  if (length >= 0 && headers['content-length'] === undefined) fields.push('content-length', String(length));
  return fields;
}

/** The decoder rejects tables above 4,096 bytes, so it also checks that the encoder's table is never larger. */
function roundTrip(encoder: HpackEncoder, decoder: HpackDecoder): (...answer: Parameters<typeof expected>) => Buffer {
  return (status, headers, length, date) => {
    const bytes = Buffer.from(encoder.encode(status, headers, length, date));
    const block = decoder.decode(bytes);
    expect(block).toEqual({ fields: expected(status, headers, length, date), tooLarge: false, malformed: false });
    return bytes;
  };
}

const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const name = fc.oneof(
  fc.constantFrom('content-type', 'audit-id', 'cache-control', 'etag', 'warning', 'location', 'vary', 'date', 'age'),
  fc.integer({ min: 0, max: 80 }).map((i) => `x-header-${i}`),
);
const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('application/json', 'a', 'b', 'no-cache, private', '') },
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 5_000 }).map((size) => '\xe4'.repeat(size)) },
);
const headers = fc.dictionary(name, fc.oneof(value, fc.array(value, { maxLength: 4 })), { maxKeys: 12 });
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      status: fc.constantFrom(200, 201, 204, 304, 404, 409, 422, 500, 503),
      headers,
      length: fc.integer({ min: -1, max: 100_000 }),
      date: fc.integer({ min: 0, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 31, 64, 100, 1_000, 4_095, 4_096, 65_536, 0xffff_ffff) },
);

describe('an encoded block', () => {
  it('is decoded to the same fields, through evictions and table size updates', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 120, size: 'max' }), (steps) => {
        const encoder = new HpackEncoder();
        const check = roundTrip(encoder, new HpackDecoder(LIMITS));
        for (const one of steps) {
          if (typeof one === 'number') encoder.resize(one);
          else check(one.status, one.headers, one.length, `${DATE}${one.date}`);
        }
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it('needs one byte for a header that was sent before', () => {
    const encoder = new HpackEncoder();
    const check = roundTrip(encoder, new HpackDecoder(LIMITS));
    const steady = {
      'content-type': 'application/json',
      'cache-control': 'no-cache, private',
      'x-kubernetes-pf-flowschema-uid': 'a',
    };
    check(200, steady, 5, DATE);
    expect(check(200, steady, 5, DATE).length).toBe(1 + 3 + 1 + 4);
    // Values that differ from answer to answer evict nothing.
    for (let i = 0; i < 1_000; i++) check(200, { ...steady, 'audit-id': `id-${i}`, etag: `"${i}"` }, i, DATE);
    expect(check(200, steady, 5, DATE).length).toBe(1 + 3 + 1 + 4);
  });

  it('signals the smallest and the last table size, once, before the first field', () => {
    const encoder = new HpackEncoder();
    const check = roundTrip(encoder, new HpackDecoder(LIMITS));
    check(200, { a: 'b' }, 0, DATE);
    encoder.resize(0);
    encoder.resize(100);
    encoder.resize(50);
    const bytes = check(200, { a: 'b' }, 0, DATE);
    expect(bytes.subarray(0, 3).toString('hex')).toBe('203f13');
    expect(check(200, { a: 'b' }, 0, DATE)[0]).toBe(0x88);
    // A size above the default is not used, and the default needs no update.
    encoder.resize(1_000_000);
    expect(check(200, {}, 0, DATE).subarray(0, 3).toString('hex')).toBe('3fe11f');
    encoder.resize(4_096);
    expect(check(200, {}, 0, DATE)[0]).toBe(0x88);
  });

  it('may have headers larger than the shared buffer', () => {
    const check = roundTrip(new HpackEncoder(), new HpackDecoder(LIMITS));
    for (const size of [1_000, 8_191, 8_192, 20_000, 200_000]) {
      expect(
        check(200, { warning: ['w'.repeat(size), 'x'], 'x-large': 'y'.repeat(size) }, 0, DATE).length,
      ).toBeGreaterThan(2 * size);
      check(200, { a: 'b' }, 0, DATE);
    }
  });
});

describe('a steady head', () => {
  const headers = { 'content-type': 'application/grpc', te: 'trailers' };
  const head = { method: 'POST', scheme: 'http', path: '/s/M', authority: 'a', headers, isSteady: true } as const;
  const fields = (path: string): string[] => [
    ...[':method', 'POST', ':scheme', 'http', ':authority', 'a', ':path', path],
    ...['content-type', 'application/grpc', 'te', 'trailers'],
  ];

  it('is one block from its second request on, without a length', () => {
    const encoder = new HpackEncoder();
    const decoder = new HpackDecoder(LIMITS);
    const blocks = [1, 2, 3, 4].map((length) => Buffer.from(encoder.encodeRequest(head, length)));
    for (const block of blocks) expect(decoder.decode(block)?.fields).toEqual(fields('/s/M'));
    expect(blocks.map(({ length }) => length)).toEqual([blocks[0]!.length, 6, 6, 6]);
  });

  it('is decoded to the same fields, whatever is encoded between its requests', () => {
    const other = { method: 'GET', path: '/x', authority: 'a', headers: {} };
    const requests = fc.oneof(
      fc.constantFrom('/s/M', '/s/N', '/s/O').map((path) => ({ ...head, path })),
      fc.dictionary(name, value, { maxKeys: 3 }).map((more) => ({ ...other, headers: more })),
      fc.constantFrom(0, 60, 200, 4_096),
    );
    fc.assert(
      fc.property(fc.array(requests, { maxLength: 60 }), (steps) => {
        const encoder = new HpackEncoder();
        const decoder = new HpackDecoder(LIMITS);
        for (const one of steps) {
          if (typeof one === 'number') {
            encoder.resize(one);
            continue;
          }
          const block = decoder.decode(Buffer.from(encoder.encodeRequest(one, -1)));
          if ('isSteady' in one) expect(block?.fields).toEqual(fields(one.path));
          else
            expect(block?.fields.slice(0, 8)).toEqual([
              ':method',
              'GET',
              ':scheme',
              'https',
              ':authority',
              'a',
              ':path',
              '/x',
            ]);
        }
      }),
      { numRuns: 100, seed: 3 },
    );
  });

  it('with other headers on the same path is another one', () => {
    const encoder = new HpackEncoder();
    const decoder = new HpackDecoder(LIMITS);
    const another = { ...head, headers: { te: 'x' } };
    for (const [one, te] of [
      [head, 'trailers'],
      [head, 'trailers'],
      [another, 'x'],
      [another, 'x'],
      [head, 'trailers'],
    ] as const)
      expect(decoder.decode(Buffer.from(encoder.encodeRequest(one, -1)))?.fields.at(-1)).toBe(te);
  });
});

describe('an answer with invalid headers', () => {
  it('is rejected before anything is encoded, and the table stays consistent', () => {
    const encoder = new HpackEncoder();
    const check = roundTrip(encoder, new HpackDecoder(LIMITS));
    check(200, { a: 'b' }, 0, DATE);
    encoder.resize(1_000);
    for (const bad of [
      { 'x-new': '1', 'bad header': '1' },
      { 'x-new': '1', Upper: '1' },
      { 'x-new': '1', ':status': '200' },
      { 'x-new': '1', '': '1' },
      { 'x-new': '1', y: 'a\r\nb' },
      { 'x-new': '1', y: ['ok', 'a\nb'] },
      { 'x-new': '1', y: '\0' },
      { 'x-new': '1', y: '\x7f' },
      { 'x-new': '1', y: '€' },
    ])
      expect(() => encoder.encode(200, bad, 0, DATE)).toThrow(/HTTP does not allow/);
    check(200, { a: 'b', 'x-new': '1' }, 0, DATE);
    check(200, { a: 'b', 'x-new': '1' }, 0, DATE);
  });
});
