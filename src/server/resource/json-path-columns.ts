/** Table columns declared by JSONPath, as `additionalPrinterColumns` of a CustomResourceDefinition has them. */
import { formatJson, formatNumber } from '../../apimachinery/go-format.ts';
import { parseJsonPath, type WalkBudget, walkBudget } from '../../apimachinery/json-path/json-path.ts';
import { formatHumanDuration } from '../../apimachinery/scalars/human-duration.ts';
import { isZeroInstant, parseTime } from '../../apimachinery/scalars/time.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { ColumnDefinition, TableDefinition } from './version-definition.ts';

export interface JsonPathColumn extends ColumnDefinition {
  /** The path of the cell's value, such as `.spec.replicas`. */
  readonly jsonPath: string;
}

/** The first column of every table. */
export const NAME_COLUMN: ColumnDefinition = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object.',
  priority: 0,
};

const AGE: JsonPathColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  description: 'How long ago the object was created.',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
};

/** The columns of a Scale. */
export const SCALE_COLUMNS: readonly JsonPathColumn[] = [
  replicas('Desired', 'Number of desired replicas', '.spec.replicas'),
  replicas('Available', 'Number of actual replicas', '.status.replicas'),
  AGE,
];

function replicas(name: string, description: string, jsonPath: string): JsonPathColumn {
  return { name, type: 'integer', format: '', description, priority: 0, jsonPath };
}

/**
 * Returns the Table: the name, then the declared columns, or the age if none is declared. Ends before the first column
 * whose path cannot be parsed, as kube-apiserver does.
 */
export function jsonPathTable(declared: readonly JsonPathColumn[]): TableDefinition {
  const columns: ColumnDefinition[] = [NAME_COLUMN];
  const cells: ((object: JsonObject, now: number, budget: WalkBudget) => JsonValue)[] = [nameCell];
  for (const column of declared.length === 0 ? [AGE] : declared) {
    const path = parseJsonPath(column.jsonPath);
    if (path === undefined) break;
    const { name, type, format, priority } = column;
    const description =
      column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`;
    columns.push({ name, type, format, description, priority });
    cells.push((object, now, budget) => cellOf(path.find(object, budget), type, now));
  }
  return {
    columns,
    cells: (object, now) => {
      const budget = walkBudget();
      return cells.map((cell) => cell(object, now, budget));
    },
  };
}

/** Returns the name of the object; '' if it has none. */
export function nameCell(object: JsonObject): JsonValue {
  const { metadata } = object;
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

function cellOf(found: readonly JsonValue[] | undefined, type: string, now: number): JsonValue {
  const value = found?.[0];
  if (value === undefined) return null;
  if (type === 'string') return textOf(value);
  switch (type) {
    case 'integer':
      if (typeof value === 'number') return Math.trunc(value);
      return typeof value === 'bigint' ? value : null;
    case 'number':
      if (typeof value === 'bigint') return Number(value);
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageText(value, now) : null;
    default:
      return null;
  }
}

/** Prints a value as kube-apiserver does: objects and lists as JSON. */
function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '<no value>';
  if (typeof value === 'number' || typeof value === 'bigint') return formatNumber(value);
  return typeof value === 'boolean' ? String(value) : formatJson(value);
}

/** Prints the time since an RFC 3339 time as the cells of custom resources have it. */
export function ageText(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>';
  const parsed = parseTime(text);
  if (!parsed.ok) return '<invalid>';
  return isZeroInstant(parsed.value) ? '<unknown>' : formatHumanDuration(now - parsed.value.seconds * 1000);
}
