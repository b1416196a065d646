/**
 * Nulls that mean nothing are dropped, then defaults filled in. Invariant: idempotent; the schema's defaults are never given out, only copies; what an object gets at once is
 * worked out once for each node.
 */
import { cloneJson, type JsonObject, type JsonValue, setField } from '../base/json-value.ts';
import type { StructuralSchema } from './structural.ts';

type Schema = StructuralSchema | undefined;

/** Drops nulls where the schema neither allows null nor has a default; null items of lists stay. */
export function dropNulls(schema: Schema, value: JsonValue): void {
  if (schema === undefined || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(schema.items, item);
    return;
  }
  for (const name in value) {
    const field = fieldSchema(schema, name);
    if (field === undefined) continue;
    const child = value[name] as JsonValue;
    if (child === null && !field.nullable && field.default === undefined) delete value[name];
    else dropNulls(field, child);
  }
}

/** Both in one walk, in place. */
export class Defaulter {
  /** By node: the fields with defaults, and those fields' values as an object gets them. */
  readonly #fields: WeakMap<StructuralSchema, readonly Filled[]> = new WeakMap();
  readonly #values: WeakMap<StructuralSchema, JsonValue> = new WeakMap();
  readonly #root: StructuralSchema;
  readonly #pruned: (schema: StructuralSchema) => JsonValue;

  /** `pruned` makes of a node's default the value that objects get: a copy. */
  constructor(root: StructuralSchema, pruned: (schema: StructuralSchema) => JsonValue) {
    this.#root = root;
    this.#pruned = pruned;
  }

  setDefaults(object: JsonObject): void {
    this.#fill(this.#root, object, true);
  }

  /** `nulls`: those without a default are dropped. They are not inside of what is itself a default. */
  #fill(schema: Schema, value: JsonValue, nulls: boolean): void {
    if (schema === undefined || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) this.#fillItems(schema, value, nulls);
    else this.#fillFields(schema, value, nulls);
  }

  #fillItems({ items }: StructuralSchema, list: JsonValue[], nulls: boolean): void {
    if (items === undefined) return;
    for (let i = 0; i < list.length; i++) {
      if (list[i] === null && !items.nullable) list[i] = this.#valueOf(items);
      else this.#fill(items, list[i] as JsonValue, nulls);
    }
  }

  #fillFields(schema: StructuralSchema, object: JsonObject, nulls: boolean): void {
    for (const name in object) {
      const field = fieldSchema(schema, name);
      if (field === undefined) continue;
      const value = object[name] as JsonValue;
      if (value !== null) this.#fill(field, value, nulls);
      else if (!field.nullable) {
        if (field.default !== undefined) setField(object, name, this.#valueOf(field));
        else if (nulls) delete object[name];
      }
    }
    for (const { name, field } of this.#filledOf(schema))
      if (!Object.hasOwn(object, name)) setField(object, name, this.#valueOf(field));
  }

  #filledOf(schema: StructuralSchema): readonly Filled[] {
    let filled = this.#fields.get(schema);
    if (filled === undefined) {
      filled = [...schema.properties]
        .filter(([, field]) => field.default !== undefined)
        .map(([name, field]) => ({ name, field }));
      this.#fields.set(schema, filled.length === 0 ? NONE : filled);
    }
    return filled;
  }

  /** A copy of the default with the defaults of what is inside it; null if there is none. */
  #valueOf(schema: StructuralSchema): JsonValue {
    if (schema.default === undefined) return null;
    let value = this.#values.get(schema);
    if (value === undefined) {
      value = this.#pruned(schema);
      this.#fill(schema, value, false);
      this.#values.set(schema, value);
    }
    return cloneJson(value);
  }
}

interface Filled {
  readonly name: string;
  readonly field: StructuralSchema;
}

const NONE: readonly Filled[] = [];

function fieldSchema(schema: StructuralSchema, name: string): Schema {
  const property = schema.properties.get(name);
  if (property !== undefined) return property;
  const { additionalProperties } = schema;
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
