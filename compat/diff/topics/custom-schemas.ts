/** The effects of schemas on custom resources: unknown fields, defaults, pruning, types, lists, formats, ratcheting. */
import { get, patch, post, put, type Step, type Topic, topic } from '../request.ts';
import { FORMATS } from './custom-formats.ts';
import { type CustomKind, customKind, kindWith, specOf, versionWith } from './custom-kind.ts';
import type { Fields } from './definition-bodies.ts';

const PRESERVE = { 'x-kubernetes-preserve-unknown-fields': true };
const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };
const KEYED = {
  type: 'object',
  required: ['port'],
  properties: { port: INTEGER, protocol: { type: 'string', default: 'TCP' }, name: STRING },
};

/** Creates with each spec, as dry runs. */
function tries(kind: CustomKind, specs: readonly unknown[], query = ''): readonly Step[] {
  return [
    ...kind.make,
    ...specs.map((spec) => kind.create('a', { spec }, { query: `?dryRun=All${query}`, anyOrder: true })),
  ];
}

const modes = kindWith('modes', {
  a: STRING,
  inner: { type: 'object', properties: { b: STRING } },
  list: { type: 'array', items: { type: 'object', properties: { c: STRING } } },
  map: { type: 'object', additionalProperties: { type: 'object', properties: { d: STRING } } },
});
const UNKNOWN = {
  odd: 1,
  spec: {
    odd: 2,
    a: 'a',
    inner: { odd: 3 },
    list: [{ c: 'c', odd: 4 }, { odd: 5 }],
    map: { k: { odd: 6 }, l: { d: 'd' } },
  },
};

const defaults = kindWith('fills', {
  text: { type: 'string', default: 'given' },
  number: { type: 'integer', default: 7 },
  object: { type: 'object', default: {}, properties: { inner: { type: 'boolean', default: true } } },
  deep: { type: 'object', properties: { inner: { type: 'string', default: 'only with its parent' } } },
  nullable: { type: 'string', nullable: true, default: 'n' },
  notNullable: { type: 'string', default: 'nn' },
  list: {
    type: 'array',
    default: [{ a: 'x' }],
    items: { type: 'object', properties: { a: STRING, b: { type: 'string', default: 'y' } } },
  },
  map: {
    type: 'object',
    additionalProperties: { type: 'object', properties: { c: { type: 'string', default: 'z' } } },
  },
});

const nulls = kindWith('nulls', {
  n: { type: 'string', nullable: true },
  s: STRING,
  o: { type: 'object', properties: { x: STRING } },
  on: { type: 'object', nullable: true, properties: { x: STRING } },
  l: { type: 'array', items: { type: 'string', nullable: true } },
  ls: { type: 'array', items: STRING },
});

const eithers = kindWith('eithers', {
  plain: { 'x-kubernetes-int-or-string': true },
  bounded: {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: '^[0-9]+%$',
    maximum: 10,
  },
});

const TEMPLATE = { type: 'object', 'x-kubernetes-embedded-resource': true };
const embedded = kindWith('embeds', {
  template: { ...TEMPLATE, ...PRESERVE },
  typed: { ...TEMPLATE, properties: { spec: { type: 'object', properties: { x: STRING } } } },
});

const islands = kindWith('islands', {
  free: { type: 'object', ...PRESERVE },
  half: { type: 'object', ...PRESERVE, properties: { known: { type: 'object', properties: { x: STRING } } } },
  closed: { type: 'object' },
  anything: PRESERVE,
});

const lists = kindWith('lists', {
  set: { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' },
  numbers: { type: 'array', items: { type: 'number' }, 'x-kubernetes-list-type': 'set' },
  structs: {
    type: 'array',
    items: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: STRING, b: INTEGER } },
    'x-kubernetes-list-type': 'set',
  },
  keyed: {
    type: 'array',
    items: KEYED,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['port', 'protocol'],
  },
  atomic: { type: 'array', items: STRING, 'x-kubernetes-list-type': 'atomic' },
  sized: { type: 'array', items: STRING, minItems: 1, maxItems: 2 },
});

const formats = kindWith(
  'shapes2',
  Object.fromEntries(FORMATS.map(([format]) => [format, { type: 'string', format }])),
);

const values = kindWith('values', {
  text: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-zé]+$' },
  int: { type: 'integer', minimum: 1, maximum: 10 },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  number: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true, multipleOf: 0.25 },
  float: { type: 'number', format: 'float' },
  flag: { type: 'boolean' },
  choice: { type: 'string', enum: ['one', 'two'] },
  choices: { type: 'integer', enum: [1, 2] },
  map: { type: 'object', additionalProperties: INTEGER, minProperties: 1, maxProperties: 2 },
  needs: { type: 'object', required: ['a', 'b'], properties: { a: STRING, b: STRING } },
  logic: {
    type: 'object',
    properties: { a: STRING, b: STRING },
    oneOf: [{ required: ['a'] }, { required: ['b'] }],
    not: { properties: { a: { enum: ['never'] } } },
  },
  any: { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: '^b' }], allOf: [{ maxLength: 3 }, { minLength: 2 }] },
});

