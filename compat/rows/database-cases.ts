/** Cases of `table()` that concern the database itself: its columns, its triggers, and writes by SQL. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { type Query, type Table, type TableOptions, table } from '../../src/extension/rows/table.ts';
import type { RowChange } from '../../src/server/rows/rows.ts';
import type { Case } from './cases.ts';

interface Database {
  readonly dialect: 'sqlite' | 'postgresql';
  readonly query: Query;
}

const account = (name: string, owner: string, balance: number) => ({
  metadata: { name, namespace: 'bank' },
  spec: { owner },
  status: { balance },
});

export function databaseCases({ dialect, query }: Database): readonly Case[] {
  let tables = 0;
  const make = async (options: TableOptions = {}): Promise<{ rows: Table; name: string }> => {
    const name = `accounts_${++tables}`;
    const rows = table(query, name, { dialect, pollIntervalMs: 20, ...options });
    await rows.createTable();
    return { rows, name };
  };
  const run = async (sql: string, ...params: string[]): Promise<Record<string, unknown>[]> => {
    const result = await query(sql, params);
    return ('rows' in result ? result.rows : result) as Record<string, unknown>[];
  };
  return [
    {
      name: 'mapped columns can be queried, indexed, and added later',
      async run() {
        const { rows, name } = await make({ columns: { owner: 'spec.owner' } });
        await rows.insert(account('a', 'Ada', 5));
        await rows.insert(account('b', 'Bob', 7));
        const columns = { owner: 'spec.owner', balance: { path: 'status.balance', type: 'integer' } } as const;
        await table(query, name, { dialect, columns }).createTable();
        await run(`CREATE INDEX ${name}_owner ON ${name} (owner)`);
        const found = await run(`SELECT name FROM ${name} WHERE owner = 'Ada'`);
        deepEqual(
          found.map((row) => row['name']),
          ['a'],
        );
        const [sum] = await run(`SELECT sum(balance) AS sum FROM ${name}`);
        equal(Number(sum?.['sum']), 12);
      },
    },
    {
      name: 'createTable changes nothing that exists',
      async run() {
        const { rows, name } = await make();
        const before = await rows.insert(account('a', 'Ada', 5));
        await Promise.all(Array.from({ length: 5 }, () => table(query, name, { dialect }).createTable()));
        deepEqual(await rows.get({ namespace: 'bank', name: 'a' }), {
          object: account('a', 'Ada', 5),
          version: (before as { version: string }).version,
        });
      },
    },
    {
      name: 'writes by SQL are numbered and logged, renames and removals too',
      async run() {
        const { rows, name } = await make();
        const abort = new AbortController();
        const stream = rows.changes!(undefined, abort.signal)[Symbol.asyncIterator]();
        const next = async (): Promise<RowChange> => (await stream.next()).value as RowChange;
        equal((await next()).type, 'position');
        await run(`INSERT INTO ${name} (namespace, name, object) VALUES ('bank', 'x', '{"spec":{"owner":"Eve"}}')`);
        await run(`UPDATE ${name} SET object = '{"spec":{"owner":"Ann"}}' WHERE name = 'x'`);
        await run(`UPDATE ${name} SET name = 'y' WHERE name = 'x'`);
        await run(`DELETE FROM ${name} WHERE name = 'y'`);
        const changes = [await next(), await next(), await next(), await next(), await next()];
        abort.abort();
        const lines = changes.map((change) =>
          change.type === 'put'
            ? `put ${(change.row.object['metadata'] as { name: string }).name}`
            : `${change.type} ${'key' in change ? change.key.name : ''}`,
        );
        const renamed = lines.slice(2, 4).sort();
        deepEqual([...lines.slice(0, 2), ...renamed, lines[4]], ['put x', 'put x', 'put y', 'remove x', 'remove y']);
        const numbers = changes.map((change) => Number('cursor' in change ? change.cursor : 0));
        ok(numbers.every((number, i) => i === 0 || number > numbers[i - 1]!));
        const [first] = changes;
        deepEqual(first?.type === 'put' && first.row.object, {
          spec: { owner: 'Eve' },
          metadata: { name: 'x', namespace: 'bank' },
        });
      },
    },
    {
      name: 'a row written by SQL can be replaced by its version',
      async run() {
        const { rows, name } = await make();
        await run(`INSERT INTO ${name} (namespace, name, object) VALUES ('bank', 'x', '{}')`);
        const row = await rows.get({ namespace: 'bank', name: 'x' });
        const written = await rows.replace(account('x', 'Ada', 1), row!.version);
        ok(typeof written === 'object' && written.version !== row!.version);
      },
    },
    {
      name: 'an object that is not a JSON object is refused by the table',
      async run() {
        const { name } = await make();
        const insert = `INSERT INTO ${name} (namespace, name, object) VALUES ('bank', 'x', '[1]')`;
        await rejects(run(insert), /constraint/i);
      },
    },
    {
      name: 'the log is pruned, and a cursor before it is too old',
      async run() {
        const { rows, name } = await make({ keepChanges: 50 });
        const abort = new AbortController();
        const stream = rows.changes!(undefined, abort.signal)[Symbol.asyncIterator]();
        const { value: first } = await stream.next();
        const seen = (async () => {
          for (let i = 0; i < 1100; i++) await stream.next();
        })();
        for (let i = 0; i < 1100; i++) await rows.insert(account(`a${i}`, 'Ada', i));
        await seen;
        // The pages are of 500: the third read prunes. One more change makes sure that it has happened.
        const more = stream.next();
        await rows.insert(account('last', 'Ada', 0));
        await more;
        const [count] = await run(`SELECT count(*) AS count FROM ${name}_changes`);
        ok(Number(count?.['count']) < 700, `${count?.['count']} changes are kept`);
        abort.abort();
        const again = rows.changes!((first as { cursor: string }).cursor, new AbortController().signal);
        deepEqual((await again[Symbol.asyncIterator]().next()).value, { type: 'too-old' });
      },
    },
    {
      name: 'names and paths that are not plain are refused',
      async run() {
        for (const name of ['', 'Accounts', 'a-b', 'a"b', 'a; DROP TABLE x', '1a', 'x'.repeat(41)])
          await rejects(async () => table(query, name, { dialect }), /cannot be used/);
        const columns = { "o'x": 'spec.owner' };
        await rejects(async () => table(query, 'a', { dialect, columns }), /cannot be used/);
        await rejects(async () => table(query, 'a', { dialect, columns: { a: "spec.o'x" } }), /is not like spec.owner/);
        await rejects(async () => table(query, 'a', { dialect, columns: { version: 'spec.a' } }), /cannot be used/);
      },
    },
  ];
}
