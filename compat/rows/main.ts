/**
 * Rows in real databases: the rows suite on tables of SQLite and PostgreSQL, then servers over one table of PostgreSQL.
 *
 * usage: main.ts [--only sqlite|postgresql]
 */
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { type Query, type TableOptions, table } from '../../src/extension/rows/table.ts';
import { rowsSuite } from '../../src/server/rows/rows.suite.ts';
import { runCases } from './cases.ts';
import { databaseCases } from './database-cases.ts';
import { PostgresServer } from './postgresql.ts';
import { replicaCases } from './replica-cases.ts';

const { values } = parseArgs({ options: { only: { type: 'string' } } });

interface SqliteDatabase {
  all(sql: string, params: readonly string[]): Record<string, string>[];
  close(): void;
}

const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as {
  Database: new (path: string) => SqliteDatabase;
};

const COLUMNS = { seed_text: 'spec.seed' };
let tables = 0;
let failed = 0;

async function suite(subject: string, query: () => Query, options: TableOptions): Promise<void> {
  const makeRows = async () => {
    const rows = table(query(), `rows_${++tables}`, { ...options, pollIntervalMs: 20 });
    await rows.createTable();
    return rows;
  };
  failed += await runCases(`rows suite on ${subject}`, await rowsSuite(makeRows));
}

if (values.only !== 'postgresql') {
  const query = (): Query => {
    const database = new Database(':memory:');
    return async (sql, params) => database.all(sql, params);
  };
  await suite('SQLite', query, { dialect: 'sqlite', columns: COLUMNS });
  await suite('SQLite without a change log', query, { dialect: 'sqlite', changeLog: false });
  const database = new Database(':memory:');
  failed += await runCases(
    'SQLite',
    databaseCases({ dialect: 'sqlite', query: async (sql, params) => database.all(sql, params) }),
  );
  database.close();
}

if (values.only !== 'sqlite') {
  const server = await PostgresServer.start();
  try {
    const pool = server.pool();
    const query: Query = (sql, params) => pool.query(sql, params);
    await suite('PostgreSQL', () => query, { columns: COLUMNS });
    await suite('PostgreSQL without a change log', () => query, { changeLog: false });
    failed += await runCases('PostgreSQL', databaseCases({ dialect: 'postgresql', query }));
    failed += await runCases('servers over PostgreSQL', replicaCases(server));
  } finally {
    await server.stop();
  }
}

console.log(failed === 0 ? 'all cases passed' : `${failed} cases failed`);
process.exitCode = failed === 0 ? 0 : 1;
