/**
 * The SQL of a table of rows, per dialect. Invariant: values are parameters, never text of a statement. Names are
 * checked (`sql-names.ts`) before they reach this file.
 */
import type { MappedColumn } from './sql-names.ts';

export interface TableNames {
  readonly table: string;
  /** The change log. */
  readonly changes: string;
  readonly columns: readonly MappedColumn[];
}

/** The statements of one table. Parameters are in the order of the placeholders. */
export interface TableStatements {
  /** Parameters: namespace, name, object. Returns the version, or no row if the key exists. */
  readonly insert: string;
  /** Parameters: object, namespace, name, version. Returns the version, or no row. */
  readonly replace: string;
  /** Parameters: namespace, name, version. Returns a row if one was removed. */
  readonly remove: string;
  /** Parameters: namespace, name. Returns object and version. */
  readonly get: string;
  /** Parameters: namespace and name of the last row of the page before, and the size of the page. */
  readonly list: string;
  /** Returns the number of the last change. */
  readonly position: string;
  /** Parameter: a number. Returns a row if the log goes back to it. */
  readonly reaches: string;
  /** Parameters: a number, and the size of the page. Returns version, namespace, name, object; null: removed. */
  readonly changes: string;
  /** Parameter: the number of changes to keep. */
  readonly prune: string;
}

export interface SqlDialect {
  statements(names: TableNames, logged: boolean): TableStatements;
  /** The statements that create what is missing of the table. */
  create(names: TableNames, logged: boolean): readonly string[];
  /** Returns the names of the columns that exist; parameter: the table. Absent: `create` adds missing ones itself. */
  readonly existingColumns?: string;
  addColumn?(table: string, column: MappedColumn): string;
}
