import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { converted, INTEGER, TEXT, version } from './fields.fixtures.ts';

const RENAME = '[{from: v1beta1, to: v1, fields: [{move: .spec.cron, to: .spec.schedule}]}]';
const AB = ['a', 'b'] as const;
const BA = ['b', 'a'] as const;

function pair(...fields: readonly string[]): string {
  return `[{from: a, to: b, fields: [${fields.join(', ')}]}]`;
}

describe('field rules', () => {
  it('move a field, and move it back without a rule for that', () => {
    const there = converted(RENAME, ['v1beta1', 'v1'], { cron: '* * *', image: 'x' });
    expect(there).toEqual({
      apiVersion: 'g.example/v1',
      kind: 'Thing',
      metadata: { name: 'a' },
      spec: { schedule: '* * *', image: 'x' },
    });
    expect(converted(RENAME, ['v1', 'v1beta1'], { schedule: '1', image: 'x' })['spec']).toEqual({
      cron: '1',
      image: 'x',
    });
  });

  it('move fields of list items, each within its item', () => {
    const rules = pair('{move: ".spec.ports[*].containerPort", to: ".spec.ports[*].target.port"}');
    const spec = { ports: [{ containerPort: 1, name: 'x' }, { name: 'y' }, 7] };
    const moved = { ports: [{ target: { port: 1 }, name: 'x' }, { name: 'y' }, 7] };
    expect(converted(rules, AB, spec)['spec']).toEqual(moved);
    expect(converted(rules, BA, { ports: [{ target: { port: 5 } }] })['spec']).toEqual({
      ports: [{ containerPort: 5, target: {} }],
    });
  });

  it('rename a list together with fields of its items', () => {
    const rules = pair(
      '{move: ".spec.items[*].a", to: ".spec.entries[*].b"}',
      '{move: .spec.items, to: .spec.entries}',
      '{move: ".spec.items[*].parts", to: ".spec.entries[*].pieces"}',
      '{move: ".spec.items[*].parts[*].x", to: ".spec.entries[*].pieces[*].y"}',
    );
    const before = { items: [{ a: 1, c: 2, parts: [{ x: 3, z: 4 }] }, { c: 5 }] };
    const after = { entries: [{ b: 1, c: 2, pieces: [{ y: 3, z: 4 }] }, { c: 5 }] };
    expect(converted(rules, AB, before)['spec']).toEqual(after);
    expect(converted(rules, BA, after)['spec']).toEqual(before);
  });

  it('see the object before conversion, in any order', () => {
    const swap = pair('{move: .spec.x, to: .spec.y}', '{move: .spec.y, to: .spec.x}');
    expect(converted(swap, AB, { x: 1, y: 2 })['spec']).toEqual({ x: 2, y: 1 });
    const parts = pair('{move: .spec.old, to: .spec.new}', '{move: .spec.old.part, to: .spec.part}');
    expect(converted(parts, AB, { old: { part: 1, rest: 2 } })['spec']).toEqual({ new: { rest: 2 }, part: 1 });
    expect(converted(parts, BA, { new: { rest: 2 }, part: 1 })['spec']).toEqual({ old: { part: 1, rest: 2 } });
    const into = pair('{move: .spec.y, to: .spec.new.y}', '{move: .spec.old, to: .spec.new}');
    expect(converted(into, AB, { old: { x: 1 }, y: 2 })['spec']).toEqual({ new: { x: 1, y: 2 } });
    const rescue = pair('{remove: .spec.old}', '{move: .spec.old.part, to: .spec.part}');
    expect(converted(rescue, AB, { old: { part: 1, rest: 2 } })['spec']).toEqual({ part: 1 });
  });

  it('set defaults where there is no value, and remove fields', () => {
    const rules = pair('{default: .spec.x, value: {z: [1]}}', '{remove: .spec.old}');
    expect(converted(rules, AB, { old: 1 })['spec']).toEqual({ x: { z: [1] } });
    expect(converted(rules, AB, { x: null })['spec']).toEqual({ x: { z: [1] } });
    expect(converted(rules, AB, { x: 1 })['spec']).toEqual({ x: 1 });
    const items = pair('{default: ".spec.l[*].x", value: 1}');
    expect(converted(items, AB, { l: [{}, { x: 2 }] })['spec']).toEqual({ l: [{ x: 1 }, { x: 2 }] });
    expect(converted(items, AB, {})['spec']).toEqual({});
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
    expect(converted(rules, AB, { first: 'Ada', last: 'L' }, versions)['spec']).toEqual({
      given: 'Ada',
      full: 'Ada L',
    });
    expect(converted(rules, BA, { given: 'Ada', full: 'Ada L' }, versions)['spec']).toEqual({
      first: 'Ada',
      full: 'Ada L',
      last: 'L',
    });
    expect(() => converted(rules, BA, { full: 'Ada' }, versions)).toThrow(
      `g.example/b, Kind=Thing "a" cannot be converted to a: {set: .spec.last, expression: "self.spec.full.split(' ')[1]"}: index out of bounds: 1`,
    );
  });

  it('set values that share nothing with the object, in the format of the field', () => {
    const rules = `
- from: a
  to: b
  fields:
    - { set: .spec.x, expression: self.spec.o }
    - { set: .spec.y, expression: self.spec.o }
    - { set: .spec.days, expression: "self.spec.times.filter(t, true)" }`;
    const o = { type: 'object', properties: { n: INTEGER } };
    const times = { type: 'array', items: { type: 'string', format: 'date-time' } };
    const days = { type: 'array', items: { type: 'string', format: 'date' } };
    const versions = [version('a', { o, times }), version('b', { x: o, y: o, days })];
    const spec = { o: { n: 1 }, times: ['2020-01-02T03:04:05Z'] };
    const { x, y, days: made } = converted(rules, AB, spec, versions)['spec'] as JsonObject;
    expect([x, y, made]).toEqual([{ n: 1 }, { n: 1 }, ['2020-01-02']]);
    expect(x).not.toBe(y);
  });

  it('add to the moves that follow from the opposite direction, or replace them', () => {
    const both = (back: string): string =>
      `[{from: a, to: b, fields: [{move: .spec.x, to: .spec.y}, {move: .spec.p, to: .spec.q}]}, {from: b, to: a, fields: [${back}]}]`;
    const versions = [version('a', { x: INTEGER, p: INTEGER }), version('b', { y: INTEGER, q: INTEGER })];
    const spec = { y: 1, q: 2 };
    expect(converted(both(''), BA, spec, versions)['spec']).toEqual({ x: 1, p: 2 });
    expect(converted(both('{set: .spec.x, expression: "7"}'), BA, spec, versions)['spec']).toEqual({
      x: 7,
      y: 1,
      p: 2,
    });
    expect(converted(both('{remove: .spec.y}'), BA, spec, versions)['spec']).toEqual({ p: 2 });
    expect(converted(both('{move: .spec.q, to: .spec.x}'), BA, spec, versions)['spec']).toEqual({ x: 2, y: 1 });
  });

  it('follow chains of versions, and change only the apiVersion if there is no chain', () => {
    const rules =
      '[{from: v1, to: v2, fields: [{move: .spec.a, to: .spec.b}]}, {from: v2, to: v3, fields: [{move: .spec.b, to: .spec.c}]}]';
    expect(converted(rules, ['v1', 'v3'], { a: 1 })['spec']).toEqual({ c: 1 });
    expect(converted(rules, ['v3', 'v1'], { c: 1 })['spec']).toEqual({ a: 1 });
    expect(converted(rules, ['v1', 'v9'], { a: 1 })).toMatchObject({ apiVersion: 'g.example/v9', spec: { a: 1 } });
  });

  it('prune and default an object between the steps of a chain', () => {
    const rules =
      '[{from: v1, to: v2, fields: []}, {from: v2, to: v3, fields: [{set: .spec.c, expression: "self.spec.b + 1"}]}]';
    const versions = [
      version('v1', { a: INTEGER }),
      version('v2', { b: { type: 'integer', default: 4 } }),
      version('v3', { c: INTEGER }),
    ];
    expect(converted(rules, ['v1', 'v3'], { a: 1 }, versions)['spec']).toEqual({ b: 4, c: 5 });
  });

  it('restore any object after moves there and back', () => {
    const rules = pair(
      '{move: .spec.x, to: .spec.deep.y}',
      '{move: .spec.z, to: .spec.w}',
      '{move: .spec.l, to: .spec.m}',
      '{move: ".spec.l[*].p", to: ".spec.m[*].q"}',
    );
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null));
    const spec = fc.record(
      { x: leaf, z: leaf, other: leaf, l: fc.array(fc.record({ p: leaf, r: leaf }, { requiredKeys: [] })) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(spec, (given) => {
        const there = converted(rules, AB, given as JsonObject)['spec'] as JsonObject;
        const { deep, ...back } = converted(rules, BA, there)['spec'] as JsonObject;
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
        const there = converted('[]', ['v1', 'v2'], given as JsonObject);
        expect(there['apiVersion']).toBe('g.example/v2');
        expect(there['spec']).toEqual(given);
        expect(converted('[]', ['v2', 'v1'], there['spec'] as JsonObject)['spec']).toEqual(given);
      }),
    );
  });
});
