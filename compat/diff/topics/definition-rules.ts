/** CEL rules (`x-kubernetes-validations`) in CustomResourceDefinitions: compilation, cost, and use of old values. */
import { type Topic, topic } from '../request.ts';
import { type Fields, tries, withSchema } from './definition-bodies.ts';

type Rule = string | Fields;

function rulesOf(rules: readonly Rule[]): readonly Fields[] {
  return rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
}

/** A root with properties below `spec`, which has the rules. */
function onSpec(properties: Fields, ...rules: readonly Rule[]): Fields {
  const spec = { type: 'object', properties, 'x-kubernetes-validations': rulesOf(rules) };
  return withSchema('things', { type: 'object', properties: { spec } });
}

/** Rules on one property. */
function on(field: Fields, ...rules: readonly Rule[]): Fields {
  const ruled = { ...field, 'x-kubernetes-validations': rulesOf(rules) };
  return withSchema('things', {
    type: 'object',
    properties: { spec: { type: 'object', properties: { field: ruled } } },
  });
}

const SIMPLE = {
  n: { type: 'integer' },
  s: { type: 'string' },
  f: { type: 'number' },
  b: { type: 'boolean' },
  l: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } },
  m: { type: 'object', maxProperties: 10, additionalProperties: { type: 'integer' } },
  o: { type: 'object', properties: { x: { type: 'string' } } },
};
const ITEMS = { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'string' } } };

