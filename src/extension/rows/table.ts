/**
 * Rows in a table of a SQL database. This module has no database driver: the program supplies a query function, with
 * its own pool, credentials and timeouts.
 *
 * An object is one row: namespace, name, the object as JSON, and a version. Additional columns can show fields of the
 * object. The database computes these columns, so SQL users can filter and index by them.
 */
import { onAbort } from '../../base/abort.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { ConfigError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import {
  DEFAULT_POLL_INTERVAL_MS,
  type Row,
  type RowChange,
  type RowKey,
  type Rows,
  type RowWritten,
} from '../../server/rows/rows.ts';
import { StorageError } from '../../storage/errors.ts';
import { POSTGRESQL } from './postgresql.ts';
import type { SqlDialect, TableNames, TableStatements } from './sql-dialect.ts';
import { type ColumnOption, checkedColumns, checkedTable } from './sql-names.ts';
import { SQLITE } from './sqlite.ts';

/**
 * Runs one statement and returns its rows as objects, with the names of the columns as keys. Statements use `$1` for
 * PostgreSQL and `?` for SQLite. Every statement must be its own transaction, which is committed when the promise
 * resolves. A statement without a result returns no rows. An object with a property `rows`, as the package `pg` returns
 * it, is accepted, too.
 */
export type Query = (sql: string, params: readonly string[]) => QueryResult | Promise<QueryResult>;

export type QueryResult = readonly object[] | { readonly rows: readonly object[] };

export interface TableOptions {
  /** Default `postgresql`. */
  readonly dialect?: 'postgresql' | 'sqlite';
  /**
   * Columns that show fields of the objects, for SQL users: `{ owner: 'spec.owner' }`, or with a type, `{ balance: {
   * path: 'status.balance', type: 'integer' } }`. The type is `text` by default. A value that the type does not accept
   * makes the write fail.
   */
  readonly columns?: Readonly<Record<string, ColumnOption>>;
  /**
   * Whether triggers log every write in the table `<name>_changes`. Several servers can then share the table, and
   * changes by SQL users are seen soon. Default true. False: only one server may use the table, and it polls the whole
   * table.
   */
  readonly changeLog?: boolean;
  /**
   * How many changes the log keeps, at least. A server that has missed more changes lists the table again. Default
   * 10,000.
   */
  readonly keepChanges?: number;
  /**
   * How often the server reads changes of other writers, from the log or without a log from the table. Own writes are
   * seen at once. Default 1,000 ms with a log, otherwise 5,000 ms.
   */
  readonly pollIntervalMs?: number;
  /** Default: the system's clock. */
  readonly clock?: Clock;
}

export interface Table extends Rows<JsonObject> {
  /** Creates the table, its columns and its change log, unless they exist. */
  createTable(): Promise<void>;
  /** The statements of `createTable` for a database without the table, for programs that have migrations. */
  readonly definition: readonly string[];
  /** Reads the change log now. Call it when the database reports a change, for example on NOTIFY. */
  wake(): void;
}

const DIALECTS: Readonly<Record<string, SqlDialect>> = { postgresql: POSTGRESQL, sqlite: SQLITE };
const PAGE = 500;
const KEEP_CHANGES = 10_000;
const LOG_INTERVAL_MS = 1000;
/** The log is pruned after this many changes have been read from it. */
const PRUNE_EVERY = 1000;

/**
 * Makes rows of the table `name`. Nothing is queried before the rows are used. Throws ConfigError for invalid names.
 */
export function table(query: Query, name: string, options: TableOptions = {}): Table {
  return new SqlTable(query, name, options);
}

interface SqlRow {
  readonly namespace: string;
  readonly name: string;
  readonly object: string | null;
  readonly version: string;
}

class SqlTable implements Table {
  readonly sequenced: boolean;
  readonly pollIntervalMs: number;
  readonly changes?: (since: string | undefined, signal: AbortSignal) => AsyncIterable<RowChange>;
  readonly #query: Query;
  readonly #names: TableNames;
  readonly #dialect: SqlDialect;
  readonly #statements: TableStatements;
  readonly #logged: boolean;
  readonly #keep: number;
  readonly #clock: Clock;
  readonly #sleepers = new Set<() => void>();

  constructor(query: Query, name: string, options: TableOptions) {
    const { dialect = 'postgresql', columns = {}, changeLog = true, keepChanges = KEEP_CHANGES } = options;
    const known = DIALECTS[dialect];
    if (known === undefined) throw new ConfigError(`the dialect ${JSON.stringify(dialect)} is not known`);
    this.#query = query;
    this.#dialect = known;
    this.#names = { table: checkedTable(name), changes: `${name}_changes`, columns: checkedColumns(columns) };
    this.#statements = known.statements(this.#names, changeLog);
    this.#logged = changeLog;
    this.#keep = keepChanges;
    this.#clock = options.clock ?? systemClock;
    this.sequenced = changeLog;
    this.pollIntervalMs = options.pollIntervalMs ?? (changeLog ? LOG_INTERVAL_MS : DEFAULT_POLL_INTERVAL_MS);
    if (changeLog) this.changes = (since, signal) => this.#changes(since, signal);
  }

