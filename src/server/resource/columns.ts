/**
 * Columns of the built-in kinds. Invariant: names, types, formats, priorities and cells are the reference's; the descriptions are ours, because no client
 * prints them.
 */

import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { formatHumanDuration } from '../../apimachinery/scalars/human-duration.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import type { ColumnDefinition, TableDefinition } from './version-definition.ts';

/** One column and what it shows. */
export interface Column extends ColumnDefinition {
  cell(object: JsonObject, now: number): JsonValue;
}

export function column(
  name: string,
  description: string,
  cell: (object: JsonObject, now: number) => JsonValue,
  options: Partial<Pick<ColumnDefinition, 'type' | 'format' | 'priority'>> = {},
): Column {
  return { name, type: 'string', format: '', description, priority: 0, cell, ...options };
}

export const NAME: Column = column('Name', 'The name of the object.', (object) => textAt(object, 'metadata', 'name'), {
  format: 'name',
});
export const AGE: Column = column('Age', 'How long ago the object was created.', (object, now) =>
  sinceText(textAt(object, 'metadata', 'creationTimestamp'), now),
);
/** What the reference shows of kinds that it has no columns for. */
export const CREATED_AT: Column = column(
  'Created At',
  'When the object was created.',
  (object) => textAt(object, 'metadata', 'creationTimestamp') || '0001-01-01T00:00:00Z',
  { type: 'date' },
);

/** A table of these columns; the same one every time. */
export function tableOf(...columns: readonly Column[]): () => TableDefinition {
  const table: TableDefinition = {
    columns: columns.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    cells: (object, now) => columns.map((one) => one.cell(object, now)),
  };
  return () => table;
}

/** How long ago a time was; `<unknown>` if there is none. */
export function sinceText(time: string, now: number): string {
  const then = Date.parse(time);
  return Number.isNaN(then) ? '<unknown>' : formatHumanDuration(now - then);
}

/** `a=1,b=2`, sorted by key; `<none>` if there are none. */
export function labelsText(labels: JsonObject = {}): string {
  const keys = Object.keys(labels).sort(compareUtf8);
  return keys.map((key) => `${key}=${textAt(labels, key)}`).join(',') || '<none>';
}
