/** Servers over one table of PostgreSQL: what their clients see of each other, and of failures of the database. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { encodeUtf8 } from '../../src/base/bytes.ts';
import { type Table, table } from '../../src/extension/rows/table.ts';
import { type ApiServer, createServer } from '../../src/server/create-server.ts';
import { defineResource } from '../../src/server/resource/define-resource.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { Case } from './cases.ts';
import type { Pool, PostgresServer } from './postgresql.ts';

const ACCOUNTS = '/apis/bank.example.com/v1/namespaces/default/accounts';

interface Meta {
  readonly name: string;
  readonly resourceVersion: string;
}

interface Answer {
  readonly status: number;
  readonly body: {
    readonly metadata: Meta;
    readonly spec: { readonly count: number };
    readonly items: Answer['body'][];
  };
}

interface Event {
  readonly type: string;
  readonly object: Answer['body'];
}

/** One server with a pool and a table of its own. */
class Replica {
  readonly rows: Table;
  readonly pool: Pool;
  readonly #server: ApiServer;

  private constructor(server: ApiServer, rows: Table, pool: Pool) {
    this.#server = server;
    this.rows = rows;
    this.pool = pool;
  }

  static async start(database: PostgresServer, name: string, pollIntervalMs = 20): Promise<Replica> {
    const pool = database.pool();
    const rows = table((sql, params) => pool.query(sql, params), name, { pollIntervalMs });
    await rows.createTable();
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { count: { type: 'integer' } } } },
    };
    const account = defineResource({ group: 'bank.example.com', version: 'v1', kind: 'Account', schema, rows });
    const server = createServer({ resources: [account], storage: createMemoryStorage() });
    await server.start();
    return new Replica(server, rows, pool);
  }

  async send(method: string, path: string, body?: object): Promise<Answer> {
    const { status, body: sent } = await this.#server.transport({
      method,
      target: `${ACCOUNTS}${path}`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      ...(body && { body: encodeUtf8(JSON.stringify(body)) }),
    });
    const chunks: Uint8Array[] = [];
    if (sent instanceof Uint8Array) chunks.push(sent);
    else for await (const chunk of sent) chunks.push(chunk);
    return { status, body: JSON.parse(Buffer.concat(chunks).toString()) };
  }

  create(name: string, count = 0): Promise<Answer> {
    return this.send('POST', '', {
      apiVersion: 'bank.example.com/v1',
      kind: 'Account',
      metadata: { name },
      spec: { count },
    });
  }

  /** Watches all accounts after a resourceVersion until `enough` holds. Returns the events. */
  async watch(resourceVersion: string, enough: (events: readonly Event[]) => boolean): Promise<Event[]> {
    const abort = new AbortController();
    const { body } = await this.#server.transport({
      method: 'GET',
      target: `${ACCOUNTS}?watch=true&resourceVersion=${resourceVersion}`,
      headers: { accept: 'application/json' },
      signal: abort.signal,
    });
    const events: Event[] = [];
    let text = '';
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const lines = text.split('\n');
      text = lines.pop()!;
      for (const line of lines) events.push(JSON.parse(line));
      if (enough(events)) break;
    }
    abort.abort();
    return events;
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}

async function withReplicas(
  database: PostgresServer,
  name: string,
  use: (a: Replica, b: Replica) => Promise<void>,
): Promise<void> {
  const [a, b] = [await Replica.start(database, name), await Replica.start(database, name)];
  try {
    await use(a, b);
  } finally {
    await a.stop();
    await b.stop();
  }
}

const line = ({ type, object }: Event): string => `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`;

