/**
 * The closures of list, map and object literals. The cost of a literal does not depend on its items, and is counted
 * also if an item is an error.
 */
import { LIST_COST, MAP_COST, OBJECT_COST } from '../cost/cost-range.ts';
import type { ObjectType } from '../types.ts';
import { CelError, CelObject, CelOptional, type Value } from '../values.ts';
import { equalValues } from './equality.ts';
import { formatPlain } from './format-value.ts';
import { caught, type Step } from './frame.ts';
import { NativeList, NativeMap } from './native-values.ts';

export interface Element {
  readonly value: Step;
  /** True if written with `?`. */
  readonly optional: boolean;
}

export interface Entry extends Element {
  readonly key: Step;
}

export interface Field extends Element {
  readonly name: string;
}

export function listStep(elements: readonly Element[]): Step {
  return (frame) => {
    const items: Value[] = [];
    for (const element of elements) {
      let value = element.value(frame);
      if (element.optional && !(value instanceof CelError)) {
        if (value instanceof CelOptional) {
          if (value.value === undefined) continue;
          value = value.value;
        } else
          value = new CelError(`cannot initialize optional list element from non-optional value ${formatPlain(value)}`);
      }
      if (value instanceof CelError) {
        frame.cost += LIST_COST;
        return value;
      }
      items.push(value);
    }
    frame.cost += LIST_COST;
    return new NativeList(items);
  };
}

/** The value of an element; undefined for an optional without a value. */
function unwrapped(element: Element, name: string, value: Value | CelError): Value | undefined | CelError {
  if (!element.optional || value instanceof CelError) return value;
  if (value instanceof CelOptional) return value.value;
  return new CelError(`cannot initialize optional entry '${name}' from non-optional value ${formatPlain(value)}`);
}

export function mapStep(entries: readonly Entry[]): Step {
  return (frame) => {
    const pairs: [Value, Value][] = [];
    for (const entry of entries) {
      const key = entry.key(frame);
      if (key instanceof CelError) {
        frame.cost += MAP_COST;
        return key;
      }
      const value = unwrapped(entry, formatPlain(key), entry.value(frame));
      if (value instanceof CelError) {
        frame.cost += MAP_COST;
        return value;
      }
      if (value !== undefined) pairs.push([key, value]);
    }
    frame.cost += MAP_COST;
    return caught(() => new NativeMap(pairs));
  };
}

export function objectStep(type: ObjectType, fields: readonly Field[]): Step {
  return (frame) => {
    const values = new Map<string, Value>();
    for (const field of fields) {
      const value = unwrapped(field, field.name, field.value(frame));
      if (value instanceof CelError) {
        frame.cost += OBJECT_COST;
        return value;
      }
      if (value !== undefined) values.set(field.name, value);
    }
    frame.cost += OBJECT_COST;
    return type.valueProblem === undefined ? new LiteralObject(type, values) : checkedObject(type, values);
  };
}

function checkedObject(type: ObjectType, values: ReadonlyMap<string, Value>): LiteralObject | CelError {
  for (const [field, value] of values) {
    const problem = type.valueProblem?.(field, value);
    if (problem !== undefined) return new CelError(problem);
  }
  return new LiteralObject(type, values);
}

/** The value of an object literal. */
export class LiteralObject extends CelObject {
  readonly type: ObjectType;
  readonly #values: ReadonlyMap<string, Value>;
  constructor(type: ObjectType, values: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.#values = values;
  }
  get size(): number {
    return this.#values.size;
  }
  get(field: string): Value | undefined {
    return this.#values.get(field);
  }
  /** The fields that are set, in the order of the literal. */
  entries(): Iterable<readonly [string, Value]> {
    return this.#values;
  }
  equals(other: CelObject): boolean {
    if (other.type.name !== this.type.name || other.size !== this.size) return false;
    for (const [field, value] of this.#values) {
      const theirs = other.get(field);
      if (theirs === undefined || !equalValues(value, theirs)) return false;
    }
    return true;
  }
}
