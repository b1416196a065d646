/** The rules that workload kinds share: defaults, generation, status, validation, warnings and columns. */
import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { IntOrString } from '../../apimachinery/scalars/int-or-string.ts';
import { formatLabelSelectorObject } from '../../apimachinery/selectors/label-selector-object.ts';
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { checkDns1123Label } from '../../apimachinery/validation/name-syntax.ts';
import { equalJson, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { incremented } from '../../server/registry/object-metadata.ts';
import { type Column, column } from '../../server/resource/columns.ts';
import { ensureMeta, specOf } from '../../server/resource/strategy-fields.ts';
import { selectorAt } from './label-selector.ts';
import { int32At } from './numbers.ts';

export const METADATA: FieldPath = FieldPath.of('metadata');
export const SPEC: FieldPath = FieldPath.of('spec');
export const TEMPLATE: FieldPath = FieldPath.of('spec', 'template');
export const STATUS: FieldPath = FieldPath.of('status');

/** Sets the field if it is absent or empty. */
export function setDefaultText(object: JsonObject, name: string, value: string): void {
  if (textAt(object, name) === '') object[name] = value;
}

/** The pod template, or an empty object if absent. */
export function templateOf(object: JsonObject): JsonObject {
  return objectAt(object, 'spec', 'template') ?? {};
}

export function statusOf(object: JsonObject): JsonObject {
  return objectAt(object, 'status') ?? {};
}

export function intOrStringAt(object: JsonObject, ...path: readonly string[]): IntOrString | undefined {
  const value = fieldAt(object, ...path);
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}

// ── Generations and status ──

/** For `prepareForCreate`: replaces the status and sets metadata.generation to 1. */
export function beginObject(object: JsonObject, emptyStatus: JsonObject): void {
  object['status'] = { ...emptyStatus };
  ensureMeta(object)['generation'] = 1;
}

/** For `prepareForUpdate`: increments metadata.generation if the spec changed. */
export function countSpecChange(object: JsonObject, old: JsonObject): void {
  if (!equalJson(specOf(object), specOf(old))) countGeneration(object, old);
}

export function countGeneration(object: JsonObject, old: JsonObject): void {
  ensureMeta(object)['generation'] = incremented(fieldAt(old, 'metadata', 'generation'));
}

/** Whether the update incremented metadata.generation. */
export function generationChanged(object: JsonObject, old: JsonObject): boolean {
  return numberAt(object, 'metadata', 'generation') !== numberAt(old, 'metadata', 'generation');
}

// ── Validation ──

/** Reports the counters in `names` that exceed the counter `limit` of the same status. */
export function validateAtMost(
  status: JsonObject,
  names: readonly string[],
  limit: string,
  detail = `cannot be greater than status.${limit}`,
): FieldIssue[] {
  const max = int32At(status, limit) ?? 0;
  return names
    .filter((name) => (int32At(status, name) ?? 0) > max)
    .map((name) => invalid(STATUS.child(name), int32At(status, name) ?? 0, detail));
}

/** Reports a `status.collisionCount` that decreases. */
export function validateCollisionCount(object: JsonObject, old: JsonObject): FieldIssue[] {
  const next = int32At(object, 'status', 'collisionCount');
  const before = int32At(old, 'status', 'collisionCount');
  if (before === undefined || (next !== undefined && next >= before)) return [];
  return [invalid(STATUS.child('collisionCount'), next ?? 0, 'cannot be decremented')];
}

// ── Warnings ──

/** Warns about a name that is not a DNS label: pod names are derived from it. */
export function nameWarnings(object: JsonObject): string[] {
  const complaints = checkDns1123Label(textAt(object, 'metadata', 'name'));
  if (complaints.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(' ')}]`,
  ];
}

// ── Maps ──

/** A copy of the map with the entries added and the keys sorted. */
export function withEntries(map: JsonObject | undefined, entries: Readonly<Record<string, JsonValue>>): JsonObject {
  const all = { ...map, ...entries };
  const sorted: JsonObject = {};
  for (const key of Object.keys(all).sort(compareUtf8)) setField(sorted, key, all[key] as JsonValue);
  return sorted;
}

// ── Columns ──

/** A column that shows the integer at a path. */
export function countColumn(name: string, description: string, ...path: readonly string[]): Column {
  return column(name, description, (object) => int32At(object, ...path) ?? 0, { type: 'integer' });
}

/** Two columns: the names and the images of the containers of a pod spec. */
export function containerColumns(
  specOf: (object: JsonObject) => JsonObject,
  options: { readonly priority?: number } = {},
): readonly [Column, Column] {
  const joined = (field: string) => (object: JsonObject) =>
    objectsAt(specOf(object), 'containers')
      .map((container) => textAt(container, field))
      .join(',');
  return [
    column('Containers', 'The names of its containers.', joined('name'), options),
    column('Images', 'The images of its containers.', joined('image'), options),
  ];
}

/** Two columns for `-o wide`: names and images of the containers of the pod template at a path. */
export function templateColumns(...path: readonly string[]): readonly [Column, Column] {
  return containerColumns((object) => objectAt(object, ...path, 'spec') ?? {}, { priority: 1 });
}

/** A column for `-o wide`: the label selector at a path. */
export function selectorColumn(...path: readonly string[]): Column {
  return column('Selector', 'Which pods it owns.', (object) => formatLabelSelectorObject(selectorAt(object, ...path)), {
    priority: 1,
  });
}
