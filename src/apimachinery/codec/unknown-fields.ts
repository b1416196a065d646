/**
 * Removal of the fields that a type does not have, as decoding into that type would do it. It does not recurse. Names
 * are case-sensitive. A value that does not fit its type is left for validation to refuse.
 */
import type { JsonValue } from '../../base/json-value.ts';
import type { StructView, TypeView } from '../type-view.ts';

/** Whether `pruneUnknownFields` would remove something. */
export function hasUnknownFields(value: JsonValue, view: StructView): boolean {
  return walk(value, view, () => true);
}

/** Removes unknown fields in place. The caller must own the value. */
export function pruneUnknownFields(value: JsonValue, view: StructView): void {
  walk(value, view, (object, key) => {
    delete object[key];
    return false;
  });
}

/** Calls `visit` for each unknown field until it returns true. Returns whether it did. */
function walk(
  root: JsonValue,
  view: StructView,
  visit: (object: Record<string, JsonValue>, key: string) => boolean,
): boolean {
  const values: JsonValue[] = [root];
  const types: TypeView[] = [view];
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    const type = types.pop() as TypeView;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      if (type.kind !== 'list') continue;
      for (const item of value) push(values, types, item, type.items);
      continue;
    }
    if (type.kind === 'map') {
      for (const key of Object.keys(value)) push(values, types, value[key], type.values);
    } else if (type.kind === 'struct') {
      for (const key of Object.keys(value)) {
        const field = type.field(key);
        if (field !== undefined) push(values, types, value[key], field.type);
        else if (!type.preserveUnknown && visit(value, key)) return true;
      }
    }
  }
  return false;
}

/** Only containers that may hold a struct need a visit. */
function push(values: JsonValue[], types: TypeView[], value: JsonValue | undefined, type: TypeView): void {
  if (typeof value !== 'object' || value === null || isPlain(type)) return;
  if (isPlain(type.kind === 'map' ? type.values : type.kind === 'list' ? type.items : type)) return;
  values.push(value);
  types.push(type);
}

function isPlain({ kind }: TypeView): boolean {
  return kind === 'scalar' || kind === 'any';
}