export function replicaCases(database: PostgresServer): readonly Case[] {
  return [
    {
      name: 'writers on two servers: watchers on both see every change once, in one order, with one resourceVersion',
      run: () =>
        withReplicas(database, 'replicas', async (a, b) => {
          const start = (await a.send('GET', '')).body.metadata.resourceVersion;
          await b.send('GET', '');
          const writers = 8;
          const rounds = 15;
          const total = writers * rounds;
          const done = (events: readonly Event[]): boolean => events.length >= total;
          const watches = [a.watch(start, done), b.watch(start, done)];
          const acknowledged: string[] = [];
          const write = async (writer: number): Promise<void> => {
            const home = writer % 2 === 0 ? a : b;
            const created = await home.create(`w${writer}`);
            equal(created.status, 201);
            acknowledged.push(created.body.metadata.resourceVersion);
            let object = created.body;
            for (let i = 1; i < rounds; i++) {
              // Every write goes to the other server than the one before.
              const server = (writer + i) % 2 === 0 ? a : b;
              const answer = await server.send('PUT', `/w${writer}`, { ...object, spec: { count: i } });
              if (answer.status === 409) {
                i--;
                object = (await server.send('GET', `/w${writer}`)).body;
                continue;
              }
              equal(answer.status, 200);
              object = answer.body;
              acknowledged.push(object.metadata.resourceVersion);
            }
          };
          await Promise.all(Array.from({ length: writers }, (_, i) => write(i)));
          const [one, two] = await Promise.all(watches);
          deepEqual(one!.map(line), two!.map(line));
          const versions = one!.map(({ object }) => object.metadata.resourceVersion);
          deepEqual(
            versions,
            [...acknowledged].sort((x, y) => Number(x) - Number(y)),
          );
          const lists = [await a.send('GET', ''), await b.send('GET', '')];
          deepEqual(lists[0]!.body, lists[1]!.body);
        }),
    },
    {
      name: 'a client moves to the other server with its resourceVersion and misses nothing',
      run: () =>
        withReplicas(database, 'moves', async (a, b) => {
          const first = await a.create('first');
          await b.create('second');
          const version = first.body.metadata.resourceVersion;
          const events = await b.watch(version, ({ length }) => length === 1);
          deepEqual(
            events.map(({ object }) => object.metadata.name),
            ['second'],
          );
        }),
    },
    {
      name: 'transactions of other programs appear whole, in the order of their commits, however long they take',
      run: () =>
        withReplicas(database, 'transactions', async (a, b) => {
          const start = (await a.send('GET', '')).body.metadata.resourceVersion;
          const client = await a.pool.connect();
          await client.query('BEGIN');
          for (const name of ['x', 'y'])
            await client.query(
              `INSERT INTO transactions (namespace, name, object) VALUES ('default', '${name}', '{}')`,
            );
          // The insert of server b waits for the transaction, and gets a higher number.
          const creating = b.create('z');
          const waits = async (): Promise<boolean> => {
            const { rows } = await a.pool.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
            return rows.length > 0;
          };
          while (!(await waits()));
          await client.query('UPDATE transactions SET object = \'{"spec":{"count":2}}\' WHERE name = \'x\'');
          await client.query('COMMIT');
          client.release();
          equal((await creating).status, 201);
          const expected = ['ADDED x', 'ADDED y', 'MODIFIED x', 'ADDED z'];
          for (const server of [a, b]) {
            const events = await server.watch(start, ({ length }) => length === 4);
            deepEqual(
              events.map(({ type, object }) => `${type} ${object.metadata.name}`),
              expected,
            );
          }
        }),
    },
    {
      name: 'a transaction that is rolled back leaves a gap in the numbers, and nothing else',
      run: () =>
        withReplicas(database, 'rollbacks', async (a, b) => {
          const start = (await b.send('GET', '')).body.metadata.resourceVersion;
          const client = await a.pool.connect();
          await client.query('BEGIN');
          await client.query("INSERT INTO rollbacks (namespace, name, object) VALUES ('default', 'x', '{}')");
          await client.query('ROLLBACK');
          client.release();
          await a.create('y');
          const events = await b.watch(start, ({ length }) => length === 1);
          deepEqual(
            events.map(({ object }) => object.metadata.name),
            ['y'],
          );
        }),
    },
    {
      name: 'NOTIFY wakes a server long before its interval',
      async run() {
        const [a, b] = [
          await Replica.start(database, 'notified'),
          await Replica.start(database, 'notified', 3_600_000),
        ];
        const client = await b.pool.connect();
        client.on('notification', () => b.rows.wake());
        await client.query('LISTEN notified_changes');
        const start = (await b.send('GET', '')).body.metadata.resourceVersion;
        const watching = b.watch(start, ({ length }) => length === 1);
        await a.create('x');
        equal((await watching)[0]?.object.metadata.name, 'x');
        client.release(true);
        await a.stop();
        await b.stop();
      },
    },
    {
      name: 'TRUNCATE is refused',
      run: () =>
        withReplicas(database, 'truncated', async (a) => {
          await rejects(a.pool.query('TRUNCATE truncated'), /has a change log/);
        }),
    },
    {
      name: 'a restarted server continues the sequence',
      async run() {
        const first = await Replica.start(database, 'restarted');
        const created = await first.create('a');
        await first.create('b');
        await first.send('DELETE', '/b');
        await first.stop();
        const second = await Replica.start(database, 'restarted');
        const list = await second.send('GET', '');
        ok(Number(list.body.metadata.resourceVersion) > Number(created.body.metadata.resourceVersion) + 1);
        equal(list.body.items[0]?.metadata.resourceVersion, created.body.metadata.resourceVersion);
        await second.stop();
      },
    },
    {
      name: 'the database dies under writers: what was acknowledged is kept, watches continue, nothing is invented',
      run: () =>
        withReplicas(database, 'crashes', async (a, b) => {
          const start = (await a.send('GET', '')).body.metadata.resourceVersion;
          await b.send('GET', '');
          const acknowledged = new Set<string>();
          const failures = new Set<number>();
          let isOver = false;
          const write = async (writer: number): Promise<void> => {
            for (let i = 0; !isOver; i++) {
              const name = `w${writer}-${i}`;
              const { status } = await (i % 2 === 0 ? a : b).create(name);
              if (status === 201) acknowledged.add(name);
              else failures.add(status);
            }
          };
          const writers = Array.from({ length: 4 }, (_, i) => write(i));
          for (let round = 0; round < 2; round++) {
            const before = acknowledged.size;
            while (acknowledged.size < before + 50) await new Promise((resolve) => setImmediate(resolve));
            await database.kill();
            equal((await a.send('GET', '')).status, 200, 'reads are answered from the mirror');
            await database.launch();
          }
          const before = acknowledged.size;
          while (acknowledged.size < before + 20) await new Promise((resolve) => setImmediate(resolve));
          isOver = true;
          await Promise.all(writers);
          await a.create('end');
          const isEnd = (events: readonly Event[]): boolean => events.at(-1)?.object.metadata.name === 'end';
          const stored = (
            await a.pool.query('SELECT name, version::text AS version FROM crashes ORDER BY crashes.version')
          ).rows;
          const expected = stored.map((row) => `ADDED ${row['name']} ${row['version']}`);
          for (const server of [a, b]) deepEqual((await server.watch(start, isEnd)).map(line), expected);
          const names = new Set(stored.map((row) => row['name']));
          for (const name of acknowledged) ok(names.has(name), `${name} was acknowledged and is kept`);
          deepEqual([...failures], failures.size === 0 ? [] : [500]);
        }),
    },
  ];
}
