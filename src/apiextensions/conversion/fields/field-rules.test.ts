import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject } from '../../../base/json-value.ts';
import { EMPTY_SCHEMA } from '../../../schema/structural/empty-schema.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { type CheckedVersion, checkFieldRules } from './check-field-rules.ts';
import { fieldsConverter } from './fields-converter.ts';
import { parseFieldRules } from './parse-field-rules.ts';

function object(properties: Record<string, StructuralSchema>): StructuralSchema {
  return { ...EMPTY_SCHEMA, type: 'object', properties: new Map(Object.entries(properties)) };
}

const TEXT: StructuralSchema = { ...EMPTY_SCHEMA, type: 'string' };
const INTEGER: StructuralSchema = { ...EMPTY_SCHEMA, type: 'integer' };

/** Keeps the fields of the schema. The schemas of these tests have no maps. */
function prune(value: unknown, schema: StructuralSchema): void {
  if (Array.isArray(value)) for (const item of value) prune(item, schema.items ?? EMPTY_SCHEMA);
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) {
      const property = schema.properties.get(name);
      if (property === undefined) delete (value as JsonObject)[name];
      else prune(field, property);
    }
}

function version(name: string, spec: Record<string, StructuralSchema>): CheckedVersion {
  const schema = object({ spec: object(spec) });
  return {
    name,
    schema,
    prune: ({ spec: given }) => prune(given, schema.properties.get('spec') as StructuralSchema),
  };
}

function convert(text: string, from: string, to: string, spec: JsonObject, versions: readonly CheckedVersion[] = []) {
  const parsed = parseFieldRules(text);
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  const converter = fieldsConverter({
    group: 'g.example',
    kind: 'Thing',
    pairs: parsed.pairs,
    schemaOf: (wanted) => versions.find(({ name }) => name === wanted)?.schema,
  });
  const thing = { apiVersion: `g.example/${from}`, kind: 'Thing', metadata: { name: 'a' }, spec: cloneJson(spec) };
  return (converter.convert([thing], from, to) as readonly JsonObject[])[0] as JsonObject;
}

const RENAME = '[{from: v1beta1, to: v1, fields: [{move: .spec.cron, to: .spec.schedule}]}]';

describe('field rules', () => {
  it('move a field, and move it back without a rule for that', () => {
    const there = convert(RENAME, 'v1beta1', 'v1', { cron: '* * *', image: 'x' });
    expect(there).toEqual({
      apiVersion: 'g.example/v1',
      kind: 'Thing',
      metadata: { name: 'a' },
      spec: { schedule: '* * *', image: 'x' },
    });
    expect(convert(RENAME, 'v1', 'v1beta1', { schedule: '1', image: 'x' })['spec']).toEqual({ cron: '1', image: 'x' });
  });

  it('move fields of list items, each within its item', () => {
    const rules =
      '[{from: a, to: b, fields: [{move: ".spec.ports[*].containerPort", to: ".spec.ports[*].target.port"}]}]';
    const spec = { ports: [{ containerPort: 1, name: 'x' }, { name: 'y' }, 7] };
    const moved = { ports: [{ target: { port: 1 }, name: 'x' }, { name: 'y' }, 7] };
    expect(convert(rules, 'a', 'b', spec)['spec']).toEqual(moved);
    expect(convert(rules, 'b', 'a', { ports: [{ target: { port: 5 } }] })['spec']).toEqual({
      ports: [{ containerPort: 5, target: {} }],
    });
  });

  it('set defaults where there is no value, and remove fields', () => {
    const rules =
      '[{from: a, to: b, fields: [{default: .spec.x, value: {z: [1]}}, {remove: .spec.old}]}, {from: b, to: a, fields: []}]';
    expect(convert(rules, 'a', 'b', { old: 1 })['spec']).toEqual({ x: { z: [1] } });
    expect(convert(rules, 'a', 'b', { x: 1 })['spec']).toEqual({ x: 1 });
  });

  it('evaluate expressions on the object before conversion', () => {
    const rules = `
- from: a
  to: b
  fields:
    - { move: .spec.first, to: .spec.given }
    - { set: .spec.full, expression: "self.spec.first + ' ' + self.spec.last" }
    - { set: .spec.last, expression: "optional.none()" }
- from: b
  to: a
  fields: [{ set: .spec.last, expression: "self.spec.full.split(' ')[1]" }]`;
    const versions = [version('a', { first: TEXT, last: TEXT }), version('b', { given: TEXT, full: TEXT, last: TEXT })];
    expect(convert(rules, 'a', 'b', { first: 'Ada', last: 'L' }, versions)['spec']).toEqual({
      given: 'Ada',
      full: 'Ada L',
    });
    expect(convert(rules, 'b', 'a', { full: 'Ada L' }, versions)['spec']).toEqual({ full: 'Ada L', last: 'L' });
    expect(() => convert(rules, 'b', 'a', { full: 'Ada' }, versions)).toThrow(
      'conversion of g.example/b, Kind=Thing to a failed: index out of bounds: 1',
    );
  });

  it('follow chains of versions, and change only the apiVersion if there is no chain', () => {
    const rules =
      '[{from: v1, to: v2, fields: [{move: .spec.a, to: .spec.b}]}, {from: v2, to: v3, fields: [{move: .spec.b, to: .spec.c}]}]';
    expect(convert(rules, 'v1', 'v3', { a: 1 })['spec']).toEqual({ c: 1 });
    expect(convert(rules, 'v3', 'v1', { c: 1 })['spec']).toEqual({ a: 1 });
    expect(convert(rules, 'v1', 'v9', { a: 1 })).toMatchObject({ apiVersion: 'g.example/v9', spec: { a: 1 } });
  });

  it('restore any object after moves there and back', () => {
    const rules =
      '[{from: a, to: b, fields: [{move: .spec.x, to: .spec.deep.y}, {move: .spec.z, to: .spec.w}, {move: ".spec.l[*].p", to: ".spec.l[*].q"}]}]';
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null));
    const spec = fc.record(
      { x: leaf, z: leaf, other: leaf, l: fc.array(fc.record({ p: leaf, r: leaf }, { requiredKeys: [] })) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(spec, (given) => {
        const there = convert(rules, 'a', 'b', given as JsonObject)['spec'] as JsonObject;
        const { deep, ...back } = convert(rules, 'b', 'a', there)['spec'] as JsonObject;
        expect(back).toEqual(given);
        expect(deep === undefined || Object.keys(deep as JsonObject).length === 0).toBe(true);
      }),
    );
  });
});

