import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { checkFieldRules } from './check-field-rules.ts';
import {
  BOOLEAN,
  INTEGER,
  listOf,
  mapOf,
  NUMBER,
  objectOf,
  TEXT,
  type TestVersion,
  version,
  versionOf,
} from './fields.fixtures.ts';

function problems(text: string, versions: readonly TestVersion[]): readonly string[] {
  return checkFieldRules(text, versions).map(({ at, message }) => `${at.join('.')}: ${message}`);
}

/** Checks rules from `a` to `b`, and from `b` to `a`, with every field of both listed as lossy. */
function between(fields: string, a: TestVersion, b: TestVersion, back = ''): readonly string[] {
  const text = `[{from: a, to: b, fields: [${fields}], lossy: [.spec]}, {from: b, to: a, fields: [${back}], lossy: [.spec]}]`;
  return problems(text, [a, b]);
}

const V1BETA1 = version('v1beta1', { cron: TEXT, image: TEXT });
const V1 = version('v1', { schedule: TEXT, image: TEXT });
const RENAME = '[{from: v1beta1, to: v1, fields: [{move: .spec.cron, to: .spec.schedule}]}]';

describe('the annotation', () => {
  it('may be a rename', () => {
    expect(problems(RENAME, [V1BETA1, V1])).toEqual([]);
  });

  it.each([
    ['nonsense', 'x: [', /yaml/i],
    ['an object', 'a: 1', ': must be a list of {from, to, fields, lossy}'],
    ['an unknown field', '[{from: a, to: b, feilds: []}]', '0.feilds: unknown field: the fields are from, to, fields'],
    ['no version', '[{to: b, fields: []}]', '0.from: must be a string'],
    ['twice the same version', '[{from: v1, to: v1}]', '0.to: must be another version'],
    [
      'twice the same pair',
      '[{from: v1, to: v1beta1}, {from: v1, to: v1beta1}]',
      '1: there are rules from v1 to v1beta1',
    ],
    ['an unknown rule', '[{from: a, to: b, fields: [{rename: .x}]}]', 'must have one of move, default, set, remove'],
    ['half a move', '[{from: a, to: b, fields: [{move: .spec.x}]}]', '0.fields.0.to: is missing beside move'],
    ['a bad path', '[{from: a, to: b, fields: [{remove: spec}]}]', 'must be a path such as .spec.ports[*].port'],
    ['a change of identity', '[{from: a, to: b, fields: [{remove: .metadata.name}]}]', 'only labels and annotations'],
    ['a change of type', '[{from: a, to: b, fields: [{remove: .kind}]}]', 'conversion sets apiVersion and kind itself'],
    [
      'a move out of a list',
      '[{from: a, to: b, fields: [{move: ".spec.l[*].a", to: .spec.a}]}]',
      '0.fields.0.to: must begin with .spec.l[*], where the items of .spec.l are after conversion',
    ],
    [
      'a move into a list',
      '[{from: a, to: b, fields: [{move: .spec.a, to: ".spec.l[*].a"}]}]',
      'a value from outside of a list cannot be moved into its items',
    ],
    [
      'a move to items of a list that stays',
      '[{from: a, to: b, fields: [{move: ".spec.l[*].a", to: ".spec.m[*].b"}]}]',
      '{move: .spec.l, to: ...} moves the list itself',
    ],
    [
      'two moves of a field',
      '[{from: a, to: b, fields: [{move: .spec.a, to: .spec.b}, {move: .spec.a, to: .spec.c}]}]',
      '0.fields.1: conflicts with {move: .spec.a, to: .spec.b}',
    ],
    [
      'two moves to a field',
      '[{from: a, to: b, fields: [{move: .spec.a, to: .spec.b}, {set: .spec.b, expression: "1"}]}]',
      '0.fields.1: conflicts with {move: .spec.a, to: .spec.b}',
    ],
    [
      'a set field around another rule',
      '[{from: a, to: b, fields: [{set: .spec.b, expression: "{}"}, {move: .spec.a, to: .spec.b.c}]}]',
      '0.fields.1: conflicts with {set: .spec.b, expression: "{}"}',
    ],
    [
      'an unknown version',
      '[{from: v1beta1, to: v9, fields: [{remove: .spec.cron}]}]',
      '0.to: there is no version v9: the definition has v1beta1, v1',
    ],
    [
      'a misspelt field',
      '[{from: v1beta1, to: v1, fields: [{move: .spec.corn, to: .spec.schedule}]}]',
      '0.fields.0.move: is no field of v1beta1, to which this path belongs: did you mean .spec.cron?',
    ],
    [
      'a field of the other version',
      '[{from: v1beta1, to: v1, fields: [{move: .spec.schedule, to: .spec.cron}]}]',
      '0.fields.0.to: is no field of v1, to which this path belongs; it is a field of v1beta1',
    ],
    ['an unknown lossy field', '[{from: v1beta1, to: v1, lossy: [.spec.imag]}]', '0.lossy.0: is no field of v1beta1'],
    [
      'an expression with an unknown field',
      '[{from: v1beta1, to: v1, fields: [{set: .spec.schedule, expression: self.spec.corn}]}]',
      "0.fields.0.expression: ERROR: <input>:1:10: undefined field 'corn'",
    ],
  ])('is refused with %s', (_what, text, message) => {
    const found = problems(text, [V1BETA1, V1]).join('\n');
    if (typeof message === 'string') expect(found).toContain(message);
    else expect(found).toMatch(message);
  });
});

