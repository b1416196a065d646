import { describe, expect, it } from 'vitest';
import { checkFieldRules } from './check-field-rules.ts';
import {
  BOOLEAN,
  INTEGER,
  listOf,
  mapOf,
  NUMBER,
  objectOf,
  problems,
  TEXT,
  version,
  versionOf,
} from './fields.fixtures.ts';

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
