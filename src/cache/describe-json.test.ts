import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import type { Description, Undescribable } from './cache.ts';
import { describeJson } from './describe-json.ts';
import { hashOf } from './facts-pool.ts';

const run = (text: string, fields: readonly string[] = []): Description | Undescribable =>
  describeJson({ fields })(encodeUtf8(text), 'k');
const ok = (text: string, fields: readonly string[] = []): Description => {
  const result = run(text, fields);
  if ('reason' in result) throw new Error(result.reason);
  return result;
};

describe('describeJson', () => {
  it('finds the labels and the offset for the resourceVersion, wherever metadata is', () => {
    const text =
      '{"spec":{"metadata":{"labels":{"no":"no"}}},"metadata":{"name":"x","labels":{"a":"b","c/d":"é"}},"z":1}';
    const { facts, splice } = ok(text);
    expect({ ...facts.labels }).toEqual({ a: 'b', 'c/d': 'é' });
    expect(text.slice(0, splice).endsWith('"metadata":{')).toBe(true);
    expect(text[splice]).toBe('"');
  });

  it('uses the default value of a field that is absent', () => {
    const describeIt = describeJson({ fields: ['open'], sources: { open: ['spec.open', '=false'] } });
    const openOf = (spec: string) => {
      const described = describeIt(encodeUtf8(`{"metadata":{},"spec":${spec}}`), 'k');
      return 'facts' in described ? described.facts.fields['open'] : described.reason;
    };
    expect([openOf('{}'), openOf('{"open":true}'), openOf('{"open":false}')]).toEqual(['false', 'true', 'false']);
  });

  it('reads a field from the first of its sources with a value', () => {
    const describeIt = describeJson({ fields: ['type', 'source'], sources: { source: ['source.component', 'by'] } });
    const fieldsOf = (text: string): Record<string, string> => {
      const result = describeIt(encodeUtf8(text), 'k');
      return 'reason' in result ? {} : { ...result.facts.fields };
    };
    expect(fieldsOf('{"metadata":{},"source":{"component":"a"},"by":"b","type":"t"}')).toEqual({
      source: 'a',
      type: 't',
    });
    expect(fieldsOf('{"metadata":{},"source":{},"by":"b"}')).toEqual({ source: 'b', type: '' });
    expect(fieldsOf('{"metadata":{},"source":"c"}')).toEqual({ source: '', type: '' });
  });

  it('recognizes names that are written with escapes', () => {
    expect({ ...ok('{"meta\\u0064ata":{"l\\u0061bels":{"a":"b"}}}').facts.labels }).toEqual({ a: 'b' });
    expect(run('{"metadata":{"resource\\u0056ersion":"1"}}')).toEqual({ reason: 'it holds a resourceVersion' });
  });

  it('returns no inherited property as a label', () => {
    const { labels } = ok('{"metadata":{"labels":{"__proto__":"p"}}}').facts;
    const name = '__proto__';
    expect(labels[name]).toBe('p');
    expect(labels['constructor']).toBeUndefined();
    expect(labels['toString']).toBeUndefined();
  });

  it('reads selectable scalars and returns the empty string for anything else', () => {
    const fields = ['metadata.name', 'spec.a', 'spec.n', 'spec.on', 'spec.list', 'spec.deep.x', 'status.phase', 'kind'];
    const text =
      '{"kind":"K","metadata":{"name":"x\\ny"},"spec":{"a":null,"n":9223372036854775807,"on":true,"list":[1],"deep":{"x":"d"}}}';
    expect({ ...ok(text, fields).facts.fields }).toEqual({
      'metadata.name': 'x\ny',
      'spec.a': '',
      'spec.n': '9223372036854775807',
      'spec.on': 'true',
      'spec.list': '',
      'spec.deep.x': 'd',
      'status.phase': '',
      kind: 'K',
    });
  });

  it('shares one value between objects with equal facts only', () => {
    const of = describeJson({ fields: ['spec.a'] });
    const facts = (text: string): unknown => (of(encodeUtf8(text), 'k') as Description).facts;
    const first = facts('{"metadata":{"name":"1","labels":{"a":"b"}},"spec":{"a":"x"}}');
    expect(facts('{"metadata":{"name":"2","labels":{"a":"b"}},"spec":{"a":"x"}}')).toBe(first);
    expect(facts('{"metadata":{"name":"2","labels":{"a":"c"}},"spec":{"a":"x"}}')).not.toBe(first);
    expect(facts('{"metadata":{"name":"2","labels":{"a":"b"}},"spec":{"a":"y"}}')).not.toBe(first);
    expect(facts('{"metadata":{"name":"2","labels":{"a":"b"}}}')).not.toBe(first);
    for (let i = 0; i < 5000; i++) facts(`{"metadata":{"labels":{"a":"${i}"}}}`);
    expect(facts('{"metadata":{"name":"1","labels":{"a":"b"}},"spec":{"a":"x"}}')).toEqual(first);
  });

  it('distinguishes facts with equal hashes', () => {
    const labelled = (label: number): Uint8Array => encodeUtf8(`{"metadata":{"labels":{"a":"${label}"}}}`);
    const pair = [549_599, 712_382]; // found by searching
    const [one, other] = pair.map((label) => hashOf(labelled(label), [22, 36]));
    expect(one).toBe(other);
    const of = describeJson();
    for (const label of [...pair, ...pair]) {
      expect({ ...(of(labelled(label), 'k') as Description).facts.labels }).toEqual({ a: String(label) });
    }
  });

  it.each([
    ['', 'it is not a JSON object'],
    ['[]', 'it is not a JSON object'],
    ['{}', 'it has no metadata object'],
    ['{"metadata":[]}', 'it has no metadata object'],
    ['{"metadata":{}', 'an object does not end'],
    ['{"metadata":{}} x', 'something follows the object'],
    ['{"metadata":{},"metadata":null}', 'it has two members named metadata'],
    ['{"metadata":{"resourceVersion":"1"}}', 'it holds a resourceVersion'],
    ['{"metadata":{"labels":{"a":1}}}', 'its label "a" is not a string'],
    ['{"metadata":{"labels":["a"]}}', 'its labels are not an object'],
    ['{"metadata":{},"spec":{"a":[1}', 'a bracket is not closed'],
    ['{"metadata":{},"spec":1 2', 'an object does not end'],
    ['{"metadata":{},"spec":"abc', 'a string does not end'],
    ['{"metadata":{},"spec"}', 'a member has no value'],
    ['{"metadata":{},"spec":}', 'a member has no value'],
    ['{"metadata":{},}', 'a member has no name'],
  ])('refuses %s: %s', (text, reason) => {
    expect(run(text)).toEqual({ reason });
  });

  it('agrees with JSON.parse on every object, and never throws on a damaged one', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const object = fc.record(
      {
        apiVersion: fc.string(),
        spec: json,
        metadata: fc.record(
          { name: fc.string(), labels: fc.dictionary(fc.string(), fc.string(), { maxKeys: 4 }), annotations: json },
          { requiredKeys: [] },
        ),
        status: fc.record({ phase: fc.oneof(fc.string(), json) }, { requiredKeys: [] }),
      },
      { requiredKeys: ['metadata'] },
    );
    fc.assert(
      fc.property(object, fc.integer({ min: 0, max: 2 }), fc.nat(), fc.nat(255), (value, space, where, byte) => {
        const bytes = encodeUtf8(JSON.stringify(value, undefined, space));
        const describeValue = describeJson({ fields: ['status.phase'] });
        const result = describeValue(bytes, 'k') as Description;
        expect({ ...result.facts.labels }).toEqual({ ...value.metadata.labels });
        const phase = value.status?.phase;
        const text = ['string', 'boolean', 'number'].includes(typeof phase) ? String(phase) : '';
        if (typeof phase !== 'number') expect(result.facts.fields['status.phase']).toBe(text);
        bytes[where % bytes.length] = byte;
        const damaged = describeValue(bytes, 'k');
        expect('reason' in damaged || damaged.splice > 0).toBe(true);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it('describes a value of this process as any other, without reading what follows the wanted members', () => {
    const value = fc.record({
      fields: fc.subarray(['spec.node', 'status.phase', 'metadata.name']),
      labels: fc.option(fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 })),
      members: fc.dictionary(
        fc.constantFrom('spec', 'status', 'data', 'kind'),
        fc.dictionary(fc.constantFrom('node', 'phase', 'x"y', 'z'), fc.string()),
      ),
      first: fc.boolean(),
    });
    fc.assert(
      fc.property(value, ({ fields, labels, members, first }) => {
        const metadata = { name: 'a', ...(labels !== null && { labels }), annotations: { '}': '{"' } };
        const object = first ? { metadata, ...members } : { ...members, metadata };
        const bytes = encodeUtf8(JSON.stringify(object));
        const describeIt = describeJson({ fields });
        expect(describeIt(bytes, 'k', true)).toEqual(describeIt(bytes, 'k'));
      }),
    );
    const tail = encodeUtf8('{"metadata":{"labels":{"a":"b"}},"data":');
    expect(describeJson()(tail, 'k')).toHaveProperty('reason');
    expect(describeJson()(tail, 'k', true)).toMatchObject({ facts: { labels: { a: 'b' } } });
    expect(describeJson()(encodeUtf8('{"metadata":{"resourceVersion":"1"}}'), 'k', true)).toHaveProperty('reason');
  });
});