  get definition(): readonly string[] {
    return this.#dialect.create(this.#names, this.#logged);
  }

  async createTable(): Promise<void> {
    for (const statement of this.definition) await this.#run(statement, []);
    const { existingColumns, addColumn } = this.#dialect;
    if (existingColumns === undefined || addColumn === undefined) return;
    const existing = new Set((await this.#run(existingColumns, [this.#names.table])).map(({ name }) => name));
    for (const column of this.#names.columns)
      if (!existing.has(column.name)) await this.#run(addColumn(this.#names.table, column), []);
  }

  async *list(): AsyncGenerator<Row> {
    let last: RowKey = { namespace: '', name: '' };
    for (;;) {
      const page = await this.#run(this.#statements.list, [last.namespace, last.name, String(PAGE)]);
      for (const row of page) yield rowOf(row);
      if (page.length < PAGE) return;
      last = page.at(-1)!;
    }
  }

  async get({ namespace, name }: RowKey): Promise<Row | undefined> {
    const [row] = await this.#run(this.#statements.get, [namespace, name]);
    return row === undefined ? undefined : rowOf({ ...row, namespace, name });
  }

  async insert(object: JsonObject): Promise<RowWritten | 'exists'> {
    const { namespace, name } = keyOf(object);
    const [row] = await this.#run(this.#statements.insert, [namespace, name, writeJson(object)]);
    return row === undefined ? 'exists' : this.#written(row);
  }

  async replace(object: JsonObject, version: string): Promise<RowWritten | 'conflict' | 'missing'> {
    const key = keyOf(object);
    const [row] = await this.#run(this.#statements.replace, [writeJson(object), key.namespace, key.name, version]);
    return row === undefined ? this.#refusal(key) : this.#written(row);
  }

  async remove(key: RowKey, version: string): Promise<'removed' | 'conflict' | 'missing'> {
    const [row] = await this.#run(this.#statements.remove, [key.namespace, key.name, version]);
    if (row === undefined) return this.#refusal(key);
    this.wake();
    return 'removed';
  }

  wake(): void {
    for (const sleeper of this.#sleepers) sleeper();
  }

  #written({ version }: SqlRow): RowWritten {
    this.wake();
    return { version };
  }

  /** Returns the reason why no row with the key and the version was found. */
  async #refusal(key: RowKey): Promise<'conflict' | 'missing'> {
    return (await this.get(key)) === undefined ? 'missing' : 'conflict';
  }

  async *#changes(since: string | undefined, signal: AbortSignal): AsyncGenerator<RowChange> {
    const { position, reaches, changes } = this.#statements;
    let cursor = since;
    if (cursor === undefined) {
      cursor = (await this.#run(position, []))[0]!.version;
      yield { type: 'position', cursor };
    } else if ((await this.#run(reaches, [cursor])).length === 0) {
      yield { type: 'too-old' };
      return;
    }
    let read = 0;
    while (!signal.aborted) {
      const woken = this.#sleep(signal);
      try {
        const page = await this.#run(changes, [cursor, String(PAGE)]);
        for (const row of page) {
          cursor = row.version;
          yield changeOf(row);
        }
        read += page.length;
        if (read >= PRUNE_EVERY) {
          read = 0;
          await this.#run(this.#statements.prune, [String(this.#keep)]);
        }
        if (page.length < PAGE) await woken.promise;
      } finally {
        woken.cancel();
      }
    }
  }

  /** Sleeps until the interval is over, the signal aborts, or `wake()` is called. */
  #sleep(signal: AbortSignal): { readonly promise: Promise<void>; cancel(): void } {
    const done = new Deferred<void>();
    const wake = (): void => done.resolve();
    const timer = this.#clock.setTimer(this.pollIntervalMs, wake);
    const stopListening = onAbort(signal, wake);
    this.#sleepers.add(wake);
    return {
      promise: done.promise,
      cancel: () => {
        timer.cancel();
        stopListening();
        this.#sleepers.delete(wake);
      },
    };
  }

  async #run(sql: string, params: readonly string[]): Promise<readonly SqlRow[]> {
    const result = await this.#query(sql, params);
    return ('rows' in result ? result.rows : result) as readonly SqlRow[];
  }
}

function changeOf(row: SqlRow): RowChange {
  const { version, namespace, name } = row;
  if (row.object !== null) return { type: 'put', row: rowOf(row), cursor: version };
  return { type: 'remove', key: { namespace, name }, version, cursor: version };
}

function rowOf({ object, version, namespace, name }: SqlRow): Row {
  const read = readJson(object ?? '');
  if (!read.ok || !isJsonObject(read.value))
    throw new StorageError('Corrupt', `the object of row ${namespace}/${name} is not a JSON object`);
  // Take namespace and name from the key columns: a SQL user need not repeat them in the object.
  const metadata = isJsonObject(read.value['metadata']) ? read.value['metadata'] : {};
  const identity = { name, ...(namespace !== '' && { namespace }) };
  return { object: { ...read.value, metadata: { ...metadata, ...identity } }, version: String(version) };
}

function keyOf({ metadata }: JsonObject): RowKey {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  return { namespace: typeof namespace === 'string' ? namespace : '', name: String(name) };
}
