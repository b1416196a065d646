import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { StructView } from '../type-view.ts';
import {
  bytesOf,
  configMap,
  container,
  decoded,
  encoded,
  event,
  type FieldFacts,
  hex,
  httpGet,
  list,
  node,
  objectMeta,
  odds,
  pod,
  podSpec,
  resources,
  struct,
  volume,
} from './core-facts.fixtures.ts';
import { decodeMessage, decodeObject } from './decode.ts';
import { encodeObject } from './encode.ts';
import { encodeEnvelope } from './envelope.ts';

describe('decoding', () => {
  it('returns the value that Go prints for an object with nothing set', () => {
    const empty = new Uint8Array(0);
    expect(decoded(pod, empty)).toEqual({ metadata: {}, spec: { containers: null } });
    expect(decoded(event, empty)).toEqual({ metadata: {}, firstTimestamp: null, eventTime: null });
    expect(decoded(odds, empty)).toEqual({
      raw: null,
      items: null,
      verbs: null,
      timeout: '0s',
      key: null,
      amount: '0',
    });
    expect(decoded(container, empty)).toEqual({ name: '', resources: {} });
    expect(Object.keys(decoded(odds, encoded(odds, { verbs: [], key: '' })))).toEqual([
      'raw',
      'items',
      'verbs',
      'timeout',
      'key',
      'amount',
    ]);
  });

  it('keeps a pointer to a zero value and drops a plain one', () => {
    expect(decoded(podSpec, bytesOf('2800'))).toEqual({ containers: null, activeDeadlineSeconds: 0 });
    expect(decoded(objectMeta, bytesOf('0a00 3800 4a00'))).toEqual({ deletionTimestamp: null });
  });

  it('merges a message that comes twice, and lets the last scalar win', () => {
    expect(decoded(struct('S', ['v', 2, volume]), bytesOf('1203 0a0161 1203 0a0162'))).toEqual({ v: { name: 'b' } });
    expect(decoded(node, bytesOf('1202 0801 1204 1202 0802 0805'))).toEqual({
      value: 5,
      next: { value: 1, next: { value: 2 } },
    });
  });

  it('reads packed numbers, and an empty run of them as nothing', () => {
    expect(decoded(odds, bytesOf('5a03 01ac02 5805'))['ports']).toEqual([1, 300, 5]);
    expect('ports' in decoded(odds, bytesOf('5a00'))).toBe(false);
  });

  it('ignores unknown fields and keeps keys such as __proto__', () => {
    expect(decoded(event, bytesOf('f80701 fa0702ffff'))).toEqual(decoded(event, bytesOf('')));
    const labels: JsonObject = JSON.parse('{"__proto__":"x","constructor":"y"}') as JsonObject;
    const value = decoded(objectMeta, encoded(objectMeta, { labels }));
    expect(JSON.stringify(value)).toBe('{"labels":{"__proto__":"x","constructor":"y"}}');
  });

  it('reads an entry without a key or a value as empty', () => {
    expect(decoded(configMap, bytesOf('1200 1a03 0a0161'))).toEqual({
      metadata: {},
      data: { '': '' },
      binaryData: { a: '' },
    });
    expect(decoded(resources, bytesOf('0a03 0a0161'))).toEqual({ limits: { a: '0' } });
    expect(decoded(odds, bytesOf('2a03 0a0161'))['extra']).toEqual({ a: [] });
  });

  it.each<[string, StructView, string, string, number]>([
    ['a wrong wire type', event, '4200', 'wire type 2 where 0 is expected', 1],
    ['a wrong wire type of a message', pod, '08', 'wire type 0 where bytes are expected', 1],
    ['a length beyond the end', pod, '0a05 0a', 'unexpected EOF', 1],
    ['a length beyond the message around it', pod, '0a02 0a05 0000000000', 'unexpected EOF', 3],
    [
      'a bad quantity',
      odds,
      '7203 0a01 78',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      3,
    ],
    ['an int-or-string of a third kind', httpGet, '1202 0802', 'neither an integer nor a string', 2],
    ['a time out of range', event, '320a 08ffffffffffffffff7f', 'a time that is out of range', 2],
    // 9999-12-31T23:59:59Z is 253402300799.
    ['a time in the year 10000', event, '3207 088083d1ffaf07', 'a time that is out of range', 2],
    ['a second before the year 0', event, '320b 08ff87aeb498feffffff01', 'a time that is out of range', 2],
    ['a number that JSON lacks', odds, '49 000000000000f07f', 'a number that JSON does not have', 9],
    ['bad JSON inside', odds, '0a05 0a03 7b7d7d', "invalid character '}' after top-level value", 6],
    ['an object of a type nobody knows', odds, '0a06 0a04 6b387300', 'no type is known for "", ""', 4],
  ])('refuses %s, with its offset', (_, view, bytes, message, offset) => {
    expect(decodeMessage(view, bytesOf(bytes))).toEqual({ ok: false, error: { message, offset } });
  });

  it('reads the first and the last second that a text can say, and writes them again', () => {
    for (const firstTimestamp of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
      expect(decoded(event, encoded(event, { firstTimestamp }))['firstTimestamp']).toBe(firstTimestamp);
    }
  });

  it('refuses more depth than allowed', () => {
    let bytes: Uint8Array = new Uint8Array(0);
    for (let i = 0; i < 600; i++)
      bytes = encoded(struct('W', ['v', 2, 'bytes']), { v: btoa(String.fromCharCode(...bytes)) });
    expect(decodeMessage(node, bytes)).toMatchObject({ ok: false, error: { message: 'nested deeper than 500' } });
    expect(decodeMessage(node, bytes, { maxDepth: 600 }).ok).toBe(true);
  });

  it('refuses bytes that would decode into far more values than bytes', () => {
    const wide = struct('Wide', ...Array.from({ length: 200 }, (_, i): FieldFacts => [`f${i}`, i + 1, 'string']));
    const many = struct('Many', ['items', 1, list(wide)]);
    const bytes = new Uint8Array(2000).map((_, i) => (i % 2 === 0 ? 0x0a : 0));
    expect(decodeMessage(many, bytes)).toMatchObject({
      ok: false,
      error: { message: 'more values than its length allows' },
    });
    expect(decodeMessage(many, bytes, { maxValuesPerByte: 1000 }).ok).toBe(true);
  });
});