describe('losses', () => {
  it('are reported, unless they are listed', () => {
    const old = version('v1beta1', { cron: TEXT, image: TEXT, legacy: objectOf({ a: INTEGER }) });
    expect(problems(RENAME, [old, V1])).toEqual([
      '0: .spec.legacy of v1beta1 does not survive the conversion to v1 and back: move it, convert it in both directions with set, or list it under lossy of the rules from v1beta1 to v1',
    ]);
    expect(problems(RENAME.replace('}]}]', '}], lossy: [.spec.legacy]}]'), [old, V1])).toEqual([]);
    expect(problems(RENAME.replace('}]}]', '}], lossy: [.spec.legacy.a]}]'), [old, V1])).toHaveLength(1);
  });

  it('of the other direction are listed there, without repeating the moves', () => {
    const next = version('v1', { schedule: TEXT, image: TEXT, suspend: BOOLEAN });
    expect(problems(RENAME, [V1BETA1, next])).toEqual([
      expect.stringContaining('.spec.suspend of v1 does not survive'),
    ]);
    const listed = `${RENAME.slice(0, -1)}, {from: v1, to: v1beta1, lossy: [.spec.suspend]}]`;
    expect(problems(listed, [V1BETA1, next])).toEqual([]);
  });

  it('include values that another field replaces', () => {
    const [a, b] = [version('a', { x: BOOLEAN, y: BOOLEAN }), version('b', { y: BOOLEAN })];
    expect(problems('[{from: a, to: b, fields: [{move: .spec.x, to: .spec.y}]}]', [a, b])).toEqual([
      expect.stringContaining('.spec.y of a does not survive'),
    ]);
  });

  it('are avoided by expressions that read the field in both directions', () => {
    const [a, b] = [version('a', { size: INTEGER }, 'size'), version('b', { replicas: INTEGER }, 'replicas')];
    const there = '{from: a, to: b, fields: [{set: .spec.replicas, expression: self.spec.size * 2}]}';
    const back = '{from: b, to: a, fields: [{set: .spec.size, expression: self.spec.replicas / 2}]}';
    expect(problems(`[${there}, ${back}]`, [a, b])).toEqual([]);
    expect(problems(`[${there}, ${back.replace('self.spec.replicas / 2', '"1"')}]`, [a, b])).toEqual([
      expect.stringContaining('.spec.size of a does not survive'),
      expect.stringContaining('.spec.replicas of b does not survive'),
    ]);
  });

  it('are avoided by expressions over lists and optionals', () => {
    const a = version('a', { ports: listOf(INTEGER), host: TEXT }, 'ports');
    const b = version('b', { endpoints: listOf(objectOf({ port: INTEGER }, 'port')), target: TEXT }, 'endpoints');
    const rules = `
- from: a
  to: b
  fields:
    - { set: .spec.endpoints, expression: "self.spec.ports.map(p, {'port': p})" }
    - { set: .spec.target, expression: "self.spec.?host.optMap(h, h + '.local')" }
- from: b
  to: a
  fields:
    - { set: .spec.ports, expression: "self.spec.endpoints.map(e, e.port)" }
    - { set: .spec.host, expression: "self.spec.?target" }`;
    expect(problems(rules, [a, b])).toEqual([]);
  });

  it('of fields that the schema does not list are named by their object', () => {
    const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const [a, b] = [version('a', { x: any }), version('b', { x: objectOf({ known: TEXT }) })];
    expect(problems('[{from: a, to: b}]', [a, b])[0]).toContain('an unlisted field of .spec.x of a does not survive');
  });
});

