/**
 * The defaulting of objects: removes nulls that are not allowed and fills in defaults. The complete default of a node,
 * with the defaults inside it, is computed once.
 *
 * Invariants: defaulting is idempotent. Objects receive copies of the schema's defaults.
 */
import { StatusError } from '../apimachinery/status/status.ts';
import { requestEntityTooLarge } from '../apimachinery/status/status-catalogue.ts';
import { cloneJson, type JsonObject, type JsonValue, setField } from '../base/json-value.ts';
import type { DefaultOf } from './prune-default.ts';
import type { StructuralSchema } from './structural/structural.ts';

/**
 * Defaults the objects of one schema. It is synchronous and keeps no state between calls except the computed defaults.
 */
export class Defaulter {
  readonly #root: FillPlan;
  readonly #defaultOf: DefaultOf;
  /** The size of the defaults that the current object received. */
  #filled = 0;

  constructor(root: StructuralSchema, defaultOf: DefaultOf) {
    this.#root = new FillPlan(root);
    this.#defaultOf = defaultOf;
  }

  /**
   * Modifies the object in place. Throws a StatusError (413) if the defaults would make the object larger than
   * SIZE_MAX. `keepNulls`: see CompiledSchema.
   */
  setDefaults(object: JsonObject, keepNulls = false): void {
    this.#filled = 0;
    this.#fillFields(this.#root, object, !keepNulls);
  }

  /** `dropNulls`: removes nulls that have no default. Always false inside a default. */
  #fill(plan: FillPlan, value: JsonObject | JsonValue[], dropNulls: boolean): void {
    if (Array.isArray(value)) this.#fillItems(plan, value, dropNulls);
    else this.#fillFields(plan, value, dropNulls);
  }

  #fillItems(plan: FillPlan, list: JsonValue[], dropNulls: boolean): void {
    const { items } = plan;
    if (items === undefined) return;
    for (let i = 0; i < list.length; i++) {
      const item = list[i];
      if (typeof item !== 'object') continue;
      if (item !== null) this.#fill(items, item, dropNulls);
      else if (!items.nullable) list[i] = this.#valueOf(items) ?? null;
    }
  }

  #fillFields(plan: FillPlan, object: JsonObject, dropNulls: boolean): void {
    for (const name in object) {
      const value = object[name] as JsonValue;
      if (typeof value !== 'object') continue;
      const field = plan.field(name);
      if (field === undefined) continue;
      if (value !== null) this.#fill(field, value, dropNulls);
      else if (!field.nullable) {
        const filled = this.#valueOf(field);
        if (filled !== undefined) setField(object, name, filled);
        else if (dropNulls) delete object[name];
      }
    }
    const { defaulted } = plan;
    for (let i = 0; i < defaulted.length; i++) {
      const { name, field } = defaulted[i] as DefaultedField;
      if (Object.hasOwn(object, name)) continue;
      const filled = this.#valueOf(field);
      if (filled !== undefined) setField(object, name, filled);
    }
  }

  /**
   * A copy of the default of a node, with the defaults inside it filled in; undefined if there is none or pruning
   * removes all of it.
   */
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

/** A schema node prepared for defaulting. Created when a value first reaches it. */
class FillPlan {
  readonly schema: StructuralSchema;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** The listed fields that have a default. */
  readonly defaulted: readonly DefaultedField[];
  /** The computed default; undefined until an object first needs it. */
  made: { readonly value: JsonValue | undefined; readonly size: number } | undefined;
  #fields: Map<string, FillPlan | undefined> | undefined;
  #items: FillPlan | undefined;
  #others: FillPlan | undefined;

  constructor(schema: StructuralSchema) {
    this.schema = schema;
    this.nullable = schema.nullable;
    this.hasDefault = schema.default !== undefined;
    const defaulted: DefaultedField[] = [];
    for (const [name, field] of schema.properties)
      if (field.default !== undefined) defaulted.push({ name, field: this.#plan(name, field) });
    this.defaulted = defaulted.length === 0 ? NONE : defaulted;
  }

  /** The plan of a field; undefined if the schema does not specify it. */
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
 * The limit on the total size of the defaults of one object, in bytes of JSON, approximately. A long list of items with
 * a large default each would otherwise fill the memory before storage refuses the object.
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

interface DefaultedField {
  readonly name: string;
  readonly field: FillPlan;
}

const NONE: readonly DefaultedField[] = [];