describe('versions without rules between them', () => {
  it('differ only in apiVersion, in both directions', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const there = convert('[]', 'v1', 'v2', given as JsonObject);
        expect(there['apiVersion']).toBe('g.example/v2');
        expect(there['spec']).toEqual(given);
        expect(convert('[]', 'v2', 'v1', there['spec'] as JsonObject)['spec']).toEqual(given);
      }),
    );
  });
});

describe('checkFieldRules', () => {
  const V1BETA1 = version('v1beta1', { cron: TEXT, image: TEXT });
  const V1 = version('v1', { schedule: TEXT, image: TEXT });

  it('finds no problem in a rename', () => {
    expect(checkFieldRules(RENAME, [V1BETA1, V1])).toEqual([]);
  });

  it('reports the field that is lost, unless it is listed as lossy', () => {
    const old = version('v1beta1', { cron: TEXT, image: TEXT, legacy: object({ a: INTEGER }) });
    expect(checkFieldRules(RENAME, [old, V1])).toEqual([
      '.spec.legacy of v1beta1 does not survive the conversion to v1 and back: move it, or list it under lossy',
    ]);
    const known = RENAME.replace('}]}]', '}], lossy: [.spec.legacy]}]');
    expect(checkFieldRules(known, [old, V1])).toEqual([]);
  });

  it.each([
    ['nonsense', 'x: [', /yaml/i],
    ['an object', 'a: 1', 'must be a list of {from, to, fields}'],
    ['an unknown field', '[{from: a, to: b, feilds: []}]', '[0].feilds: unknown field'],
    ['no version', '[{to: b, fields: []}]', '[0].from: must be a text'],
    ['an unknown rule', '[{from: a, to: b, fields: [{rename: .x}]}]', 'must have one of move, default, set, remove'],
    ['half a move', '[{from: a, to: b, fields: [{move: .spec.x}]}]', '[0].fields[0].to: is missing'],
    ['a bad path', '[{from: a, to: b, fields: [{remove: spec}]}]', 'must be a path such as .spec.ports[*].port'],
    ['a change of identity', '[{from: a, to: b, fields: [{remove: .metadata.name}]}]', 'only labels and annotations'],
    [
      'a move out of a list',
      '[{from: a, to: b, fields: [{move: ".spec.l[*].a", to: .spec.a}]}]',
      'both paths must be the same up to their last [*]',
    ],
    [
      'no way back',
      '[{from: v1beta1, to: v1, fields: [{remove: .spec.cron}]}]',
      'the way back from v1 to v1beta1 is missing',
    ],
    ['an unknown version', '[{from: v1beta1, to: v9, fields: []}]', 'there is no version v9'],
    [
      'a field that is not there',
      '[{from: v1beta1, to: v1, fields: [{move: .spec.corn, to: .spec.schedule}]}]',
      '.spec.corn is no field of v1beta1',
    ],
    [
      'a faulty expression',
      '[{from: v1beta1, to: v1, fields: [{set: .spec.schedule, expression: self.spec.corn}]}, {from: v1, to: v1beta1, fields: []}]',
      "undefined field 'corn'",
    ],
  ])('refuses %s', (_what, text, message) => {
    const problems = checkFieldRules(text, [V1BETA1, V1]).join('\n');
    if (typeof message === 'string') expect(problems).toContain(message);
    else expect(problems).toMatch(message);
  });
});
