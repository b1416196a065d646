/**
 * A value beside its old one, as ratcheting pairs them: by name in objects, by key in lists that are maps, not at all in other lists. Invariant: what is compared once is not compared
 * again; a place without a counterpart is undefined, and nothing below it has one.
 */
import {
  equalJson,
  getField,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json-value.ts';
import type { StructuralSchema } from '../structural.ts';

export class Correlation {
  readonly #value: JsonValue;
  readonly #old: JsonValue;
  readonly #schema: StructuralSchema;
  #equal: boolean | undefined;
  #oldItems: ((item: JsonValue) => JsonValue | undefined) | undefined;

  constructor(value: JsonValue, old: JsonValue, schema: StructuralSchema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** Nothing changed here. */
  get isUnchanged(): boolean {
    this.#equal ??= equalJson(this.#value, this.#old);
    return this.#equal;
  }

  key(name: string): Correlation | undefined {
    if (!isJsonObject(this.#value) || !isJsonObject(this.#old)) return undefined;
    const value = getField(this.#value, name);
    const old = getField(this.#old, name);
    const { properties, additionalProperties } = this.#schema;
    const schema =
      properties.get(name) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (value === undefined || old === undefined || schema === undefined) return undefined;
    return new Correlation(value, old, schema);
  }

  index(index: number): Correlation | undefined {
    if (!Array.isArray(this.#value) || !Array.isArray(this.#old)) return undefined;
    const { items } = this.#schema;
    const value = this.#value[index];
    this.#oldItems ??= itemsByKey(this.#schema, this.#old);
    const old = value === undefined ? undefined : this.#oldItems(value);
    if (value === undefined || old === undefined || items === undefined) return undefined;
    return new Correlation(value, old, items);
  }
}

/** Finds the item of a list that has the same keys as another; nothing in a list that is not a map. */
export function itemsByKey(schema: StructuralSchema, list: JsonArray): (item: JsonValue) => JsonObject | undefined {
  const { listMapKeys: keys } = schema;
  if (schema.type !== 'array' || schema.listType !== 'map' || keys.length === 0) return () => undefined;
  let byKey: Map<string, JsonObject> | undefined;
  return (item) => {
    byKey ??= indexItems(list, keys);
    const key = compositeKey(item, keys);
    return key === undefined ? undefined : byKey.get(key);
  };
}

function indexItems(list: JsonArray, keys: readonly string[]): Map<string, JsonObject> {
  const byKey = new Map<string, JsonObject>();
  for (const item of list) {
    const key = compositeKey(item, keys);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item as JsonObject);
  }
  return byKey;
}

/** Undefined unless all keys are there and scalar. */
function compositeKey(item: JsonValue, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  let key = '';
  for (const name of keys) {
    const value = getField(item, name);
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    key += `${typeof value === 'string' ? JSON.stringify(value) : String(value)}\0`;
  }
  return key;
}
