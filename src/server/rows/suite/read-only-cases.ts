/** Cases of rows that can only be read. The rows may contain anything, and must not change during a case. */
import { isJsonObject } from '../../../base/json-value.ts';
import type { ReadOnlyRows } from '../rows.ts';
import { expectJson, expectResult, expectTrue, keyOf, listAll, type RowsCaseDefinition } from './context.ts';

export const readOnlyCases: readonly RowsCaseDefinition<ReadOnlyRows>[] = [
  {
    name: 'read-only: no method writes',
    async run({ rows }) {
      for (const method of ['insert', 'replace', 'remove'])
        expectTrue(Reflect.get(rows, method) === undefined, `there is no method ${method}`);
    },
  },
  {
    name: 'read-only: every listed row has a name, is listed once, and get returns it',
    async run({ rows }) {
      const seen = new Set<string>();
      for (const { object, version } of await listAll(rows)) {
        const key = keyOf(object);
        expectTrue(!seen.has(key), `${key} is listed once`);
        seen.add(key);
        const metadata = object['metadata'];
        const { namespace, name } = isJsonObject(metadata) ? metadata : {};
        expectTrue(typeof name === 'string' && name !== '', 'a row has metadata.name');
        const row = await rows.get({ namespace: typeof namespace === 'string' ? namespace : '', name });
        expectJson(row?.object, object, `row ${key}`);
        expectResult(row?.version, version, `the version of ${key}`);
      }
    },
  },
  {
    name: 'read-only: a missing row is undefined',
    async run({ rows, key }) {
      expectTrue((await rows.get(key('no-such-row-of-the-suite'))) === undefined, 'get returns undefined');
    },
  },
];
