/**
 * Nulls that mean nothing are dropped, then defaults filled in. Invariant: idempotent; the schema's defaults are never given out, only copies; what an object gets at once is
 * worked out once for each node.
 */
import { StatusError } from '../apimachinery/status/status.ts';
import { requestEntityTooLarge } from '../apimachinery/status/status-catalogue.ts';
import { cloneJson, type JsonObject, type JsonValue, setField } from '../base/json-value.ts';
import type { DefaultOf } from './prune-default.ts';
import type { StructuralSchema } from './structural.ts';

type Schema = StructuralSchema | undefined;

/** Both in one walk, in place. */
export class Defaulter {
  /** By node: the fields with defaults, and the value that an object gets; undefined if pruning leaves nothing of it. */
  readonly #fields: Map<StructuralSchema, readonly Filled[]> = new Map();
  readonly #values: Map<StructuralSchema, { readonly value: JsonValue | undefined; readonly size: number }> = new Map();
  readonly #root: StructuralSchema;
  readonly #defaultOf: DefaultOf;
  /** What this object got so far. */
  #filled = 0;

  constructor(root: StructuralSchema, defaultOf: DefaultOf) {
    this.#root = root;
    this.#defaultOf = defaultOf;
  }

  /** Throws a StatusError (413) where defaults would blow the object up beyond all measure. */
  setDefaults(object: JsonObject): void {
    this.#filled = 0;
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
      if (list[i] === null && !items.nullable) list[i] = this.#valueOf(items) ?? null;
      else this.#fill(items, list[i] as JsonValue, nulls);
    }
  }

  #fillFields(schema: StructuralSchema, object: JsonObject, nulls: boolean): void {
    for (const name in object) {
      const value = object[name] as JsonValue;
      if (typeof value !== 'object') continue;
      const field = fieldSchema(schema, name);
      if (field === undefined) continue;
      if (value !== null) this.#fill(field, value, nulls);
      else if (!field.nullable) {
        const filled = this.#valueOf(field);
        if (filled !== undefined) setField(object, name, filled);
        else if (nulls) delete object[name];
      }
    }
    const missing = this.#filledOf(schema);
    for (let i = 0; i < missing.length; i++) {
      const { name, field } = missing[i] as Filled;
      if (Object.hasOwn(object, name)) continue;
      const filled = this.#valueOf(field);
      if (filled !== undefined) setField(object, name, filled);
    }
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

  /** A copy of the default with the defaults of what is inside it; undefined if there is none. */
  #valueOf(schema: StructuralSchema): JsonValue | undefined {
    if (schema.default === undefined) return undefined;
    let made = this.#values.get(schema);
    if (made === undefined) {
      const value = this.#defaultOf(schema);
      if (value !== undefined) this.#fill(schema, value, false);
      made = { value, size: value === undefined ? 0 : sizeOf(value) };
      this.#values.set(schema, made);
    }
    if (made.value === undefined) return undefined;
    this.#filled += made.size;
    if (this.#filled > SIZE_MAX) throw new StatusError(requestEntityTooLarge(TOO_LARGE));
    return cloneJson(made.value);
  }
}

/**
 * In bytes of JSON, about. A list of small items, each with a large default, becomes as large as the list times the default; far less than this is refused by every storage, but only once it
 * has been written out.
 */
const SIZE_MAX = 64 * 1024 * 1024;
const TOO_LARGE = 'defaults would make the object larger than any storage takes';

function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += 1 + sizeOf(item);
  else for (const name of Object.keys(value)) size += name.length + 4 + sizeOf(value[name] as JsonValue);
  return size;
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
