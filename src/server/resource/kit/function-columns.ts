/** Table columns that are functions of the object, beside those that are JSONPaths. */
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import { ageText, NAME_COLUMN, nameCell } from '../json-path-columns.ts';
import type { ColumnDefinition, TableDefinition } from '../version-definition.ts';
import type { CellValue, FunctionColumns } from './resource-options.ts';

/** Returns the Table: the name, then the declared columns. */
export function functionTable<T extends object>(declared: FunctionColumns<T>): TableDefinition {
  const columns: ColumnDefinition[] = [NAME_COLUMN];
  const cells: ((object: JsonObject, now: number) => JsonValue)[] = [nameCell];
  for (const [name, given] of Object.entries(declared)) {
    const options = typeof given === 'function' ? { value: given } : given;
    const { type = 'string', description = `The column ${name}.`, wide = false } = options;
    columns.push({ name, type, format: '', description, priority: wide ? 1 : 0 });
    const value = options.value as unknown as CellValue<JsonObject>;
    cells.push((object, now) => cellOf(value, type, object, now));
  }
  return { columns, cells: (object, now) => cells.map((cell) => cell(object, now)) };
}

/**
 * Returns the value of a cell. For a column of type `date`, the function returns an RFC 3339 time, and the cell shows
 * the time since then, as with JSONPath columns.
 */
function cellOf(value: CellValue<JsonObject>, type: string, object: JsonObject, now: number): JsonValue {
  const cell = value(object as never, now) ?? null;
  if (cell === null) return null;
  if (type === 'date') return typeof cell === 'string' ? ageText(cell, now) : null;
  return type === 'string' && typeof cell !== 'string' && typeof cell !== 'object' ? String(cell) : cell;
}
