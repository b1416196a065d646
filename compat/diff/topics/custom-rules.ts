/** CEL rules of schemas (x-kubernetes-validations): messages, reasons, paths, transitions, ratcheting. */
import { patch, put, type Step, type Topic, topic } from '../request.ts';
import { type CustomKind, customKind, kindWith, versionWith } from './custom-kind.ts';
import type { Fields } from './definition-bodies.ts';

const INTEGER = { type: 'integer' };
const STRING = { type: 'string', maxLength: 50 };

function rules(...list: readonly Fields[]): Fields {
  return { 'x-kubernetes-validations': list };
}

function tries(kind: CustomKind, specs: readonly unknown[]): readonly Step[] {
  return [...kind.make, ...specs.map((spec) => kind.create('a', { spec }, { query: '?dryRun=All', anyOrder: true }))];
}

const messages = kindWith('messages', {
  plain: { ...INTEGER, ...rules({ rule: 'self > 1' }) },
  message: { ...INTEGER, ...rules({ rule: 'self > 1', message: 'has to be above one' }) },
  expression: { ...INTEGER, ...rules({ rule: 'self > 1', messageExpression: '"above one, not " + string(self)' }) },
  both: { ...INTEGER, ...rules({ rule: 'self > 1', message: 'fallback', messageExpression: '"x".substring(self)' }) },
  empty: { ...INTEGER, ...rules({ rule: 'self > 1', message: 'fallback', messageExpression: '"  "' }) },
  lines: { ...INTEGER, ...rules({ rule: 'self > 1', message: 'fallback', messageExpression: '"a\\nb"' }) },
  several: { ...INTEGER, ...rules({ rule: 'self > 1' }, { rule: 'self > 2' }, { rule: 'self < 0' }) },
  long: { ...INTEGER, ...rules({ rule: 'self > 1 && self > 1\n&& self > 1' }) },
});
const reasons = kindWith('reasons', {
  invalid: { ...INTEGER, ...rules({ rule: 'self > 1', reason: 'FieldValueInvalid' }) },
  forbidden: { ...INTEGER, ...rules({ rule: 'self > 1', reason: 'FieldValueForbidden' }) },
  required: { ...INTEGER, ...rules({ rule: 'self > 1', reason: 'FieldValueRequired' }) },
  duplicate: { ...INTEGER, ...rules({ rule: 'self > 1', reason: 'FieldValueDuplicate' }) },
});
const paths = kindWith('paths', {
  pair: {
    type: 'object',
    properties: { min: INTEGER, max: INTEGER, 'x.y': INTEGER, nested: { type: 'object', properties: { a: INTEGER } } },
    ...rules(
      { rule: '!has(self.min) || !has(self.max) || self.min <= self.max', fieldPath: '.max' },
      { rule: '!has(self.x__dot__y) || self.x__dot__y > 0', fieldPath: "['x.y']" },
      {
        rule: '!has(self.nested) || !has(self.nested.a) || self.nested.a > 0',
        fieldPath: '.nested.a',
        reason: 'FieldValueForbidden',
      },
    ),
  },
  list: {
    type: 'array',
    maxItems: 10,
    items: { type: 'object', properties: { v: INTEGER }, ...rules({ rule: 'self.v > 0', fieldPath: '.v' }) },
    ...rules({ rule: 'self.all(x, x.v < 10)', message: 'all below ten' }),
  },
  map: {
    type: 'object',
    maxProperties: 10,
    additionalProperties: { type: 'integer', ...rules({ rule: 'self != 3' }) },
  },
});
const transitions = kindWith('transitions', {
  fixed: { ...STRING, ...rules({ rule: 'self == oldSelf', message: 'never changes' }) },
  grows: { ...INTEGER, ...rules({ rule: 'self >= oldSelf' }) },
  optional: {
    ...INTEGER,
    ...rules({ rule: 'oldSelf.orValue(0) <= self', optionalOldSelf: true, message: 'may not shrink' }),
  },
  keyed: {
    type: 'array',
    maxItems: 5,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: STRING, n: INTEGER },
      ...rules({ rule: 'self.n >= oldSelf.n' }),
    },
  },
  whole: {
    type: 'object',
    properties: { a: INTEGER },
    ...rules({ rule: '!has(oldSelf.a) || has(self.a)', message: 'a stays' }),
  },
});
const libraries = kindWith('libraries', {
  quantity: { ...STRING, ...rules({ rule: 'quantity(self).isGreaterThan(quantity("1Gi"))' }) },
  url: { ...STRING, ...rules({ rule: 'isURL(self) && url(self).getScheme() == "https"' }) },
  ip: { ...STRING, ...rules({ rule: 'ip(self).family() == 4' }) },
  cidr: { ...STRING, ...rules({ rule: 'cidr("10.0.0.0/8").containsIP(ip(self))' }) },
  regex: { ...STRING, ...rules({ rule: 'self.matches("^[a-z]+$") && self.find("b+") == "bb"' }) },
  time: { type: 'string', format: 'date-time', ...rules({ rule: 'self > timestamp("2020-01-01T00:00:00Z")' }) },
  span: { type: 'string', format: 'duration', ...rules({ rule: 'self <= duration("1h")' }) },
  bytes: { type: 'string', format: 'byte', maxLength: 20, ...rules({ rule: 'size(self) == 3' }) },
  either: { 'x-kubernetes-int-or-string': true, ...rules({ rule: 'type(self) == int ? self < 5 : self == "x"' }) },
  semver: { ...STRING, ...rules({ rule: 'semver(self).major() == 1' }) },
  list: { type: 'array', maxItems: 5, items: INTEGER, ...rules({ rule: 'self.isSorted() && self.sum() < 10' }) },
});
const runtime = kindWith('runtimes', {
  divide: { ...INTEGER, ...rules({ rule: '10 / self > 1' }) },
  index: { type: 'array', maxItems: 5, items: INTEGER, ...rules({ rule: 'self[0] == 1' }) },
  missing: { type: 'object', properties: { a: INTEGER }, ...rules({ rule: 'self.a == 1' }) },
  convert: { ...STRING, ...rules({ rule: 'int(self) == 1' }) },
  overflow: { type: 'integer', format: 'int64', ...rules({ rule: 'self + 1 > 0' }) },
  bad: { ...STRING, ...rules({ rule: 'quantity(self).sign() == 1' }) },
});
const roots = customKind('ruleroots', [
  versionWith(
    {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: INTEGER, b: INTEGER } },
        status: { type: 'object', properties: { n: INTEGER } },
      },
      ...rules(
        { rule: 'self.metadata.name.startsWith("r-")', message: 'names begin with r-' },
        { rule: 'self.kind == "Ruleroots" && self.apiVersion == "ruleroots.example.com/v1"' },
        { rule: '!has(self.spec) || !has(self.spec.a) || self.spec.a < 10', fieldPath: '.spec.a' },
        { rule: '!has(self.status) || self.status.n < 5', fieldPath: '.status.n', reason: 'FieldValueForbidden' },
      ),
    },
    { subresources: { status: {} } },
  ),
]);
const costly = kindWith('costlies', {
  list: {
    type: 'array',
    maxItems: 1000,
    items: { type: 'integer' },
    ...rules({ rule: 'self.all(x, self.exists(y, y == x + 1000000))' }),
  },
});
const ratchets = kindWith('ruleratchets', {
  a: INTEGER,
  b: INTEGER,
  list: { type: 'array', items: INTEGER, maxItems: 5 },
});
const STRICT: Fields = {
  spec: {
    versions: [
      versionWith({
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              a: { ...INTEGER, ...rules({ rule: 'self < 10' }) },
              b: INTEGER,
              list: { type: 'array', maxItems: 5, items: INTEGER, ...rules({ rule: 'self.all(x, x < 10)' }) },
            },
            ...rules({ rule: '!has(self.a) || !has(self.b) || self.a != self.b' }),
          },
        },
      }),
    ],
  },
};

