/**
 * Building blocks for Tables: columns that many kinds share, and cell texts. Names, types, formats, priorities and
 * cells of built-in kinds are kube-apiserver's; descriptions are our own, because no client prints them.
 */

import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { formatHumanDuration } from '../../apimachinery/scalars/human-duration.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import type { ColumnDefinition, TableDefinition } from './version-definition.ts';

/** A column with its cell. */
export interface Column extends ColumnDefinition {
  /** Returns the value of the cell. Must not change the object. `now` is the wall clock in milliseconds. */
  cell(object: JsonObject, now: number): JsonValue;
}

/** Returns a column of type `string` that is always shown, unless the options say otherwise. */
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
/** The second column of kinds for which kube-apiserver has no columns of their own. */
export const CREATED_AT: Column = column(
  'Created At',
  'When the object was created.',
  (object) => textAt(object, 'metadata', 'creationTimestamp') || '0001-01-01T00:00:00Z',
  { type: 'date' },
);

/** Returns a function that always returns the same Table of these columns. */
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

/** Returns the time since an RFC 3339 time, as kubectl prints it; `<unknown>` for a text that is not a time. */
export function sinceText(time: string, now: number): string {
  const then = Date.parse(time);
  return Number.isNaN(then) ? '<unknown>' : formatHumanDuration(now - then);
}

/** `a=1,b=2`, sorted by key; `<none>` if there are none. */
export function labelsText(labels: JsonObject = {}): string {
  const keys = Object.keys(labels).sort(compareUtf8);
  return keys.map((key) => `${key}=${textAt(labels, key)}`).join(',') || '<none>';
}