describe('objects in envelopes', () => {
  const resolve = ({ kind }: { kind: string }): StructView | undefined =>
    kind === 'Pod' ? pod : kind === 'Odds' ? odds : undefined;

  it('have their type in the envelope only', () => {
    const object: JsonObject = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec: { containers: null } };
    const result = encodeObject(pod, object);
    if (!result.ok) expect.fail(result.error.message);
    const raw = encoded(pod, object);
    const envelope = encodeEnvelope({ apiVersion: 'v1', kind: 'Pod', raw, contentEncoding: '', contentType: '' });
    expect(hex(result.bytes)).toBe(hex(envelope));
    expect(decodeObject(result.bytes, resolve)).toEqual({ ok: true, value: object });
  });

  it('may be nested, and errors there have offsets of the whole input', () => {
    const inner = encodeObject(pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'in' } });
    if (!inner.ok) expect.fail(inner.error.message);
    const holder = encoded(struct('H', ['raw', 1, struct('R', ['raw', 1, 'bytes'])]), {
      raw: { raw: btoa(String.fromCharCode(...inner.bytes)) },
    });
    const outer = encodeEnvelope({ apiVersion: 'v1', kind: 'Odds', raw: holder, contentEncoding: '', contentType: '' });
    expect(decodeObject(outer, resolve)).toMatchObject({
      ok: true,
      value: { raw: { kind: 'Pod', metadata: { name: 'in' } } },
    });
    const at = hex(outer).indexOf(hex(encodeUtf8('in'))) / 2;
    const broken = Uint8Array.from(outer);
    broken[at - 1] = 0x7f;
    expect(decodeObject(broken, resolve)).toMatchObject({ ok: false, error: { offset: at - 1 } });
  });

  it('are refused when their type or their content is not known', () => {
    const other = { apiVersion: 'v9', kind: 'Other', raw: new Uint8Array(0), contentEncoding: '', contentType: '' };
    expect(decodeObject(encodeEnvelope(other), resolve)).toEqual({
      ok: false,
      error: { message: 'no type is known for "v9", "Other"', offset: 0 },
    });
    const zipped = encodeEnvelope({ ...other, kind: 'Pod', contentEncoding: 'gzip' });
    expect(decodeObject(zipped, resolve).ok).toBe(false);
  });
});
