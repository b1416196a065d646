/**
 * The replacement of empty lists and maps by null in fields that are always written. The reference's binary form has no
 * empty list, so a stored one is read as none.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { FieldView, StructView, TypeView } from '../type-view.ts';

/** Brings an object of the form `tracked` into the form `stored`, in place. See NormalizeForm. */
export function dropEmptyLists(object: JsonObject, view: StructView): void {
  const fields = planOf(view);
  for (const name in object) {
    const value = object[name];
    if (typeof value !== 'object' || value === null) continue;
    const field = fields.get(name);
    if (field === undefined) continue;
    if (field.isDropped && isEmpty(value)) object[name] = null;
    else field.below?.(value);
  }
}

type Drop = (value: JsonValue) => void;

interface FieldPlan {
  /** Whether an empty list or map in the field becomes null. */
  readonly isDropped: boolean;
  /** Visits the structs below; undefined if there are none. */
  readonly below: Drop | undefined;
}

/** The fields that may contain a list or map, by name. Compiled when a value first needs them. */
const plans = new WeakMap<StructView, ReadonlyMap<string, FieldPlan>>();

function planOf(view: StructView): ReadonlyMap<string, FieldPlan> {
  let plan = plans.get(view);
  if (plan === undefined) {
    plan = new Map(Array.from(view.fields(), planField).filter(([, field]) => field.isDropped || field.below));
    plans.set(view, plan);
  }
  return plan;
}

function planField({ name, type, wire }: FieldView): [string, FieldPlan] {
  const isContainer = type.kind === 'list' || type.kind === 'map';
  const isWritten = wire?.pointer === true || wire?.omitEmpty === false;
  return [name, { isDropped: isContainer && isWritten, below: belowOf(type) }];
}

function belowOf(type: TypeView): Drop | undefined {
  switch (type.kind) {
    case 'struct':
      return (value) => {
        if (isJsonObject(value)) dropEmptyLists(value, type);
      };
    case 'list':
      return eachOf(type.items);
    case 'map':
      return eachOf(type.values);
    default:
      return undefined;
  }
}

/** Visits the items of a list, or the values of a map. */
function eachOf(type: TypeView): Drop | undefined {
  const below = belowOf(type);
  if (below === undefined) return undefined;
  return (value) => {
    if (Array.isArray(value)) value.forEach(below);
    else if (isJsonObject(value)) for (const key in value) below(value[key] as JsonValue);
  };
}

function isEmpty(value: object): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}
