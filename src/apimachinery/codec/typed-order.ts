/**
 * Ordering of the fields of a typed object by the declaration of its type. Invariant: values do not change; only the
 * order of struct fields does. An object that is in order is not modified.
 */
import { isJsonObject, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import type { StructView, TypeView } from '../type-view.ts';

/** Returns the value in order: the same one, or a new one if the order had to change. */
type Arrange = (value: JsonValue) => JsonValue;

interface FieldOrder {
  readonly name: string;
  /** Undefined for a type that contains no structs. */
  readonly arrange: Arrange | undefined;
}

const plans: WeakMap<StructView, StructOrder> = new WeakMap();

/**
 * Orders the fields of an object and of everything in it. Modifies the object in place and may replace what it
 * contains.
 */
export function orderFields(object: JsonObject, view: StructView): void {
  const ordered = planOf(view).arrange(object);
  if (ordered === object) return;
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, ordered);
}

function planOf(view: StructView): StructOrder {
  let plan = plans.get(view);
  if (plan === undefined) {
    plan = new StructOrder(view);
    plans.set(view, plan);
  }
  return plan;
}

/** The field order of a struct. It is read when a value first needs it, because types may be recursive. */
class StructOrder {
  readonly #view: StructView;
  #fields: readonly FieldOrder[] | undefined;

  constructor(view: StructView) {
    this.#view = view;
  }

  arrange(object: JsonObject): JsonObject {
    this.#fields ??= Array.from(this.#view.fields(), ({ name, type }) => ({ name, arrange: arrangeOf(type) }));
    const fields = this.#fields;
    const ordered = inOrder(object, fields) ? object : sorted(object, fields);
    for (const { name, arrange } of fields) {
      if (arrange === undefined) continue;
      const value = ordered[name];
      if (value === undefined) continue;
      const arranged = arrange(value);
      if (arranged !== value) ordered[name] = arranged;
    }
    return ordered;
  }
}

/** Whether the fields are in order. Walks the fields of the type and of the object side by side. */
function inOrder(object: JsonObject, fields: readonly FieldOrder[]): boolean {
  let next = 0;
  for (const name in object) {
    while (next < fields.length && fields[next]?.name !== name) next++;
    if (next === fields.length) return false;
  }
  return true;
}

/** Fields that the type does not have come last. */
function sorted(object: JsonObject, fields: readonly FieldOrder[]): JsonObject {
  const result: JsonObject = {};
  for (const { name } of fields) if (Object.hasOwn(object, name)) result[name] = object[name] as JsonValue;
  for (const name of Object.keys(object))
    if (!Object.hasOwn(result, name)) setField(result, name, object[name] as JsonValue);
  return result;
}

function arrangeOf(type: TypeView): Arrange | undefined {
  switch (type.kind) {
    case 'struct':
      return (value) => (isJsonObject(value) ? planOf(type).arrange(value) : value);
    case 'list': {
      const items = arrangeOf(type.items);
      return items === undefined ? undefined : (value) => arrangeItems(value, items);
    }
    case 'map': {
      const values = arrangeOf(type.values);
      return values === undefined ? undefined : (value) => arrangeValues(value, values);
    }
    default:
      return undefined;
  }
}

function arrangeItems(value: JsonValue, arrange: Arrange): JsonValue {
  if (!Array.isArray(value)) return value;
  for (const [i, item] of value.entries()) {
    const arranged = arrange(item);
    // Items in order are left alone: entries of managedFields are shared and frozen.
    if (arranged !== item) value[i] = arranged;
  }
  return value;
}

function arrangeValues(value: JsonValue, arrange: Arrange): JsonValue {
  if (!isJsonObject(value)) return value;
  for (const key of Object.keys(value)) {
    const arranged = arrange(value[key] as JsonValue);
    if (arranged !== value[key]) value[key] = arranged;
  }
  return value;
}
