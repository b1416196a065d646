/**
 * The CEL values over JSON objects: structs with declared properties, maps, and values of unknown type. In a struct a
 * null field counts as absent, as in kube-apiserver.
 */
import { equalJson, getField, type JsonArray, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { evaluationNumber, takeSteps } from '../../cel/runtime/allowance.ts';
import { equalValues } from '../../cel/runtime/equality.ts';
import { type ObjectType, type OpaqueType, opaqueType } from '../../cel/types.ts';
import { CelMap, CelObject, CelOpaque, type Value } from '../../cel/values.ts';
import type { Adapter } from './adapter.ts';

export interface Field {
  /** The name in JSON, not escaped. */
  readonly name: string;
  readonly adapt: Adapter;
}

/** The declared fields of a struct. */
export interface Shape {
  readonly type: ObjectType;
  readonly byName: ReadonlyMap<string, Field>;
  /** The fields whose names can be escaped, by escaped name. */
  readonly byIdentifier: ReadonlyMap<string, Field>;
}

/** A JSON object with declared properties. */
export class JsonStruct extends CelObject {
  readonly json: JsonObject;
  readonly #shape: Shape;

  constructor(json: JsonObject, shape: Shape) {
    super();
    this.json = json;
    this.#shape = shape;
  }

  override get type(): ObjectType {
    return this.#shape.type;
  }

  /** The number of fields, including unknown ones. */
  override get size(): number {
    return countKeys(this.json);
  }

  override get(identifier: string): Value | undefined {
    const field = this.#shape.byIdentifier.get(identifier);
    if (field === undefined) return undefined;
    const value = getField(this.json, field.name);
    return value === undefined || value === null ? undefined : field.adapt(value);
  }

  override equals(other: CelObject): boolean {
    const { size } = this;
    if (!(other instanceof JsonStruct) || size !== other.size) return false;
    takeSteps(NODE_STEPS * size);
    return Object.keys(this.json).every((name) => this.#sameField(name, other));
  }

  #sameField(name: string, other: JsonStruct): boolean {
    const value = this.json[name] as JsonValue;
    const theirs = getField(other.json, name);
    const field = this.#shape.byName.get(name);
    // kube-apiserver ignores an unknown field that the other object does not have.
    if (field === undefined) return theirs === undefined || equalJson(value, theirs);
    const isSet = theirs !== undefined && theirs !== null;
    if (value === null || !isSet) return value === null && !isSet;
    return equalValues(field.adapt(value), field.adapt(theirs));
  }
}

/** A JSON object with `additionalProperties`. */
export class JsonMap extends CelMap {
  readonly json: JsonObject;
  readonly #adapt: Adapter;

  constructor(json: JsonObject, adapt: Adapter) {
    super();
    this.json = json;
    this.#adapt = adapt;
  }

  override get size(): number {
    return countKeys(this.json);
  }

  override get(key: Value): Value | undefined {
    const value = typeof key === 'string' ? getField(this.json, key) : undefined;
    return value === undefined ? undefined : this.#adapt(value);
  }

  override keys(): Iterable<Value> {
    return Object.keys(this.json);
  }
}

/** The number of keys of an object. */
const countKeys = countedOnce((json: JsonObject) => Object.keys(json).length);

/** The steps that comparing one value takes. */
const NODE_STEPS = 400;

const PRESERVED: OpaqueType = opaqueType('unknown');

/** A value that the schema preserves without specifying it. Rules can only compare it. */
export class Preserved extends CelOpaque {
  readonly json: JsonValue;

  constructor(json: JsonValue) {
    super();
    this.json = json;
  }

  override get type(): OpaqueType {
    return PRESERVED;
  }

  override equals(other: CelOpaque): boolean {
    if (typeof this.json === 'object' && this.json !== null) takeSteps(NODE_STEPS * nodesOf(this.json));
    return other instanceof Preserved && equalJson(this.json, other.json);
  }
}

/** The number of values inside a value, including itself. */
const nodesOf = countedOnce((root: JsonObject | JsonArray) => {
  let count = 0;
  const pending: JsonValue[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    count++;
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) pending.push(inner);
  }
  return count;
});

/**
 * Remembers counts of large values during one evaluation: counting takes time in proportion to the value. JSON may
 * change between evaluations, so that counts are not kept longer.
 */
function countedOnce<T extends JsonObject | JsonArray>(count: (json: T) => number): (json: T) => number {
  const counts = new WeakMap<T, { readonly evaluation: number; readonly count: number }>();
  return (json) => {
    const evaluation = evaluationNumber();
    const known = counts.get(json);
    if (known?.evaluation === evaluation) return known.count;
    const counted = count(json);
    if (counted > MIN_KEPT_COUNT) counts.set(json, { evaluation, count: counted });
    return counted;
  };
}

/** Smaller counts are not kept. */
const MIN_KEPT_COUNT = 100;