describe('a list that is renamed with a field of its items', () => {
  const a = version('a', { items: listOf(objectOf({ a: TEXT, c: INTEGER }, 'a')) });
  const b = version('b', { entries: listOf(objectOf({ b: TEXT, c: INTEGER }, 'b')) });
  const fields = '{move: .spec.items, to: .spec.entries}, {move: ".spec.items[*].a", to: ".spec.entries[*].b"}';

  it('is accepted', () => {
    expect(problems(`[{from: a, to: b, fields: [${fields}]}]`, [a, b])).toEqual([]);
  });

  it('is checked item by item', () => {
    const other = version('b', { entries: listOf(objectOf({ b: INTEGER, c: TEXT }, 'b')) });
    expect(between(fields, a, other)).toEqual([
      expect.stringMatching(
        /^0.fields.1.to: .spec.items\[\*\].a of a is a string, but .spec.entries\[\*\].b of b is an/,
      ),
      expect.stringMatching(
        /^0.fields.0.to: .spec.items\[\*\].c of a is an integer, but .spec.entries\[\*\].c of b is a/,
      ),
      expect.stringContaining('.spec.entries[*].b of b is an integer, but .spec.items[*].a of a is a string'),
      expect.stringContaining('.spec.entries[*].c of b is a string, but .spec.items[*].c of a is an integer'),
    ]);
  });
});

