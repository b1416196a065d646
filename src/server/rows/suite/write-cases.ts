/** Cases of insert, replace and remove. */

import type { Rows } from '../rows.ts';
import {
  expectJson,
  expectResult,
  expectRow,
  expectTrue,
  insert,
  type RowsCaseDefinition,
  versionOf,
} from './context.ts';

const WRITERS = 10;

export const writeCases: readonly RowsCaseDefinition<Rows>[] = [
  {
    name: 'insert: the row has the object and the version',
    async run(context) {
      const object = context.object('a');
      const version = await insert(context, object);
      await expectRow(context, context.key('a'), { object, version });
    },
  },
  {
    name: 'insert: an existing key is refused and keeps its row',
    async run(context) {
      const object = context.object('a', 1);
      const version = await insert(context, object);
      expectResult(await context.rows.insert(context.object('a', 2)), 'exists', 'insert of an existing key');
      await expectRow(context, context.key('a'), { object, version });
    },
  },
  {
    name: 'get: a missing row is undefined',
    async run({ rows, key }) {
      expectTrue((await rows.get(key('missing'))) === undefined, 'get returns undefined for a missing row');
    },
  },
  {
    name: 'replace: the named version is replaced and gets a new one',
    async run(context) {
      const first = await insert(context, context.object('a', 1));
      const object = context.object('a', 2);
      const version = versionOf(await context.rows.replace(object, first), 'replace');
      expectTrue(version !== first, 'a replace changes the version');
      await expectRow(context, context.key('a'), { object, version });
    },
  },
  {
    name: 'replace: another version is a conflict and changes nothing',
    async run(context) {
      const first = await insert(context, context.object('a', 1));
      const object = context.object('a', 2);
      const version = versionOf(await context.rows.replace(object, first), 'replace');
      const late = await context.rows.replace(context.object('a', 3), first);
      expectResult(late, 'conflict', 'replace of an outdated version');
      await expectRow(context, context.key('a'), { object, version });
    },
  },
  {
    name: 'replace: a missing row is not created',
    async run(context) {
      const { rows } = context;
      const other = await insert(context, context.object('other'));
      expectResult(await rows.replace(context.object('a'), other), 'missing', 'replace of a missing row');
      expectTrue((await rows.get(context.key('a'))) === undefined, 'the row is still missing');
    },
  },
  {
    name: 'replace: an equal object gets a new version, too',
    async run(context) {
      const object = context.object('a');
      const first = await insert(context, object);
      const second = versionOf(await context.rows.replace(context.object('a'), first), 'replace');
      expectTrue(second !== first, 'a replace by an equal object changes the version');
    },
  },
  {
    name: 'remove: the row is gone',
    async run(context) {
      const { rows } = context;
      const version = await insert(context, context.object('a'));
      expectResult(await rows.remove(context.key('a'), version), 'removed', 'remove');
      expectTrue((await rows.get(context.key('a'))) === undefined, 'get returns undefined after a remove');
      expectResult(await rows.remove(context.key('a'), version), 'missing', 'remove of a removed row');
      expectResult(await rows.replace(context.object('a'), version), 'missing', 'replace of a removed row');
    },
  },
  {
    name: 'remove: another version is a conflict and changes nothing',
    async run(context) {
      const first = await insert(context, context.object('a', 1));
      const object = context.object('a', 2);
      const version = versionOf(await context.rows.replace(object, first), 'replace');
      expectResult(await context.rows.remove(context.key('a'), first), 'conflict', 'remove of an outdated version');
      await expectRow(context, context.key('a'), { object, version });
    },
  },
  {
    name: 'versions: a key never has the same version twice, also after a remove',
    async run(context) {
      const { rows } = context;
      const seen = new Set<string>();
      for (let round = 0; round < 4; round++) {
        const first = await insert(context, context.object('a', round));
        const second = versionOf(await rows.replace(context.object('a', -round - 1), first), 'replace');
        for (const version of [first, second]) {
          expectTrue(!seen.has(version), `version ${version} is used once`);
          seen.add(version);
        }
        expectResult(await rows.remove(context.key('a'), second), 'removed', 'remove');
      }
    },
  },
  {
    name: 'concurrency: one of several inserts of a key wins',
    async run(context) {
      const results = await Promise.all(
        Array.from({ length: WRITERS }, (_, i) => context.rows.insert(context.object('a', i))),
      );
      const winners = results.flatMap((result, i) => (typeof result === 'object' ? [{ ...result, seed: i }] : []));
      expectResult(String(winners.length), '1', 'the number of inserts that succeed');
      const [winner] = winners;
      await expectRow(context, context.key('a'), {
        object: context.object('a', winner!.seed),
        version: winner!.version,
      });
    },
  },
  {
    name: 'concurrency: one of several replaces of a version wins',
    async run(context) {
      const first = await insert(context, context.object('a', -1));
      const results = await Promise.all(
        Array.from({ length: WRITERS }, (_, i) => context.rows.replace(context.object('a', i), first)),
      );
      const winners = results.flatMap((result, i) => (typeof result === 'object' ? [{ ...result, seed: i }] : []));
      expectResult(String(winners.length), '1', 'the number of replaces that succeed');
      for (const result of results)
        if (typeof result !== 'object') expectResult(result, 'conflict', 'a losing replace');
      const [winner] = winners;
      await expectRow(context, context.key('a'), {
        object: context.object('a', winner!.seed),
        version: winner!.version,
      });
    },
  },
  {
    name: 'concurrency: no write is lost when writers retry after a conflict',
    async run(context) {
      const { rows, key } = context;
      await insert(context, context.object('a', []));
      const append = async (writer: number): Promise<void> => {
        for (;;) {
          const row = await rows.get(key('a'));
          const seeds = [...(JSON.stringify(row?.object).match(/"w\d+"/g) ?? []).map((each) => each.slice(1, -1))];
          const next = context.object('a', [...seeds, `w${writer}`]);
          if (typeof (await rows.replace(next, row!.version)) === 'object') return;
        }
      };
      await Promise.all(Array.from({ length: 5 }, (_, i) => append(i)));
      const text = JSON.stringify((await rows.get(key('a')))?.object);
      for (let i = 0; i < 5; i++) expectTrue(text.includes(`"w${i}"`), `the write of writer ${i} is kept`);
    },
  },
  {
    name: 'concurrency: a remove and a replace of one version do not both succeed',
    async run(context) {
      const { rows, key } = context;
      for (let round = 0; round < 5; round++) {
        const version = await insert(context, context.object(`a${round}`));
        const [removed, replaced] = await Promise.all([
          rows.remove(key(`a${round}`), version),
          rows.replace(context.object(`a${round}`, 2), version),
        ]);
        const successes = (removed === 'removed' ? 1 : 0) + (typeof replaced === 'object' ? 1 : 0);
        expectResult(String(successes), '1', 'the number of writes that succeed');
        const row = await rows.get(key(`a${round}`));
        if (removed === 'removed') expectTrue(row === undefined, 'the removed row is gone');
        else expectJson(row?.object, context.object(`a${round}`, 2), 'the replaced row');
      }
    },
  },
];
