/**
 * Iteration over the nodes of JSONSchemaProps, and predicates on one node. Invariant: every nested schema is visited
 * once, wherever JSONSchemaProps allows one.
 */

import { fieldAt, flagAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { compareUtf8 } from '../../../base/utf8.ts';
import type { PlainNodes } from '../../../schema/structural/plain-nodes.ts';

export const SCHEMA_TYPES: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Returns all schemas of a definition in the form of v1beta1. The shared one is first. */
export function schemasOf(object: JsonObject): readonly JsonObject[] {
  const shared = objectAt(object, 'spec', 'validation', 'openAPIV3Schema');
  const own = objectsAt(object, 'spec', 'versions').map((version) => objectAt(version, 'schema', 'openAPIV3Schema'));
  return [shared, ...own].filter((schema) => schema !== undefined);
}

/** Reports whether `test` is true for the schema or for one nested in it. */
export function schemaHas(root: JsonObject, test: (schema: JsonObject) => boolean): boolean {
  const pending = [root];
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    if (test(schema)) return true;
    pushInner(schema, pending);
  }
  return false;
}

/** Reports whether schemas are nested more than `limit` levels deep. */
export function isDeeper(root: JsonObject, limit: number, plain: PlainNodes): boolean {
  let level: JsonObject[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const below: JsonObject[] = [];
    for (const schema of level) if (!plain.has(schema)) pushInner(schema, below);
    level = below;
  }
  return false;
}

const SINGLE = ['not', 'additionalProperties', 'additionalItems', 'items'] as const;
const LISTS = ['items', 'allOf', 'anyOf', 'oneOf'] as const;
const MAPS = ['properties', 'patternProperties', 'definitions', 'dependencies'] as const;
const HOLDERS: ReadonlySet<string> = new Set<string>([...SINGLE, ...LISTS, ...MAPS]);

/** Checks the present fields first, because most schemas contain no other schema. */
function pushInner(schema: JsonObject, to: JsonObject[]): void {
  let holds = false;
  for (const name of Object.keys(schema)) {
    const value = schema[name];
    if (typeof value === 'object' && value !== null && HOLDERS.has(name)) holds = true;
  }
  if (!holds) return;
  const push = (value: JsonValue | undefined): void => {
    if (isJsonObject(value)) to.push(value);
  };
  for (const name of SINGLE) push(getField(schema, name));
  for (const name of LISTS) for (const item of objectsAt(schema, name)) push(item);
  for (const name of MAPS) for (const item of Object.values(objectAt(schema, name) ?? {})) push(item);
}

/** Returns the entries of a map of schemas, sorted by name. */
export function schemaEntries(schema: JsonObject, name: string): readonly (readonly [string, JsonObject])[] {
  const entries = Object.entries(objectAt(schema, name) ?? {});
  return entries
    .filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))
    .sort(([a], [b]) => compareUtf8(a, b));
}

export function hasInvalidType(schema: JsonObject): boolean {
  const type = textAt(schema, 'type');
  return type !== '' && !SCHEMA_TYPES.includes(type);
}

export function hasExtensions(schema: JsonObject): boolean {
  return (
    flagAt(schema, 'x-kubernetes-embedded-resource') ||
    fieldAt(schema, 'x-kubernetes-preserve-unknown-fields') !== undefined ||
    flagAt(schema, 'x-kubernetes-int-or-string') ||
    textsAt(schema, 'x-kubernetes-list-map-keys').length > 0 ||
    fieldAt(schema, 'x-kubernetes-list-type') !== undefined ||
    objectsAt(schema, 'x-kubernetes-validations').length > 0
  );
}

/** Returns the schema of the items if all items have the same. */
export function itemsOf(schema: JsonObject): JsonObject | undefined {
  return objectAt(schema, 'items');
}

/** Returns the extension that should be `atomic` so that items of a set can be compared as a whole, or undefined. */
export function nonAtomicSetItems(schema: JsonObject): 'x-kubernetes-list-type' | 'x-kubernetes-map-type' | undefined {
  const items = itemsOf(schema);
  if (textAt(schema, 'x-kubernetes-list-type') !== 'set' || items === undefined) return undefined;
  switch (textAt(items, 'type')) {
    case 'array': {
      const listType = fieldAt(items, 'x-kubernetes-list-type');
      return listType !== undefined && listType !== 'atomic' ? 'x-kubernetes-list-type' : undefined;
    }
    case 'object':
      return textAt(items, 'x-kubernetes-map-type') === 'atomic' ? undefined : 'x-kubernetes-map-type';
    default:
      return undefined;
  }
}

export function hasNonAtomicSet(schema: JsonObject): boolean {
  return nonAtomicSetItems(schema) !== undefined;
}

export type MapKeyFault =
  | { readonly kind: 'nullable-items' }
  | { readonly kind: 'no-default' | 'nullable-key'; readonly key: string };

/** Returns the problems of the items of a set or map list: items must not be null, and keys must always be present. */
export function mapKeyFaults(schema: JsonObject): readonly MapKeyFault[] {
  const items = itemsOf(schema);
  const listType = textAt(schema, 'x-kubernetes-list-type');
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const faults: MapKeyFault[] = [];
  if (flagAt(items, 'nullable')) faults.push({ kind: 'nullable-items' });
  if (listType === 'set') return faults;
  const required = new Set(textsAt(items, 'required'));
  for (const key of textsAt(schema, 'x-kubernetes-list-map-keys')) {
    const property = objectAt(items, 'properties', key);
    if (property === undefined) continue;
    if (!required.has(key) && getField(property, 'default') === undefined) faults.push({ kind: 'no-default', key });
    if (flagAt(property, 'nullable')) faults.push({ kind: 'nullable-key', key });
  }
  return faults;
}

export function hasInvalidMapListKeys(schema: JsonObject): boolean {
  return mapKeyFaults(schema).length > 0;
}