describe('the types of moved and kept values', () => {
  const INT_OR_STRING = { 'x-kubernetes-int-or-string': true };
  const ANY = { 'x-kubernetes-preserve-unknown-fields': true };
  const mode = (...values: readonly string[]): JsonObject => ({ type: 'string', enum: [...values] });

  /** The problems of a value that is moved from one schema to another, without the way back. */
  function moved(from: JsonObject, to: JsonObject): readonly string[] {
    const found = between(
      '{move: .spec.x, to: .spec.y}',
      version('a', { x: from }),
      version('b', { y: to }),
      '{remove: .spec.y}',
    );
    return found.map((text) => text.replace(/: convert the value with.*/, ''));
  }

  it.each<[string, JsonObject, JsonObject]>([
    ['an integer to a number', INTEGER, NUMBER],
    ['an integer to an integer or a string', INTEGER, INT_OR_STRING],
    ['a string to an integer or a string', TEXT, INT_OR_STRING],
    ['a string to anything', TEXT, ANY],
    ['an object to a map', objectOf({ a: TEXT, b: TEXT }), mapOf(TEXT)],
    ['a string to one with a format', TEXT, { type: 'string', format: 'date-time' }],
    ['an integer to a lower maximum', INTEGER, { type: 'integer', maximum: 5 }],
    ['an enumeration to a longer one', mode('a'), mode('a', 'b')],
    ['a nullable field to one that is not', { type: 'string', nullable: true }, TEXT],
  ])('allow %s', (_what, from, to) => {
    expect(moved(from, to)).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ['a string to an integer', TEXT, INTEGER, '.spec.x of a is a string, but .spec.y of b is an integer'],
    ['a number to an integer', NUMBER, INTEGER, 'is a number, but .spec.y of b is an integer'],
    [
      'an integer or a string to a string',
      INT_OR_STRING,
      TEXT,
      'is an integer or a string, but .spec.y of b is a string',
    ],
    ['anything to a string', ANY, TEXT, 'is of any type, but .spec.y of b is a string'],
    ['a map to an object', mapOf(TEXT), objectOf({ a: TEXT }), 'is a map, but .spec.y of b is an object'],
    ['a list to its item', listOf(TEXT), TEXT, 'is a list, but .spec.y of b is a string'],
    ['a map to one with other values', mapOf(TEXT), mapOf(INTEGER), ".spec.x['<key>'] of a is a string, but"],
    ['a list to one with other items', listOf(TEXT), listOf(INTEGER), '.spec.x[*] of a is a string, but'],
    [
      'an object with another field',
      objectOf({ f: TEXT }),
      objectOf({ f: BOOLEAN }),
      '.spec.x.f of a is a string, but',
    ],
    [
      'an enumeration to a shorter one',
      mode('a', 'b'),
      mode('a', 'c'),
      '.spec.x of a may be "b", but .spec.y of b may not',
    ],
    [
      'a date to a duration',
      { type: 'string', format: 'date' },
      { type: 'string', format: 'duration' },
      'has the format date, but .spec.y of b has the format duration',
    ],
    [
      'a minimum above the maximum',
      { type: 'integer', minimum: 9 },
      { type: 'integer', maximum: 5 },
      'has a value of at least 9, but .spec.y of b has one of at most 5',
    ],
  ])('refuse %s', (_what, from, to, message) => {
    expect(moved(from, to)).toEqual([expect.stringMatching(/^0.fields.0.to: /)]);
    expect(moved(from, to)[0]).toContain(message);
  });

  it('are compared for fields without a rule, unless they are set or removed', () => {
    const [a, b] = [version('a', { x: TEXT }), version('b', { x: INTEGER })];
    expect(between('', a, b)).toEqual([
      expect.stringMatching(/^0: .spec.x of a is a string, but .spec.x of b is an integer: .*, or remove it$/),
      expect.stringMatching(/^1: .spec.x of b is an integer, but .spec.x of a is a string/),
    ]);
    expect(between('{set: .spec.x, expression: "1"}', a, b, '{remove: .spec.x}')).toEqual([]);
  });

  it('are compared for labels, keys of maps and unlisted fields', () => {
    const a = version('a', { n: INTEGER, m: mapOf(INTEGER), any: { type: 'object', ...ANY } });
    const b = version('b', { t: TEXT, u: TEXT, any: { type: 'object', ...ANY } });
    const found = between(
      "{move: .spec.n, to: .metadata.labels.n}, {move: '.spec.m.k', to: .spec.t}, {move: .spec.any.x, to: .spec.u}",
      a,
      b,
      '{remove: .metadata.labels.n}, {remove: .spec.t}, {remove: .spec.u}',
    );
    expect(found).toEqual([
      expect.stringContaining('.spec.n of a is an integer, but .metadata.labels.n of b is a string'),
      expect.stringContaining('.spec.m.k of a is an integer, but .spec.t of b is a string'),
      expect.stringContaining('.spec.any.x of a may have any type, but .spec.u of b is a string'),
    ]);
  });
});