export const definitionRules: Topic = topic('definition rules', {
  'that compile': tries(
    [
      'self.n > 0',
      'has(self.s) && self.s.startsWith("a")',
      'self.f < 1.5 || self.b',
      'self.l.all(x, x.size() < 5)',
      'self.m.exists(k, self.m[k] > 1)',
      'self.o.x == "y"',
      'self.s.matches("^[a-z]+$")',
      'oldSelf.n == self.n',
      'size(self.s) == self.s.size()',
      'self.l.exists_one(x, x == "a")',
      'self.l.map(x, x + "b").size() == 1',
      'self.l.isSorted() && self.l.indexOf("a") >= 0',
      'url("https://x").getHost() == "x"',
      'quantity("1Gi").isGreaterThan(quantity("1Mi"))',
      'isIP("1.2.3.4") && cidr("10.0.0.0/8").containsIP("10.1.1.1")',
      'self.s.find("a+") == "a" && self.s.split(",").size() > 1',
      '!format.dns1123Label().validate(self.s).hasValue()',
      'optional.of(self.n).hasValue()',
      'sets.contains(["a"], self.l)',
      'duration("1h") > duration("1m")',
      'timestamp("2024-01-01T00:00:00Z") < timestamp("2025-01-01T00:00:00Z")',
      'semver("1.2.3").major() == 1',
      '[1, 2, 3].all(i, v, i < v)',
      'self.?s.orValue("") == ""',
      'type(self.n) == int',
    ].map((rule) => onSpec(SIMPLE, rule)),
  ),
  'that do not compile': tries(
    [
      'self.n >',
      'self.unknown == 1',
      'self.n == "a"',
      'self.n',
      '"text"',
      'unknown(self.n)',
      'self.s.nope()',
      'self.n + 1.0 > 2',
      'self.l[“a”]',
      'math.greatest(1, 2) == 2',
      'base64.decode("YQ==") == b"a"',
      'has(self)',
      'self.l.all(1, true)',
      'self.s.matches("(")',
      'duration("nope") == duration("1s")',
      'self.a.b.c.d',
      '',
      ' ',
      "self.s == 'a\nb'",
      'x == 1',
    ].map((rule) => onSpec(SIMPLE, rule)),
  ),
  'with other fields': tries([
    onSpec(SIMPLE, { rule: 'self.n > 0', message: 'must be positive', reason: 'FieldValueForbidden', fieldPath: '.n' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', message: '  ' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', message: 'a\nb' }),
    onSpec(SIMPLE, { rule: 'self.n >\n0' }),
    onSpec(SIMPLE, { rule: 'self.n >\n0', message: 'm' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', reason: 'Other' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', reason: '' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', fieldPath: 'n' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', fieldPath: '.nope' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', fieldPath: ".o['x']" }),
    onSpec(SIMPLE, { rule: 'self.n > 0', fieldPath: '.l[0]' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', fieldPath: ' ' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', fieldPath: '.n\n' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', messageExpression: '"n is " + string(self.n)' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', messageExpression: 'self.n' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', messageExpression: 'self.' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', messageExpression: '' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', messageExpression: ' ' }),
    onSpec(SIMPLE, { rule: 'self.nope', messageExpression: 'self.nope' }),
    onSpec(SIMPLE, { rule: 'self.n > 0', optionalOldSelf: true }),
    onSpec(SIMPLE, { rule: 'self.n > oldSelf.n', optionalOldSelf: true }),
    onSpec(SIMPLE, { rule: 'oldSelf.hasValue()', optionalOldSelf: true }),
    onSpec(SIMPLE, { rule: 'oldSelf.n > 0', optionalOldSelf: false }),
    onSpec(SIMPLE, { rule: 'self.n > 0' }, { rule: 'self.n > 0' }),
  ]),
  'that look back': tries([
    on({
      type: 'array',
      maxItems: 5,
      items: { ...ITEMS, 'x-kubernetes-validations': [{ rule: 'self.k == oldSelf.k' }] },
    }),
    on({
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { ...ITEMS, 'x-kubernetes-validations': [{ rule: 'self.v == oldSelf.v' }] },
    }),
    on({
      type: 'object',
      maxProperties: 5,
      additionalProperties: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    }),
    on({
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } },
    }),
    on({ type: 'array', maxItems: 5, items: { type: 'string' } }, 'self == oldSelf'),
  ]),
  'on every type': tries([
    on({ type: 'string', maxLength: 10 }, 'self == "a"'),
    on({ type: 'integer' }, 'self == 1'),
    on({ type: 'number' }, 'self == 1.0', 'self == 1'),
    on({ type: 'boolean' }, 'self'),
    on({ type: 'string', format: 'date-time' }, 'self > timestamp("2024-01-01T00:00:00Z")'),
    on({ type: 'string', format: 'date' }, 'self.getFullYear() > 2000'),
    on({ type: 'string', format: 'duration' }, 'self > duration("1s")'),
    on({ type: 'string', format: 'byte' }, 'self.size() > 1', 'self == b"a"'),
    on({ 'x-kubernetes-int-or-string': true }, 'type(self) == int || self == "a"', 'self > 1'),
    on({ 'x-kubernetes-preserve-unknown-fields': true }, 'self == 1'),
    on({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, 'has(self.a)', 'self.a == 1'),
    on(
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      'self.metadata.name == "x"',
      'self.kind == "Pod" && self.apiVersion == "v1"',
      'self.metadata.labels.size() == 0',
    ),
    on({ type: 'string', nullable: true }, 'self == null'),
    on({ type: 'string', enum: ['a', 'b'] }, 'self in ["a", "b"]'),
    onSpec({ 'a-b': { type: 'string' }, namespace: { type: 'string' } }, 'self.a__dash__b == self.__namespace__'),
    onSpec({ 'a.b/c': { type: 'string' }, int: { type: 'string' } }, 'self.a__dot__b__slash__c == self.int'),
    onSpec({ 'a b': { type: 'string' } }, 'self.a == "b"'),
    withSchema('things', {
      type: 'object',
      'x-kubernetes-validations': [
        { rule: 'self.metadata.name.startsWith("a")' },
        { rule: 'self.metadata.generateName == "" && self.kind == "Things"' },
        { rule: 'self.metadata.labels == {}' },
      ],
    }),
    on({ type: 'object', anyOf: [{ 'x-kubernetes-validations': [{ rule: 'true' }] }] }),
    on({ type: 'string', default: 'b' }, 'self == "a"'),
  ]),
  'that cost too much': tries([
    onSpec({ l: { type: 'array', items: { type: 'string' } } }, 'self.l.all(x, self.l.all(y, x == y))'),
    onSpec(
      { l: { type: 'array', items: { type: 'object', properties: { s: { type: 'string' } } } } },
      'self.l.all(x, x.s.matches("a"))',
    ),
    onSpec({ s: { type: 'string' } }, 'self.s.contains("x")'),
    onSpec(
      { l: { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 1000 } } },
      'self.l.all(x, x.matches("a"))',
    ),
    on({
      type: 'array',
      items: {
        type: 'array',
        items: {
          type: 'array',
          items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.contains("a")' }] },
        },
      },
    }),
    on({
      type: 'array',
      maxItems: 100,
      items: { type: 'string', maxLength: 5000, 'x-kubernetes-validations': [{ rule: 'self.contains("abcdef")' }] },
    }),
    onSpec(
      { l: { type: 'array', items: { type: 'string' } } },
      { rule: 'true', messageExpression: 'self.l.map(x, self.l.map(y, y + x).join(",")).join(",")' },
    ),
    onSpec(
      { l: { type: 'array', maxItems: 90, items: { type: 'string', maxLength: 100 } } },
      ...Array.from({ length: 15 }, (_, i) => `self.l.all(x, self.l.all(y, x.contains(y) || ${i} > 1))`),
    ),
  ]),
});
