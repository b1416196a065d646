/**
 * JSON objects as CEL values: those with declared properties, those with free keys, and those that nothing is known about. Invariant: a field that is null counts as absent
 * where properties are declared, as in the reference.
 */
import { equalJson, getField, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { equalValues } from '../../cel/runtime/equality.ts';
import { type ObjectType, type OpaqueType, opaqueType } from '../../cel/types.ts';
import { CelMap, CelObject, CelOpaque, type Value } from '../../cel/values.ts';
import type { Adapter } from './adapter.ts';

export interface Field {
  /** In JSON. */
  readonly name: string;
  readonly adapt: Adapter;
}

/** The fields of an object. */
export interface Shape {
  readonly type: ObjectType;
  readonly byName: ReadonlyMap<string, Field>;
  /** Only those that rules can name. */
  readonly byIdentifier: ReadonlyMap<string, Field>;
}

/** An object with declared properties. */
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

  /** How many fields it has, unknown ones too. */
  override get size(): number {
    return Object.keys(this.json).length;
  }

  override get(identifier: string): Value | undefined {
    const field = this.#shape.byIdentifier.get(identifier);
    if (field === undefined) return undefined;
    const value = getField(this.json, field.name);
    return value === undefined || value === null ? undefined : field.adapt(value);
  }

  override equals(other: CelObject): boolean {
    if (!(other instanceof JsonStruct) || this.size !== other.size) return false;
    return Object.keys(this.json).every((name) => this.#sameField(name, other));
  }

  #sameField(name: string, other: JsonStruct): boolean {
    const value = this.json[name] as JsonValue;
    const theirs = getField(other.json, name);
    const field = this.#shape.byName.get(name);
    // The reference does not miss an unknown field that the other one lacks.
    if (field === undefined) return theirs === undefined || equalJson(value, theirs);
    const isSet = theirs !== undefined && theirs !== null;
    if (value === null || !isSet) return value === null && !isSet;
    return equalValues(field.adapt(value), field.adapt(theirs));
  }
}

/** An object with free keys. */
export class JsonMap extends CelMap {
  readonly json: JsonObject;
  readonly #adapt: Adapter;

  constructor(json: JsonObject, adapt: Adapter) {
    super();
    this.json = json;
    this.#adapt = adapt;
  }

  override get size(): number {
    return Object.keys(this.json).length;
  }

  override get(key: Value): Value | undefined {
    const value = typeof key === 'string' ? getField(this.json, key) : undefined;
    return value === undefined ? undefined : this.#adapt(value);
  }

  override keys(): Iterable<Value> {
    return Object.keys(this.json);
  }
}

const PRESERVED: OpaqueType = opaqueType('unknown');

/** What a schema preserves without knowing it: it can only be compared. */
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
    return other instanceof Preserved && equalJson(this.json, other.json);
  }
}