describe('required fields', () => {
  const MOVE = '{move: .spec.cron, to: .spec.schedule}';
  const next = version('b', { schedule: TEXT }, 'schedule');

  it('may come from a required field', () => {
    expect(between(MOVE, version('a', { cron: TEXT }, 'cron'), next)).toEqual([]);
    expect(between(MOVE, version('a', { cron: { type: 'string', default: 'x' } }), next)).toEqual([]);
  });

  it('may not come from an optional field without a default', () => {
    const old = version('a', { cron: TEXT });
    const message =
      '0.fields.0: .spec.schedule is required in b, but .spec.cron may be absent in a: add {default: .spec.schedule, value: ...}';
    expect(between(MOVE, old, next)).toEqual([message]);
    expect(between(MOVE, version('a', { cron: { type: 'string', nullable: true } }, 'cron'), next)).toEqual([message]);
    expect(between(`${MOVE}, {default: .spec.schedule, value: x}`, old, next)).toEqual([]);
    const withDefault = version('b', { schedule: { type: 'string', default: 'x' } }, 'schedule');
    expect(between(MOVE, old, withDefault)).toEqual([]);
  });

  it('may not come from nowhere, nor from an expression that may set nothing', () => {
    const old = version('a', { other: TEXT });
    expect(between('', old, next)).toEqual([
      '0: .spec.schedule is required in b, but nothing in a becomes this field: add {default: .spec.schedule, value: ...}',
    ]);
    const set = (expression: string): readonly string[] =>
      between(`{set: .spec.schedule, expression: "${expression}"}`, old, next);
    expect(set('self.spec.?other')).toEqual([expect.stringContaining('but the expression may set nothing')]);
    expect(set('self.spec.?other.orValue(string(1))')).toEqual([]);
  });

  it('are looked for in objects that a rule makes', () => {
    const old = version('a', { x: TEXT, y: TEXT });
    const into = version('b', { o: objectOf({ x: TEXT, y: TEXT }, 'x') });
    const both = '{move: .spec.x, to: .spec.o.x}, {move: .spec.y, to: .spec.o.y}';
    expect(between('{move: .spec.x, to: .spec.o.x}', old, into)).toEqual([]);
    expect(between(both, old, into)).toEqual([expect.stringContaining('.spec.x may be absent in a')]);
    const always = version('a', { x: TEXT, y: TEXT }, 'x');
    expect(between(both, always, into, '{default: .spec.x, value: z}')).toEqual([]);
    const kept = version('a', { o: objectOf({ x: TEXT }, 'x') });
    expect(between('{default: .spec.o.y, value: z}', kept, into, '{remove: .spec.o.y}')).toEqual([
      expect.stringContaining('.spec.o.x is required in b, but .spec.o.x may be absent in a'),
    ]);
  });

  it('are looked for in items and at the root', () => {
    const [a, b] = [
      version('a', { l: listOf(objectOf({ x: TEXT })) }),
      version('b', { l: listOf(objectOf({ x: TEXT }, 'x')) }),
    ];
    expect(between('', a, b)).toEqual([expect.stringContaining('.spec.l[*].x is required in b')]);
    expect(between('{default: ".spec.l[*].x", value: z}', a, b)).toEqual([]);
    const loose = versionOf('a', objectOf({ spec: objectOf({ x: TEXT }) }));
    expect(between('', loose, version('b', { x: TEXT }))).toEqual([
      expect.stringContaining('.spec is required in b, but .spec may be absent in a'),
    ]);
  });
});

describe('defaults', () => {
  const port = objectOf({ size: { type: 'integer', maximum: 9 } }, 'size');
  const rule = { rule: 'self != "bad"' };
  const a = version('a', {});
  const b = version('b', { suspend: BOOLEAN, port, name: { type: 'string', 'x-kubernetes-validations': [rule] } });

  it.each([
    ['.spec.suspend', '"no"', 'spec.suspend: Invalid value: "string": must be of type boolean: "string"'],
    ['.spec.port', '{size: 10}', 'spec.port.size: Invalid value: 10: size in body should be less than or equal to 9'],
    ['.spec.port', '{}', 'spec.port.size: Required value'],
    ['.spec.port', '{size: 1, m: 2}', 'must not have unknown fields'],
    ['.spec.name', 'bad', 'failed rule: self != "bad"'],
    ['.metadata.labels.x', '"a b"', 'a valid label must be an empty string or consist of'],
    ['.metadata.annotations.x', '1', 'must be a string'],
  ])('%s must not be %s', (path, value, message) => {
    const found = between(`{default: ${path}, value: ${value}}`, a, b);
    expect(found).toEqual([expect.stringMatching(/^0.fields.0.value: /)]);
    expect(found[0]).toContain(message);
  });

  it('may be valid values', () => {
    const fields =
      '{default: .spec.suspend, value: false}, {default: .spec.port, value: {size: 1}}, {default: .spec.name, value: x}';
    expect(between(fields, a, b)).toEqual([]);
  });
});