const roots = customKind('roots', [
  versionWith({
    type: 'object',
    required: ['spec'],
    properties: {
      metadata: { type: 'object', properties: { name: { type: 'string', pattern: '^r-', maxLength: 5 } } },
      spec: { type: 'object', required: ['a'], properties: { a: STRING } },
    },
  }),
]);

/** Objects are stored before the schema is tightened. */
const ratchets = kindWith('ratchets', {
  a: STRING,
  b: STRING,
  list: { type: 'array', items: STRING },
  o: { type: 'object', ...PRESERVE },
});
const strict = (properties: Fields, required: readonly string[]): Fields => ({
  spec: { versions: [versionWith({ type: 'object', properties: { spec: { type: 'object', required, properties } } })] },
});
const STRICT = strict(
  {
    a: { type: 'string', maxLength: 2 },
    b: STRING,
    list: { type: 'array', items: { type: 'string', maxLength: 2 }, maxItems: 2 },
    o: { type: 'object', required: ['x'], properties: { x: INTEGER, y: { type: 'string', enum: ['ok'] } } },
  },
  ['needed'],
);

export const customSchemas: Topic = topic('custom schemas', {
  'unknown fields in three modes': [
    ...modes.make,
    ...['', '?fieldValidation=Strict', '?fieldValidation=Warn', '?fieldValidation=Ignore', '?fieldValidation=Odd'].map(
      (query, i) => modes.create(`o${i}`, UNKNOWN, { query }),
    ),
    post(
      modes.at('', '?fieldValidation=Strict'),
      '{"apiVersion":"modes.example.com/v1","kind":"Modes","metadata":{"name":"dup"},"spec":{"a":"1","a":"2"}}',
      { type: 'application/json' },
    ),
    post(
      modes.at('', '?fieldValidation=Warn'),
      '{"apiVersion":"modes.example.com/v1","kind":"Modes","metadata":{"name":"dup"},"spec":{"a":"1","a":"2"}}',
      { type: 'application/json' },
    ),
    post(
      modes.at('', '?fieldValidation=Strict'),
      'apiVersion: modes.example.com/v1\nkind: Modes\nmetadata: {name: dup2}\nspec: {a: "1", a: "2"}\n',
      { type: 'application/yaml' },
    ),
    put(modes.at('o0', '?fieldValidation=Strict'), modes.object('o0', UNKNOWN)),
    patch('merge', modes.at('o0', '?fieldValidation=Strict'), { spec: { odd: 1 } }),
    patch('merge', modes.at('o0', '?fieldValidation=Warn'), { spec: { odd: 1 } }),
    patch('json', modes.at('o0', '?fieldValidation=Strict'), [{ op: 'add', path: '/spec/odd', value: 1 }]),
    get(modes.at('o0')),
  ],
  defaults: tries(defaults, [
    {},
    undefined,
    { deep: {}, map: { k: {} } },
    { text: null, nullable: null, notNullable: null, list: null, object: null },
    { list: [{}, { b: 'own' }], object: { inner: false } },
    { list: [] },
  ]),
  nulls: tries(nulls, [
    { n: null, s: null },
    { o: null, on: null },
    { l: [null, 'x'], ls: ['x'] },
    { ls: [null] },
    { o: { x: null } },
    null,
  ]),
  'integers or strings': tries(eithers, [
    { plain: 5, bounded: 5 },
    { plain: '5', bounded: '5%' },
    { plain: true },
    { plain: 1.5 },
    { plain: null },
    { bounded: 11 },
    { bounded: 'x' },
    { plain: {} },
  ]),
  'embedded resources': tries(embedded, [
    {
      template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { a: 'b' }, odd: 1 }, anything: true },
    },
    { template: {} },
    { template: { apiVersion: 'v1', kind: 'Pod' } },
    { template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'Bad_Name', labels: { 'bad key': 'x' } } } },
    { template: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: 'text' } } },
    { template: { apiVersion: 'v1', kind: 'Pod', metadata: { creationTimestamp: 'x' } } },
    { template: { apiVersion: 'a/b/c', kind: '1' } },
    { typed: { apiVersion: 'v1', kind: 'Pod', spec: { x: 'x', odd: 1 }, odd: 2, metadata: { name: 'p', odd: 3 } } },
    { typed: { apiVersion: '', kind: '' } },
    { template: 'text' },
  ]),
  islands: tries(
    islands,
    [
      {
        free: { a: { b: 1 } },
        half: { other: 1, known: { x: 'x', odd: 1 } },
        closed: { odd: 1 },
        anything: [1, { a: 2 }],
      },
      { anything: 'text' },
      { anything: null },
      { free: 'text' },
      { half: { known: 'text' } },
    ],
    '&fieldValidation=Warn',
  ),
  'kinds of lists': tries(lists, [
    { set: ['a', 'b'], numbers: [1, 2], atomic: ['a', 'a'] },
    { set: ['a', 'b', 'a', 'a'] },
    { numbers: [1, 1.0, 2] },
    {
      structs: [
        { a: 'x', b: 1 },
        { b: 1, a: 'x' },
      ],
    },
    { keyed: [{ port: 1 }, { port: 1, protocol: 'UDP' }] },
    { keyed: [{ port: 1 }, { port: 1, protocol: 'TCP' }, { port: 2 }] },
    { keyed: [{}] },
    { sized: [] },
    { sized: ['a', 'b', 'c'] },
    { set: 'a' },
  ]),
  formats: tries(
    formats,
    Array.from({ length: 7 }, (_, i) =>
      Object.fromEntries(FORMATS.flatMap(([format, list]) => (list[i] === undefined ? [] : [[format, list[i]]]))),
    ),
  ),
  values: tries(values, [
    {
      text: 'abé',
      int: 5,
      number: 0.5,
      flag: true,
      choice: 'one',
      choices: 2,
      map: { a: 1 },
      needs: { a: '', b: '' },
      logic: { a: 'x' },
      any: 'ab',
    },
    { text: 'a' },
    { text: 'abcde1' },
    { text: 5, int: 'x', number: true, flag: 'true', choice: 1, map: [], needs: 'x', logic: [] },
    { int: 0, choices: 3, choice: 'three' },
    { int: 11, int32: 2147483648 },
    { int: 1.5 },
    { int: 1.0, float: 1e39 },
    { number: 0 },
    { number: 1 },
    { number: 0.3 },
    { map: {}, needs: {} },
    { map: { a: 1, b: 2, c: 'x' } },
    { logic: {} },
    { logic: { a: 'x', b: 'y' } },
    { logic: { a: 'never' } },
    { any: 'cabcd' },
    { any: 'b' },
    'text',
    ['list'],
    5,
  ]),
  'integers at their limits': [
    ...kindWith('limits', { i: INTEGER, n: { type: 'number' } }).make,
    ...[
      '9223372036854775807',
      '9223372036854775808',
      '1e3',
      '1.0',
      '-0',
      '1e400',
      '123456789012345678901234567890',
    ].map((literal, i) =>
      post(
        '/apis/limits.example.com/v1/namespaces/{{ns}}/limits',
        `{"apiVersion":"limits.example.com/v1","kind":"Limits","metadata":{"name":"a${i}"},"spec":{"i":${literal},"n":${literal}}}`,
        { type: 'application/json' },
      ),
    ),
  ],
  'the root and its metadata': [
    ...roots.make,
    roots.create('r-a', { spec: { a: 'x' } }),
    roots.create('x-a', { spec: { a: 'x' } }),
    roots.create('r-too-long', { spec: { a: 'x' } }),
    roots.create('r-b'),
    roots.create('r-b', { spec: {} }),
    put(roots.at('r-a'), roots.object('r-a')),
    patch('merge', roots.at('r-a'), { spec: { a: null } }),
    patch('merge', roots.at('r-a'), { spec: null }),
  ],
  ratcheting: [
    ...ratchets.make,
    ratchets.create('a', { spec: { a: 'long', list: ['long', 'x', 'longer'], o: { y: 'bad' } } }),
    ratchets.redefine(STRICT),
    ratchets.create('wait', { spec: { needed: 'x', a: 'long' } }, { query: '?dryRun=All', until: 422 }),
    patch('merge', ratchets.at('a'), { metadata: { labels: { l: '1' } } }),
    patch('merge', ratchets.at('a'), { spec: { b: 'new' } }),
    patch('merge', ratchets.at('a'), { spec: { a: 'longer' } }),
    patch('merge', ratchets.at('a'), { spec: { list: ['long', 'x', 'longer', 'y'] } }),
    patch('merge', ratchets.at('a'), { spec: { list: ['x', 'long', 'longer'] } }),
    patch('merge', ratchets.at('a'), { spec: { o: { y: 'worse' } } }),
    patch('merge', ratchets.at('a'), { spec: { o: { x: 1 } } }),
    patch('merge', ratchets.at('a'), { spec: { o: { y: null } } }),
    patch('merge', ratchets.at('a'), { spec: { a: 'ok' } }),
    patch('merge', ratchets.at('a'), { spec: { a: 'long' } }),
    ratchets.create('b', { spec: { a: 'long' } }),
    get(ratchets.at('a')),
  ],
  'defaults of stored objects': [
    ...kindWith('lates2', { a: STRING }).make,
    kindWith('lates2', {}).create('a', { spec: { a: 'x' } }),
    kindWith('lates2', {}).redefine({
      spec: {
        versions: [
          versionWith(
            specOf({ a: STRING, added: { type: 'string', default: 'later' }, gate: { type: 'integer', maximum: 1 } }),
          ),
        ],
      },
    }),
    kindWith('lates2', {}).create('w', { spec: { gate: 2 } }, { query: '?dryRun=All', until: 422 }),
    get('/apis/lates2.example.com/v1/namespaces/{{ns}}/lates2/a'),
    get('/apis/lates2.example.com/v1/namespaces/{{ns}}/lates2'),
  ],
});
