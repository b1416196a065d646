/** Cases of lists, keys and values. */
import type { JsonValue } from '../../../base/json-value.ts';
import type { Rows } from '../rows.ts';
import {
  expectJson,
  expectResult,
  expectRow,
  expectTrue,
  insert,
  keyOf,
  listAll,
  type RowsCaseDefinition,
} from './context.ts';

const VALUES: Readonly<Record<string, JsonValue>> = {
  'empty values': ['', {}, [], null, false, 0],
  'integers of 64 bits': [9007199254740993n, -9223372036854775808n, 9223372036854775807n, 9007199254740991, -1],
  fractions: [0.1, 1.5e-7, 1e100, -2.25],
  'quotes and SQL': [`it's "quoted"`, "'; DROP TABLE rows; --", '\\', '$1 ? :name @p', '%_', '{"a":1}'],
  'line breaks and control characters': ['\n\r\t', '\u0001\u001f\u007f', '\u2028\u2029'],
  unicode: ['Grüße', '名前', '🚀👩‍👩‍👧', 'e\u0301 and \u00e9', '\ufeff', '\uffff'],
  nesting: [[[[[{ a: { b: { c: { d: [{}] } } } }]]]]],
  'names of fields': { '': 1, 'a.b': 2, 'a/b': 3, "a'b": 4, constructor: 5, '🚀': 6 },
};

/** Names that a case-insensitive collation, or keys that join namespace and name, would confuse. */
const NAMES = ['a', 'A', 'a.b', 'a-b', 'a:b', 'a%2fb', 'e\u0301', '\u00e9', '名', "o'neil", 'a b', 'x'.repeat(253)];

export const valueCases: readonly RowsCaseDefinition<Rows>[] = [
  {
    name: 'list: empty rows give an empty list',
    async run({ rows }) {
      expectResult(String((await listAll(rows)).length), '0', 'the number of rows');
    },
  },
  {
    name: 'list: returns every row once, with the version that get returns',
    async run(context) {
      const { rows, object } = context;
      const expected = new Map<string, string>();
      for (let i = 0; i < 250; i++) {
        const each = object(`row-${i}`, i, `namespace-${i % 3}`);
        expected.set(keyOf(each), await insert(context, each));
      }
      const seen = new Set<string>();
      for (const row of await listAll(rows)) {
        const key = keyOf(row.object);
        expectTrue(!seen.has(key), `${key} is listed once`);
        seen.add(key);
        expectResult(row.version, expected.get(key) ?? 'no such row', `the version of ${key}`);
      }
      expectResult(String(seen.size), String(expected.size), 'the number of rows');
    },
  },
  {
    name: 'list: shows replaces and removes',
    async run(context) {
      const { rows, object, key } = context;
      const a = await insert(context, object('a', 1));
      const b = await insert(context, object('b', 1));
      await rows.replace(object('a', 2), a);
      await rows.remove(key('b'), b);
      const all = await listAll(rows);
      expectResult(String(all.length), '1', 'the number of rows');
      expectJson(all[0]?.object, object('a', 2), 'the replaced row');
    },
  },
  {
    name: 'keys: names that differ in one character are different rows',
    async run(context) {
      for (const [i, name] of NAMES.entries()) await insert(context, context.object(name, i));
      for (const [i, name] of NAMES.entries())
        expectJson((await context.rows.get(context.key(name)))?.object, context.object(name, i), `row ${name}`);
      expectResult(String((await listAll(context.rows)).length), String(NAMES.length), 'the number of rows');
    },
  },
  {
    name: 'keys: one name in two namespaces is two rows',
    async run(context) {
      if (!context.namespaced) return;
      const { rows, object, key } = context;
      const one = await insert(context, object('a', 1, 'one'));
      await insert(context, object('a', 2, 'two'));
      expectResult(await rows.remove(key('a', 'one'), one), 'removed', 'remove');
      expectTrue((await rows.get(key('a', 'one'))) === undefined, 'the row of the first namespace is gone');
      expectJson((await rows.get(key('a', 'two')))?.object, object('a', 2, 'two'), 'the row of the second namespace');
    },
  },
  {
    name: 'keys: namespace and name are not mixed up',
    async run(context) {
      if (!context.namespaced) return;
      const pairs = [
        ['a', 'b-c'],
        ['a-b', 'c'],
        ['a-b-c', ''],
      ].filter(([, name]) => name !== '') as [string, string][];
      for (const [i, [namespace, name]] of pairs.entries()) await insert(context, context.object(name, i, namespace));
      for (const [i, [namespace, name]] of pairs.entries()) {
        const row = await context.rows.get(context.key(name, namespace));
        expectJson(row?.object, context.object(name, i, namespace), `row ${namespace}/${name}`);
      }
    },
  },
  ...Object.entries(VALUES).map(
    ([what, value]): RowsCaseDefinition<Rows> => ({
      name: `values: ${what} come back as they were written`,
      async run(context) {
        const object = context.object('a', value);
        const version = await insert(context, object);
        await expectRow(context, context.key('a'), { object, version });
        expectJson((await listAll(context.rows))[0]?.object, object, 'the listed row');
      },
    }),
  ),
  {
    name: 'values: a value of 1 MB comes back as it was written',
    async run(context) {
      const object = context.object('a', 'x'.repeat(999_000) + '🚀'.repeat(250));
      const version = await insert(context, object);
      await expectRow(context, context.key('a'), { object, version });
    },
  },
  {
    name: 'values: metadata is kept whole',
    async run(context) {
      const object = context.object('a');
      object['metadata'] = {
        ...(object['metadata'] as object),
        creationTimestamp: '2030-01-01T00:00:00Z',
        generation: 7,
        labels: { 'example.com/a': 'b', empty: '' },
        annotations: { note: 'line\nline' },
        finalizers: ['example.com/one', 'example.com/two'],
        managedFields: [
          { manager: 'm', operation: 'Apply', fieldsV1: { 'f:spec': { '.': {}, 'k:{"name":"x"}': {} } } },
        ],
      };
      const version = await insert(context, object);
      await expectRow(context, context.key('a'), { object, version });
    },
  },
];