describe('expressions', () => {
  const a = version(
    'a',
    {
      size: INTEGER,
      must: INTEGER,
      ratio: NUMBER,
      any: { 'x-kubernetes-int-or-string': true },
      time: { type: 'string', format: 'date-time' },
      ports: listOf(objectOf({ number: INTEGER, name: TEXT }, 'number')),
      inner: objectOf({ x: TEXT }, 'x'),
      labels: mapOf(TEXT),
    },
    'must',
    'ratio',
    'any',
    'time',
    'ports',
    'inner',
    'labels',
  );
  const b = version('b', {
    replicas: INTEGER,
    ratio2: NUMBER,
    text: TEXT,
    mode: { type: 'string', enum: ['fast', 'slow'] },
    flag: BOOLEAN,
    either: { 'x-kubernetes-int-or-string': true },
    day: { type: 'string', format: 'date' },
    nothing: { type: 'string', nullable: true },
    endpoints: listOf(objectOf({ port: INTEGER, title: TEXT }, 'port')),
    inner2: objectOf({ x: TEXT }, 'x'),
    inner3: objectOf({ x: INTEGER }),
    inner4: objectOf({ x: TEXT, y: TEXT }, 'y'),
    tags: mapOf(TEXT),
    numbers: mapOf(INTEGER),
  });

  function setting(field: string, expression: string): readonly string[] {
    const text = JSON.stringify([
      { from: 'a', to: 'b', fields: [{ set: field, expression }], lossy: ['.spec'] },
      {
        from: 'b',
        to: 'a',
        fields: Object.entries(DEFAULTS).map(([name, value]) => ({ default: `.spec.${name}`, value })),
        lossy: ['.spec'],
      },
    ]);
    return problems(text, [a, b]);
  }
  const DEFAULTS = { must: 1, ratio: 1, any: 1, time: '2020-01-02T03:04:05Z', ports: [], inner: { x: '' }, labels: {} };

  it.each([
    ['.spec.replicas', 'self.spec.must * 2'],
    ['.spec.replicas', 'self.spec.?size.orValue(1)'],
    ['.spec.replicas', 'has(self.spec.size) ? self.spec.size : 0'],
    ['.spec.replicas', 'optional.none()'],
    ['.spec.replicas', 'self.spec.must > 1 ? optional.of(1) : optional.none()'],
    ['.spec.ratio2', 'self.spec.must'],
    ['.spec.text', 'string(self.spec.must)'],
    ['.spec.text', 'self.spec.time'],
    ['.spec.mode', 'self.spec.must > 1 ? "fast" : "slow"'],
    ['.spec.either', 'self.spec.any'],
    ['.spec.either', '"50%"'],
    ['.spec.day', 'self.spec.time'],
    ['.spec.nothing', 'null'],
    ['.spec.endpoints', 'self.spec.ports.map(p, {"port": p.number})'],
    ['.spec.endpoints', 'self.spec.ports.map(p, has(p.name), {"port": dyn(p.number), "title": dyn(p.name)})'],
    ['.spec.endpoints', '[{"port": dyn(1), ?"title": dyn(self.spec.ports[?0].?name)}]'],
    ['.spec.inner2', 'self.spec.inner'],
    ['.spec.tags', 'self.spec.labels'],
    ['.spec.tags', '{"a": self.metadata.name}'],
    ['.metadata.annotations.x', 'string(self.spec.must)'],
  ])('may set %s by %s', (field, expression) => {
    expect(setting(field, expression)).toEqual([]);
  });

  it.each([
    ['.spec.replicas', '"many"', 'an expression of type string cannot set an integer'],
    ['.spec.replicas', 'self.spec.ratio', 'an expression of type double cannot set an integer'],
    ['.spec.replicas', 'self.spec.any', 'its type is known only at run time; convert it, such as by int()'],
    ['.spec.replicas', 'dyn("x")', 'an expression of type string cannot set an integer'],
    ['.spec.replicas', 'self.spec.must > 1 ? dyn(1) : dyn("x")', 'an expression of type string cannot set an integer'],
    ['.spec.replicas', 'self.spec.?ratio', 'an expression of type double cannot set an integer'],
    ['.spec.replicas', 'self.spec.?text', "undefined field 'text'"],
    ['.spec.text', 'null', 'an expression of type null cannot set a string'],
    ['.spec.flag', 'self.spec.must', 'an expression of type int cannot set a boolean'],
    ['.spec.mode', '"Fast"', '"Fast" is none of the values that the field may have'],
    ['.spec.either', '1.5', 'an expression of type double cannot set an integer or a string'],
    ['.spec.endpoints', 'self.spec.ports', 'the object needs the field "port"'],
    ['.spec.endpoints', 'self.spec.ports.map(p, {"number": p.number})', 'the object has no field "number"'],
    [
      '.spec.endpoints',
      'self.spec.ports.map(p, {"port": "x"})',
      '"port": an expression of type string cannot set an integer',
    ],
    ['.spec.endpoints', '[{"title": "x"}]', 'the object needs the field "port"'],
    ['.spec.endpoints', 'self.spec.ports.map(p, p.number)', 'an expression of type int cannot set an object'],
    ['.spec.inner2', 'self.spec.labels', 'an expression of type map(string, string) cannot set an object'],
    ['.spec.inner3', 'self.spec.inner', '"x": the value is a string, but the field is an integer'],
    ['.spec.inner4', 'self.spec.inner', 'the object needs the field "y"'],
    ['.spec.numbers', 'self.spec.labels', 'an expression of type string cannot set an integer'],
    ['.spec.day', 'duration("1s")', 'cannot set a string'],
    ['.metadata.labels.x', 'self.spec.must', 'an expression of type int cannot set a string'],
    [
      '.spec.replicas',
      'self.spec.size * 2',
      'self.spec.size may be absent: write self.spec.?size, or test has(self.spec.size)',
    ],
    ['.spec.text', 'self.spec.ports[0].name', 'the item may be absent from self.spec.ports'],
    ['.spec.text', 'self.spec.labels.x', 'self.spec.labels.x may be absent'],
    ['.spec.text', 'self.spec.ports.map(p, p.name).join(",")', 'p.name may be absent'],
  ])('may not set %s by %s', (field, expression, message) => {
    expect(setting(field, expression).join('\n')).toContain(message);
  });

  it('need has() for a spec that may be absent, and for a status with a default', () => {
    const status = { type: 'object', default: {}, properties: { ready: INTEGER } };
    const loose = versionOf('a', objectOf({ spec: objectOf({ x: INTEGER }, 'x'), status }));
    const target = versionOf('b', objectOf({ spec: objectOf({ y: INTEGER }) }));
    const found = (expression: string): string =>
      problems(
        JSON.stringify([{ from: 'a', to: 'b', fields: [{ set: '.spec.y', expression }], lossy: ['.spec', '.status'] }]),
        [loose, target],
      ).join();
    expect(found('self.spec.x')).toContain('self.spec may be absent: write self.?spec, or test has(self.spec) before');
    expect(found('self.status.?ready')).toContain('self.status may be absent');
    expect(found('self.?spec.?x')).not.toContain('absent');
    expect(found('self.metadata.name.size()')).not.toContain('absent');
    expect(found('self.metadata.generateName.size()')).toContain('self.metadata.generateName may be absent');
  });

  it('need a schema', () => {
    const without = { name: 'a', schema: undefined, prune: () => undefined };
    const text = '[{from: a, to: b, fields: [{set: .spec.text, expression: "\'x\'"}]}]';
    expect(checkFieldRules(text, [without, b]).map(({ message }) => message)).toEqual([
      'an expression needs a structural schema of a',
    ]);
  });
});
