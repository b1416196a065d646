/**
 * The interface of SQL dialects: the statements of a table of rows.
 * Invariant: values are parameters, never text of a statement. Names are checked (`sql-names.ts`) before they reach
 * this file.
 */
import type { MappedColumn } from './sql-names.ts';

export interface TableNames {
  readonly table: string;
  /** The name of the change log's table. */
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
  /** Parameters: namespace and name of the last row of the previous page, and the size of the page. */
  readonly list: string;
  /** Returns the number of the last change. */
  readonly position: string;
  /** Parameter: the number of a change. Returns a row if the log has all changes after it. */
  readonly reaches: string;
  /**
   * Parameters: the number of a change, and the size of the page. Returns version, namespace, name and object of the
   * changes after it. The object is null if the row was removed.
   */
  readonly changes: string;
  /** Removes old changes. Parameter: the number of changes to keep. */
  readonly prune: string;
}

export interface SqlDialect {
  statements(names: TableNames, logged: boolean): TableStatements;
  /** Returns the statements that create the missing parts of the table. */
  create(names: TableNames, logged: boolean): readonly string[];
  /** Returns the names of the existing columns; parameter: the table. Absent: `create` adds missing columns itself. */
  readonly existingColumns?: string;
  addColumn?(table: string, column: MappedColumn): string;
}
