/** Checks of the names and paths that become a part of SQL statements. Each throws ConfigError. */
import { ConfigError } from '../../base/errors.ts';

/** SQL types of mapped columns, by their name in the options. */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean';

/** A column whose value is a field of the object. */
export interface MappedColumn {
  readonly name: string;
  readonly path: readonly string[];
  readonly type: ColumnType;
}

export type ColumnOption = string | { readonly path: string; readonly type?: ColumnType };

// PostgreSQL cuts names after 63 bytes; triggers and the log add a suffix to the name of the table.
const NAME = /^[a-z_][a-z0-9_]{0,39}$/;
const FIELD = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const TYPES: ReadonlySet<string> = new Set<ColumnType>(['text', 'integer', 'number', 'boolean']);
const RESERVED: ReadonlySet<string> = new Set(['namespace', 'name', 'object', 'version']);

export function checkedTable(name: string): string {
  if (NAME.test(name)) return name;
  throw new ConfigError(
    `the table name ${JSON.stringify(name)} cannot be used: at most 40 of a-z, 0-9 and _, not beginning with a digit`,
  );
}

export function checkedColumns(columns: Readonly<Record<string, ColumnOption>>): MappedColumn[] {
  return Object.entries(columns).map(([name, option]) => {
    const { path, type = 'text' } = typeof option === 'string' ? { path: option } : option;
    if (!NAME.test(name) || RESERVED.has(name))
      throw new ConfigError(`the column name ${JSON.stringify(name)} cannot be used`);
    const fields = path.split('.');
    if (!fields.every((field) => FIELD.test(field)))
      throw new ConfigError(`the path ${JSON.stringify(path)} of column ${name} is not like spec.owner`);
    if (!TYPES.has(type)) throw new ConfigError(`the type ${JSON.stringify(type)} of column ${name} is not known`);
    return { name, path: fields, type };
  });
}
