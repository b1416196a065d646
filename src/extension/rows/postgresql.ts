/**
 * The SQL dialect of PostgreSQL, version 12 or later.
 *
 * The change log needs numbers in the order of commits. Sequences do not guarantee this order: a transaction can take
 * number 7 and commit after a transaction that took 8. Therefore every statement that writes the table first takes an
 * advisory lock of the table, in a statement trigger, and its transaction holds the lock until it ends. Numbers are
 * taken under the lock, so no smaller number becomes visible after a larger one. The lock is taken before any row lock,
 * so writers cannot deadlock on it.
 *
 * The triggers number the writes of every client of the database, including SQL users. TRUNCATE is refused, because its
 * triggers get no rows to log.
 */
import type { SqlDialect, TableNames, TableStatements } from './sql-dialect.ts';
import type { ColumnType, MappedColumn } from './sql-names.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
};

export const POSTGRESQL: SqlDialect = { statements, create };

function statements({ table, changes }: TableNames, logged: boolean): TableStatements {
  const next = logged ? '' : `, version = nextval('${sequence(table)}')`;
  const row = 'object::text AS object, version::text AS version';
  return {
    insert: `INSERT INTO "${table}" (namespace, name, object) VALUES ($1, $2, CAST($3 AS json))
      ON CONFLICT (namespace, name) DO NOTHING RETURNING version::text AS version`,
    replace: `UPDATE "${table}" SET object = CAST($1 AS json)${next}
      WHERE namespace = $2 AND name = $3 AND version = CAST($4 AS bigint) RETURNING version::text AS version`,
    remove: `DELETE FROM "${table}" WHERE namespace = $1 AND name = $2 AND version = CAST($3 AS bigint)
      RETURNING version::text AS version`,
    get: `SELECT ${row} FROM "${table}" WHERE namespace = $1 AND name = $2`,
    list: `SELECT namespace, name, ${row} FROM "${table}" WHERE (namespace, name) > ($1, $2)
      ORDER BY namespace, name LIMIT CAST($3 AS integer)`,
    position: `SELECT max(number)::text AS version FROM "${changes}"`,
    reaches: `SELECT number::text AS version FROM "${changes}" WHERE number <= CAST($1 AS bigint) LIMIT 1`,
    changes: `SELECT number::text AS version, namespace, name, object::text AS object FROM "${changes}"
      WHERE number > CAST($1 AS bigint) ORDER BY number LIMIT CAST($2 AS integer)`,
    prune: `DELETE FROM "${changes}" WHERE number <= (SELECT max(number) FROM "${changes}") - CAST($1 AS bigint)`,
  };
}

function sequence(table: string): string {
  return `${table}_version`;
}

/**
 * Returns a single statement, which is one transaction, so that servers that start together do not disturb each other.
 */
function create(names: TableNames, logged: boolean): readonly string[] {
  const { table, columns } = names;
  const added = columns.map((column) => `ALTER TABLE "${table}" ADD COLUMN IF NOT EXISTS ${columnDefinition(column)};`);
  return [
    `DO $create$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('keelson create ${table}', 0));
  CREATE SEQUENCE IF NOT EXISTS "${sequence(table)}" START 2;
  CREATE TABLE IF NOT EXISTS "${table}" (
    namespace text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    object json NOT NULL CHECK (json_typeof(object) = 'object'),
    version bigint NOT NULL DEFAULT ${logged ? '0' : `nextval('${sequence(table)}')`},
    PRIMARY KEY (namespace, name)
  );
  ${added.join('\n  ')}
  ${logged ? changeLog(names) : ''}
END
$create$`,
  ];
}

function columnDefinition({ name, path, type }: MappedColumn): string {
  const value = `object #>> '{${path.join(',')}}'`;
  return `"${name}" ${TYPES[type]} GENERATED ALWAYS AS ((${value})::${TYPES[type]}) STORED`;
}

/**
 * The SQL of the change log. The row with the number 1 marks the beginning of the log; see `TableStatements.reaches`.
 */
function changeLog({ table, changes }: TableNames): string {
  const next = `nextval('${sequence(table)}')`;
  const moment = 'INSERT OR UPDATE OR DELETE OR TRUNCATE';
  return `
  CREATE TABLE IF NOT EXISTS "${changes}" (
    number bigint PRIMARY KEY,
    namespace text NOT NULL,
    name text NOT NULL,
    object json
  );
  INSERT INTO "${changes}" (number, namespace, name) SELECT 1, '', ''
    WHERE NOT EXISTS (SELECT FROM "${changes}");

  CREATE OR REPLACE FUNCTION "${table}_lock"() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    IF TG_OP = 'TRUNCATE' THEN
      RAISE EXCEPTION 'table ${table} has a change log: use DELETE instead of TRUNCATE';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('keelson write ${table}', TG_RELID::bigint));
    RETURN NULL;
  END $function$;

  CREATE OR REPLACE FUNCTION "${table}_number"() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    NEW.version := ${next};
    RETURN NEW;
  END $function$;

  CREATE OR REPLACE FUNCTION "${table}_log"() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO "${changes}" VALUES (NEW.version, NEW.namespace, NEW.name, NEW.object);
    END IF;
    IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND (OLD.namespace, OLD.name) <> (NEW.namespace, NEW.name) THEN
      INSERT INTO "${changes}" VALUES (${next}, OLD.namespace, OLD.name, NULL);
    END IF;
    PERFORM pg_notify('${changes}', '');
    RETURN NULL;
  END $function$;

  DROP TRIGGER IF EXISTS "${table}_lock" ON "${table}";
  CREATE TRIGGER "${table}_lock" BEFORE ${moment} ON "${table}"
    FOR EACH STATEMENT EXECUTE FUNCTION "${table}_lock"();
  DROP TRIGGER IF EXISTS "${table}_number" ON "${table}";
  CREATE TRIGGER "${table}_number" BEFORE INSERT OR UPDATE ON "${table}"
    FOR EACH ROW EXECUTE FUNCTION "${table}_number"();
  DROP TRIGGER IF EXISTS "${table}_log" ON "${table}";
  CREATE TRIGGER "${table}_log" AFTER INSERT OR UPDATE OR DELETE ON "${table}"
    FOR EACH ROW EXECUTE FUNCTION "${table}_log"();`;
}
