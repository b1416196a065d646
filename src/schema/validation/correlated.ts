/**
 * A value paired with its old value, for ratcheting. Fields are paired by name, items of map lists by their keys, items
 * of other lists are not paired. Like in kube-apiserver, an object with a field that the schema does not list never
 * counts as unchanged, and the order of a map list does not matter. Each pair is compared at most once.
 */
import { equalJson, getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { StructuralSchema } from '../structural/structural.ts';
import { itemsByKey } from './items-by-key.ts';

export class Correlated {
  readonly #value: JsonValue;
  readonly #old: JsonValue;
  readonly #schema: StructuralSchema;
  #unchanged: boolean | undefined;
  #children: Map<string | number, Correlated> | undefined;
  #oldItems: ((item: JsonValue) => JsonObject | undefined) | undefined;

  constructor(value: JsonValue, old: JsonValue, schema: StructuralSchema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  get isUnchanged(): boolean {
    this.#unchanged ??= this.#compare();
    return this.#unchanged;
  }

  /** The pair of a field; undefined if one of the objects or the schema does not have it. */
  key(name: string): Correlated | undefined {
    const known = this.#children?.get(name);
    if (known !== undefined) return known;
    if (!isJsonObject(this.#value) || !isJsonObject(this.#old)) return undefined;
    const value = getField(this.#value, name);
    const old = getField(this.#old, name);
    const { properties, additionalProperties } = this.#schema;
    const schema =
      properties.get(name) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (value === undefined || old === undefined || schema === undefined) return undefined;
    return this.#keep(name, new Correlated(value, old, schema));
  }

  /** The pair of an item and the old item with the same keys; undefined unless the list is a map list. */
  index(index: number): Correlated | undefined {
    const known = this.#children?.get(index);
    if (known !== undefined) return known;
    if (!Array.isArray(this.#value) || !Array.isArray(this.#old)) return undefined;
    const value = this.#value[index];
    const { items } = this.#schema;
    if (value === undefined || items === undefined) return undefined;
    this.#oldItems ??= itemsByKey(this.#schema, this.#old);
    const old = this.#oldItems(value);
    return old === undefined ? undefined : this.#keep(index, new Correlated(value, old, items));
  }

  #keep(at: string | number, child: Correlated): Correlated {
    this.#children ??= new Map();
    this.#children.set(at, child);
    return child;
  }

  get #isMapList(): boolean {
    return this.#schema.listType === 'map';
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (!this.#isMapList) return equalJson(value, old);
      return value.every((_, i) => this.index(i)?.isUnchanged === true);
    }
    if (isJsonObject(value) && isJsonObject(old)) {
      const names = Object.keys(value);
      if (names.length !== Object.keys(old).length) return false;
      return names.every((name) => this.key(name)?.isUnchanged === true);
    }
    return equalJson(value, old);
  }
}
