/**
 * Nulls that mean nothing are dropped, then defaults filled in. Invariant: idempotent; the schema's defaults are never given out, only copies; what an object gets at once is
 * worked out once for each node.
 */
import { StatusError } from '../apimachinery/status/status.ts';
import { requestEntityTooLarge } from '../apimachinery/status/status-catalogue.ts';
import { cloneJson, type JsonObject, type JsonValue, setField } from '../base/json-value.ts';
import type { DefaultOf } from './prune-default.ts';
import type { StructuralSchema } from './structural/structural.ts';

/** Both in one walk, in place. */
export class Defaulter {
  readonly #root: FillPlan;
  readonly #defaultOf: DefaultOf;
  /** What this object got so far. */
  #filled = 0;

  constructor(root: StructuralSchema, defaultOf: DefaultOf) {
    this.#root = new FillPlan(root);
    this.#defaultOf = defaultOf;
  }

  /** Throws a StatusError (413) where defaults would blow the object up beyond all measure. */
  setDefaults(object: JsonObject): void {
    this.#filled = 0;
    this.#fillFields(this.#root, object, true);
  }

  /** `nulls`: those without a default are dropped. They are not inside of what is itself a default. */
  #fill(plan: FillPlan, value: JsonObject | JsonValue[], nulls: boolean): void {
    if (Array.isArray(value)) this.#fillItems(plan, value, nulls);
    else this.#fillFields(plan, value, nulls);
  }

  #fillItems(plan: FillPlan, list: JsonValue[], nulls: boolean): void {
    const { items } = plan;
    if (items === undefined) return;
    for (let i = 0; i < list.length; i++) {
      const item = list[i];
      if (typeof item !== 'object') continue;
      if (item !== null) this.#fill(items, item, nulls);
      else if (!items.nullable) list[i] = this.#valueOf(items) ?? null;
    }
  }

  #fillFields(plan: FillPlan, object: JsonObject, nulls: boolean): void {
    for (const name in object) {
      const value = object[name] as JsonValue;
      if (typeof value !== 'object') continue;
      const field = plan.field(name);
      if (field === undefined) continue;
      if (value !== null) this.#fill(field, value, nulls);
      else if (!field.nullable) {
        const filled = this.#valueOf(field);
        if (filled !== undefined) setField(object, name, filled);
        else if (nulls) delete object[name];
      }
    }
    const { missing } = plan;
    for (let i = 0; i < missing.length; i++) {
      const { name, field } = missing[i] as Filled;
      if (Object.hasOwn(object, name)) continue;
      const filled = this.#valueOf(field);
      if (filled !== undefined) setField(object, name, filled);
    }
  }

  /** A copy of the default with the defaults of what is inside it; undefined if there is none, or if pruning leaves nothing of it. */
  #valueOf(plan: FillPlan): JsonValue | undefined {
    if (!plan.hasDefault) return undefined;
    if (plan.made === undefined) {
      const value = this.#defaultOf(plan.schema);
      if (typeof value === 'object' && value !== null) this.#fill(plan, value, false);
      plan.made = { value, size: value === undefined ? 0 : sizeOf(value) };
    }
    const { value, size } = plan.made;
    if (value === undefined) return undefined;
    this.#filled += size;
    if (this.#filled > SIZE_MAX) throw new StatusError(requestEntityTooLarge(TOO_LARGE));
    return typeof value === 'object' ? cloneJson(value) : value;
  }
}

/** A node as filling needs it, made when a value first reaches it. */
class FillPlan {
  readonly schema: StructuralSchema;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** The fields with defaults. */
  readonly missing: readonly Filled[];
  /** The default, once somebody got it. */
  made: { readonly value: JsonValue | undefined; readonly size: number } | undefined;
  #fields: Map<string, FillPlan | undefined> | undefined;
  #items: FillPlan | undefined;
  #others: FillPlan | undefined;

  constructor(schema: StructuralSchema) {
    this.schema = schema;
    this.nullable = schema.nullable;
    this.hasDefault = schema.default !== undefined;
    const missing: Filled[] = [];
    for (const [name, field] of schema.properties)
      if (field.default !== undefined) missing.push({ name, field: this.#plan(name, field) });
    this.missing = missing.length === 0 ? NONE : missing;
  }

  /** Undefined where the schema says nothing. */
  field(name: string): FillPlan | undefined {
    const known = this.#fields?.get(name);
    if (known !== undefined) return known;
    const property = this.schema.properties.get(name);
    return property === undefined ? this.#additional() : this.#plan(name, property);
  }

  get items(): FillPlan | undefined {
    const { items } = this.schema;
    if (this.#items === undefined && items !== undefined) this.#items = new FillPlan(items);
    return this.#items;
  }

  #plan(name: string, schema: StructuralSchema): FillPlan {
    const plan = new FillPlan(schema);
    this.#fields ??= new Map();
    this.#fields.set(name, plan);
    return plan;
  }

  #additional(): FillPlan | undefined {
    const { additionalProperties } = this.schema;
    if (this.#others === undefined && typeof additionalProperties === 'object')
      this.#others = new FillPlan(additionalProperties);
    return this.#others;
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
  readonly field: FillPlan;
}

const NONE: readonly Filled[] = [];