export const customRules: Topic = topic('custom rules', {
  messages: tries(messages, [
    { plain: 1, message: 1, expression: 1, both: 1, empty: 1, lines: 1, several: 1, long: 1 },
    { plain: 2, message: 2, expression: 2, both: 9, several: 2 },
    { both: 0 },
    { plain: 'x', message: 1 },
  ]),
  reasons: tries(reasons, [
    { invalid: 1, forbidden: 1, required: 1, duplicate: 1 },
    { invalid: 2, forbidden: 2, required: 2, duplicate: 2 },
    { required: 1 },
  ]),
  paths: tries(paths, [
    { pair: { min: 2, max: 1, 'x.y': 0, nested: { a: 0 } } },
    { pair: {}, list: [{ v: 1 }, { v: 0 }, { v: 10 }], map: { a: 1, b: 3, 'c/d.e': 3 } },
    { list: [{}] },
    { list: [{ v: 1 }], map: {} },
  ]),
  transitions: [
    ...transitions.make,
    transitions.create('a', {
      spec: {
        fixed: 'x',
        grows: 5,
        optional: 5,
        keyed: [
          { name: 'p', n: 1 },
          { name: 'q', n: 2 },
        ],
        whole: { a: 1 },
      },
    }),
    transitions.create('b', { spec: { optional: -1 } }),
    patch('merge', transitions.at('a'), { spec: { fixed: 'y', grows: 4, optional: 4 } }, { anyOrder: true }),
    patch('merge', transitions.at('a'), { spec: { fixed: null } }),
    patch('merge', transitions.at('a'), { spec: { fixed: 'new' } }),
    patch('merge', transitions.at('a'), {
      spec: {
        keyed: [
          { name: 'q', n: 1 },
          { name: 'r', n: 0 },
          { name: 'p', n: 1 },
        ],
      },
    }),
    patch('merge', transitions.at('a'), { spec: { whole: { a: null } } }),
    patch('merge', transitions.at('a'), { spec: { whole: null } }),
    put(transitions.at('a'), transitions.object('a', { spec: { grows: 6, optional: 6 } })),
    patch('merge', transitions.at('a'), { spec: { grows: 6 } }),
  ],
  libraries: tries(libraries, [
    {
      quantity: '2Gi',
      url: 'https://example.com',
      ip: '10.0.0.1',
      cidr: '10.1.1.1',
      regex: 'abbc',
      time: '2024-01-01T00:00:00Z',
      span: '30m',
      bytes: 'AAEC',
      either: 4,
      semver: '1.2.3',
      list: [1, 2, 3],
    },
    {
      quantity: '1Mi',
      url: 'http://example.com',
      ip: '::1',
      cidr: '11.1.1.1',
      regex: 'abc',
      time: '2019-01-01T00:00:00Z',
      span: '2h',
      bytes: 'AAE=',
      either: 6,
      semver: '2.0.0',
      list: [3, 2],
    },
    { quantity: 'x' },
    { ip: 'x' },
    { cidr: 'x' },
    { semver: 'x' },
    { either: 'x', url: ':' },
    { either: 'y', list: [1, 9] },
    { time: 'x' },
  ]),
  'errors while rules run': tries(runtime, [
    { divide: 0 },
    { index: [] },
    { missing: {} },
    { convert: 'x' },
    { overflow: 9007199254740991 },
    { bad: '' },
    { divide: 5, index: [1], missing: { a: 1 }, convert: '1', overflow: 1, bad: '1' },
    { divide: 0, index: [], missing: {}, convert: '' },
  ]),
  'the root': [
    ...roots.make,
    roots.create('r-a', { spec: { a: 1 } }),
    roots.create('x', { spec: { a: 10 } }),
    roots.create('r-b', { spec: { a: 'x' } }),
    patch('merge', roots.at('r-a'), { spec: { a: 11 } }),
    patch('merge', roots.at('r-a', '/status'), { status: { n: 9 } }),
    patch('merge', roots.at('r-a', '/status'), { status: { n: 4 } }),
  ],
  costs: tries(costly, [{ list: Array.from({ length: 1000 }, (_, i) => i) }, { list: [1] }]),
  ratcheting: [
    ...ratchets.make,
    ratchets.create('a', { spec: { a: 50, b: 50, list: [50] } }),
    ratchets.redefine(STRICT),
    ratchets.create('w', { spec: { a: 50 } }, { query: '?dryRun=All', until: 422 }),
    patch('merge', ratchets.at('a'), { metadata: { labels: { x: 'y' } } }, { anyOrder: true }),
    patch('merge', ratchets.at('a'), { spec: { b: 51 } }, { anyOrder: true }),
    patch('merge', ratchets.at('a'), { spec: { b: 50 } }, { anyOrder: true }),
    patch('merge', ratchets.at('a'), { spec: { a: 51 } }),
    patch('merge', ratchets.at('a'), { spec: { list: [50, 1] } }),
    patch('merge', ratchets.at('a'), { spec: { list: [1] } }),
  ],
});
