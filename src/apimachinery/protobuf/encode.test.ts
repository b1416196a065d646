import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import type { StructView } from '../type-view.ts';
import {
  bytesOf,
  configMap,
  container,
  encoded,
  event,
  hex,
  node,
  odds,
  pod,
  podSpec,
  probe,
  struct,
} from './core-facts.fixtures.ts';
import { encodeMessage } from './encode.ts';

describe('encoding', () => {
  it('writes plain fields always, pointers and lists only if present, by number', () => {
    // name "", resources {}, stdin false
    expect(hex(encoded(container, {}))).toBe('0a00 4200 800100'.replaceAll(' ', ''));
    expect(hex(encoded(pod, {}))).toBe('0a08 0a001a003800 4200 1200'.replaceAll(' ', ''));
    expect(hex(encoded(probe, { httpGet: { port: 'web' } }))).toBe(
      hex(bytesOf('0a0f 120d 0a00 1209 0801 1000 1a03 776562 1000')),
    );
  });

  it('writes maps in the order of their UTF-8 keys', () => {
    const bytes = encoded(configMap, { data: { '\uff5e': '2', '😀': '3', b: '1', a: '0' } });
    const order = ['a', 'b', '\uff5e', '😀'].map((key) => hex(encodeUtf8(key)));
    const positions = order.map((key) =>
      hex(bytes).indexOf(`0a${(key.length / 2).toString(16).padStart(2, '0')}${key}`),
    );
    expect(positions).toEqual([...positions].sort((x, y) => x - y));
    expect(positions).not.toContain(-1);
  });

  it.each<[string, StructView, JsonObject, string]>([
    ['a quantity, in its canonical form', odds, { amount: '1024Mi' }, '7205 0a03314769'],
    ['a quantity that JSON has as a number', odds, { amount: 1.5 }, '7207 0a05 313530306d'],
    ['a time', event, { firstTimestamp: '1970-01-01T00:00:01Z' }, '3204 0801 1000'],
    ['a time of year one, which is none', event, { firstTimestamp: '0001-01-01T00:00:00Z' }, '3200'],
    ['a micro time', event, { eventTime: '1970-01-01T00:00:01.000002Z' }, '5205 0801 10d00f'],
    ['a duration', odds, { timeout: '1us' }, '3203 08e807'],
    ['bytes', odds, { key: 'aGk=' }, '4202 6869'],
    ['a negative number, in ten bytes', event, { count: -1 }, '40ffffffffffffffffff01'],
    ['an int64 beyond a double', node, { value: 9_007_199_254_740_993n }, '08 8180808080808010'],
    ['JSON as text', odds, { raw: { b: [1, null] } }, '0a10 0a0e 7b2262223a5b312c6e756c6c5d7d'],
    ['an empty wrapped list', odds, { verbs: [] }, '2200'],
    ['a wrapped list', odds, { verbs: ['get'] }, '2205 0a03676574'],
    ['a map of lists', odds, { extra: { k: ['v'] } }, '2a08 0a016b 12030a0176'],
    ['numbers of a list, one by one', odds, { ports: [1, 2] }, '5801 5802'],
  ])('writes %s', (_, view, value, expected) => {
    expect(hex(encoded(view, value))).toContain(expected.replaceAll(' ', ''));
  });

  it('encodes null as the zero value, and drops fields that the type does not list', () => {
    const nulls = { name: null, command: null, resources: null, livenessProbe: null, stdin: null, unknown: 5 };
    expect(hex(encoded(container, nulls))).toBe(hex(encoded(container, {})));
    expect(hex(encoded(podSpec, { containers: [null] }))).toBe(hex(encoded(podSpec, { containers: [{}] })));
  });

  it.each<[StructView, JsonValue, string, string]>([
    [pod, [], 'must be an object', 'undefined'],
    [pod, { metadata: { name: 5 } }, 'must be a string', 'metadata.name'],
    [pod, { spec: { containers: [{}, { stdin: 'yes' }] } }, 'must be a boolean', 'spec.containers[1].stdin'],
    [pod, { spec: { containers: {} } }, 'must be a list', 'spec.containers'],
    [pod, { metadata: { labels: { a: 1 } } }, 'must be a string', 'metadata.labels[a]'],
    [pod, { metadata: { labels: [] } }, 'must be a map', 'metadata.labels'],
    [pod, { metadata: { generation: 1.5 } }, 'must be an integer', 'metadata.generation'],
    [pod, { metadata: { generation: 2 ** 63 } }, 'must be within int64', 'metadata.generation'],
    [event, { count: 2 ** 31 }, 'must be within int32', 'count'],
    [odds, { port: -1 }, 'must be within uint32', 'port'],
    [odds, { ratio: 'x' }, 'must be a number', 'ratio'],
    [odds, { small: 1e39 }, 'must be within float', 'small'],
    [odds, { key: 'a' }, 'must be base64', 'key'],
    [odds, { amount: true }, 'must be a quantity', 'amount'],
    [odds, { timeout: 5 }, 'must be a string', 'timeout'],
    [odds, { timeout: '5' }, 'time: missing unit in duration "5"', 'timeout'],
    [struct('Custom', ['spec', undefined, 'string']), {}, 'Custom has no binary form', 'undefined'],
  ])('refuses what does not fit: %#', (view, value, message, path) => {
    const result = encodeMessage(view, value);
    expect(result.ok ? undefined : { message: result.error.message, path: String(result.error.path) }).toEqual({
      message,
      path,
    });
  });

  it('refuses more depth and more bytes than allowed', () => {
    let deep: JsonObject = {};
    for (let i = 0; i < 600; i++) deep = { next: deep };
    expect(encodeMessage(node, deep)).toMatchObject({ ok: false, error: { message: 'nested deeper than 500' } });
    expect(encodeMessage(node, deep, { maxDepth: 600 }).ok).toBe(true);
    const big = encodeMessage(configMap, { data: { a: 'x'.repeat(5000) } }, { maxBytes: 5000 });
    expect(big).toMatchObject({ ok: false, error: { message: 'the result is longer than 5000 bytes' } });
  });
});
