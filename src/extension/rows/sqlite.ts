/**
 * The SQL dialect of SQLite, version 3.35 or later, which has RETURNING. SQLite has one writer at a time, so the
 * numbers of the change log are in the order of commits. Triggers log the writes of every program that opens the file.
 */
import type { SqlDialect, TableNames, TableStatements } from './sql-dialect.ts';
import type { ColumnType, MappedColumn } from './sql-names.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  boolean: 'INTEGER',
};

export const SQLITE: SqlDialect = {
  statements,
  create,
  existingColumns: 'SELECT name FROM pragma_table_xinfo(?)',
  addColumn: (table, column) => `ALTER TABLE "${table}" ADD COLUMN ${columnDefinition(column)}`,
};

function statements({ table, changes }: TableNames, logged: boolean): TableStatements {
  // RETURNING shows the row before AFTER triggers run, so a statement itself computes the number that its trigger will
  // log. Without a log, versions need no order and are random.
  const next = logged
    ? `(SELECT COALESCE(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = '${changes}')`
    : '(random() & 9007199254740991)';
  const row = 'object, CAST(version AS TEXT) AS version';
  return {
    insert: `INSERT INTO "${table}" (namespace, name, object, version) VALUES (?, ?, ?, ${next})
      ON CONFLICT (namespace, name) DO NOTHING RETURNING CAST(version AS TEXT) AS version`,
    replace: `UPDATE "${table}" SET object = ?, version = ${next}
      WHERE namespace = ? AND name = ? AND version = CAST(? AS INTEGER) RETURNING CAST(version AS TEXT) AS version`,
    remove: `DELETE FROM "${table}" WHERE namespace = ? AND name = ? AND version = CAST(? AS INTEGER)
      RETURNING CAST(version AS TEXT) AS version`,
    get: `SELECT ${row} FROM "${table}" WHERE namespace = ? AND name = ?`,
    list: `SELECT namespace, name, ${row} FROM "${table}" WHERE (namespace, name) > (?, ?)
      ORDER BY namespace, name LIMIT CAST(? AS INTEGER)`,
    position: `SELECT CAST(max(number) AS TEXT) AS version FROM "${changes}"`,
    reaches: `SELECT CAST(number AS TEXT) AS version FROM "${changes}" WHERE number <= CAST(? AS INTEGER) LIMIT 1`,
    changes: `SELECT CAST(number AS TEXT) AS version, namespace, name, object FROM "${changes}"
      WHERE number > CAST(? AS INTEGER) ORDER BY number LIMIT CAST(? AS INTEGER)`,
    prune: `DELETE FROM "${changes}"
      WHERE number <= (SELECT max(number) FROM "${changes}") - CAST(? AS INTEGER)`,
  };
}

function create(names: TableNames, logged: boolean): readonly string[] {
  const { table, columns } = names;
  const mapped = columns.map((column) => `,\n  ${columnDefinition(column)}`).join('');
  return [
    `CREATE TABLE IF NOT EXISTS "${table}" (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  object TEXT NOT NULL CHECK (json_valid(object) AND json_type(object) = 'object'),
  version INTEGER NOT NULL DEFAULT 0${mapped},
  PRIMARY KEY (namespace, name)
)`,
    ...(logged ? changeLog(names) : []),
  ];
}

function columnDefinition({ name, path, type }: MappedColumn): string {
  const value = `json_extract(object, '$."${path.join('"."')}"')`;
  return `"${name}" ${TYPES[type]} GENERATED ALWAYS AS (${value}) VIRTUAL`;
}

/**
 * The SQL of the change log. The row with the number 1 marks the beginning of the log; see `TableStatements.reaches`.
 */
function changeLog({ table, changes }: TableNames): readonly string[] {
  const log = (row: string, object: string): string =>
    `INSERT INTO "${changes}" (namespace, name, object) VALUES (${row}.namespace, ${row}.name, ${object});`;
  const logNew = `${log('NEW', 'NEW.object')}
  UPDATE "${table}" SET version = last_insert_rowid() WHERE namespace = NEW.namespace AND name = NEW.name;`;
  return [
    `CREATE TABLE IF NOT EXISTS "${changes}" (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  object TEXT
)`,
    `INSERT INTO "${changes}" (number, namespace, name)
SELECT 1, '', '' WHERE NOT EXISTS (SELECT 1 FROM "${changes}")`,
    `CREATE TRIGGER IF NOT EXISTS "${table}_insert" AFTER INSERT ON "${table}" BEGIN
  ${logNew}
END`,
    `CREATE TRIGGER IF NOT EXISTS "${table}_update" AFTER UPDATE OF namespace, name, object ON "${table}" BEGIN
  ${logNew}
END`,
    `CREATE TRIGGER IF NOT EXISTS "${table}_rename" AFTER UPDATE OF namespace, name ON "${table}"
WHEN (OLD.namespace, OLD.name) <> (NEW.namespace, NEW.name) BEGIN
  ${log('OLD', 'NULL')}
END`,
    `CREATE TRIGGER IF NOT EXISTS "${table}_delete" AFTER DELETE ON "${table}" BEGIN
  ${log('OLD', 'NULL')}
END`,
  ];
}
