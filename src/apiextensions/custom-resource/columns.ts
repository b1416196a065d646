/**
 * The columns of a custom resource, as its definition declares them. Invariant: paths are parsed when a table is first asked for; columns from the first one on whose
 * path cannot be read are left out, as the reference does.
 */
import { formatJson, formatNumber } from '../../apimachinery/go-format.ts';
import { formatHumanDuration } from '../../apimachinery/scalars/human-duration.ts';
import { isZeroInstant, parseTime } from '../../apimachinery/scalars/time.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { ColumnDefinition, TableDefinition } from '../../server/resource/version-definition.ts';
import type { CrdColumn } from '../crd.ts';
import { parseJsonPath, type WalkEffort, walkEffort } from './json-path.ts';

const NAME: ColumnDefinition = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object.',
  priority: 0,
};

const AGE: CrdColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  description: 'How long ago the object was created.',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
};

/** What `scale` shows. */
export const SCALE_COLUMNS: readonly CrdColumn[] = [
  replicas('Desired', 'Number of desired replicas', '.spec.replicas'),
  replicas('Available', 'Number of actual replicas', '.status.replicas'),
  AGE,
];

function replicas(name: string, description: string, jsonPath: string): CrdColumn {
  return { name, type: 'integer', format: '', description, priority: 0, jsonPath };
}

/** Without any column there is the age. */
export function customTable(declared: readonly CrdColumn[]): TableDefinition {
  const columns: ColumnDefinition[] = [NAME];
  const cells: ((object: JsonObject, now: number, effort: WalkEffort) => JsonValue)[] = [nameCell];
  for (const column of declared.length === 0 ? [AGE] : declared) {
    const path = parseJsonPath(column.jsonPath);
    if (path === undefined) break;
    const { name, type, format, priority } = column;
    const description =
      column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`;
    columns.push({ name, type, format, description, priority });
    cells.push((object, now, effort) => cellOf(path.find(object, effort), type, now));
  }
  return {
    columns,
    cells: (object, now) => {
      const effort = walkEffort();
      return cells.map((cell) => cell(object, now, effort));
    },
  };
}

function nameCell(object: JsonObject): JsonValue {
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
      return typeof value === 'string' ? ageOf(value, now) : null;
    default:
      return null;
  }
}

/** As the reference prints a value: objects and lists are JSON. */
function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '<no value>';
  if (typeof value === 'number' || typeof value === 'bigint') return formatNumber(value);
  return typeof value === 'boolean' ? String(value) : formatJson(value);
}

function ageOf(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>';
  const parsed = parseTime(text);
  if (!parsed.ok) return '<invalid>';
  return isZeroInstant(parsed.value) ? '<unknown>' : formatHumanDuration(now - parsed.value.seconds * 1000);
}
