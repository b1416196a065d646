/**
 * The pruning of fields that a schema does not specify. A first pass looks for such a field; only if there is one, a
 * second pass removes them.
 *
 * Invariants: the metadata of resources, also of embedded ones, is never pruned. An object without unspecified fields
 * is only read.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { compareUtf8 } from '../base/utf8.ts';
import type { StructuralSchema } from './structural/structural.ts';

/** Undefined where the schema specifies nothing: all fields of an object there are unspecified. */
type Schema = StructuralSchema | undefined;

const NOTHING: readonly string[] = [];

/** Removes unspecified fields of a whole resource, in place. Returns the removed paths, sorted. */
export function pruneObject(schema: StructuralSchema, object: JsonObject): readonly string[] {
  let plan = plans.get(schema);
  if (plan === undefined) {
    plan = new PrunePlan(schema);
    plans.set(schema, plan);
  }
  if (!isUnspecified(plan, object, true)) return NOTHING;
  const dropped: string[] = [];
  prune(schema, object, true, [], dropped);
  return dropped.sort(compareUtf8);
}

/**
 * Like `pruneObject`, for a part of a resource, such as a default. `isResource`: true if the value is an embedded
 * resource.
 */
export function pruneValue(schema: StructuralSchema, value: JsonValue, isResource: boolean): void {
  prune(schema, value, isResource, [], []);
}

function isMeta(name: string): boolean {
  return name === 'apiVersion' || name === 'kind' || name === 'metadata';
}

/** A schema node prepared for the first pass. Created when a value first reaches it. */
class PrunePlan {
  readonly keeps: boolean;
  readonly isEmbedded: boolean;
  readonly hasOthers: boolean;
  readonly isNothing: boolean;
  /**
   * The listed fields in the order of the last object. Objects of one kind mostly list their fields in the same order.
   */
  readonly order: PruneField[] = [];
  readonly #schema: Schema;
  #fields: Map<string, PruneField> | undefined;
  #items: PrunePlan | undefined;
  #others: PrunePlan | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.keeps = schema?.preserveUnknownFields === true;
    this.isEmbedded = isEmbedded(schema);
    this.hasOthers = schema?.additionalProperties !== undefined;
    this.isNothing = schema === undefined;
  }

  /** Finds a listed field and records it at `place`, its position among the fields of the object. */
  find(place: number, name: string): PruneField | undefined {
    if (this.#fields === undefined) {
      const listed = [...(this.#schema?.properties ?? [])];
      this.#fields = new Map(listed.map(([key, field]) => [key, { name: key, plan: new PrunePlan(field) }]));
    }
    const found = this.#fields.get(name);
    if (found !== undefined && place < KEPT_NAMES && place <= this.order.length) this.order[place] = found;
    return found;
  }

  get items(): PrunePlan {
    this.#items ??= this.#schema?.items === undefined ? NOWHERE : new PrunePlan(this.#schema.items);
    return this.#items;
  }

  /** The plan of fields that are not listed. */
  get others(): PrunePlan {
    const others = this.#schema?.additionalProperties;
    this.#others ??= typeof others === 'object' ? new PrunePlan(others) : NOWHERE;
    return this.#others;
  }
}

interface PruneField {
  readonly name: string;
  readonly plan: PrunePlan;
}

/** The number of field names whose position in the last object is kept. */
const KEPT_NAMES = 64;
const NOWHERE: PrunePlan = new PrunePlan(undefined);
const plans: WeakMap<StructuralSchema, PrunePlan> = new WeakMap();

/** True if the value has an unspecified field at any level. */
function isUnspecified(plan: PrunePlan, value: JsonValue, isResource: boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return isUnspecifiedItem(plan, value);
  if (plan.isNothing) {
    for (const _ in value) return true;
    return false;
  }
  const { order, hasOthers } = plan;
  let place = 0;
  for (const name in value) {
    let field = order[place];
    if (field === undefined || field.name !== name) field = plan.find(place, name);
    place++;
    if (field === undefined && !hasOthers) {
      if (plan.keeps || (isResource && isMeta(name))) continue;
      return true;
    }
    const child = value[name];
    if (typeof child !== 'object' || child === null || (isResource && isMeta(name))) continue;
    const next = field === undefined ? plan.others : field.plan;
    if (isUnspecified(next, child, next.isEmbedded)) return true;
  }
  return false;
}

function isUnspecifiedItem(plan: PrunePlan, list: readonly JsonValue[]): boolean {
  const { items } = plan;
  if (plan.keeps) return !items.isNothing && list.some((item) => isUnspecifiedInside(items, item));
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as JsonValue;
    if (typeof item === 'object' && isUnspecified(items, item, items.isEmbedded)) return true;
  }
  return false;
}

/** Like `isUnspecified`, for an item of a list that preserves unknown fields: its items preserve theirs too. */
function isUnspecifiedInside(plan: PrunePlan, value: JsonValue): boolean {
  if (plan.isNothing) return false;
  if (Array.isArray(value)) return value.some((item) => isUnspecifiedInside(plan.items, item));
  if (!isJsonObject(value)) return false;
  return Object.keys(value).some((name, place) => {
    if (plan.isEmbedded && isMeta(name)) return false;
    const field = plan.find(place, name);
    if (field === undefined && !plan.hasOthers) return false;
    const next = field?.plan ?? plan.others;
    return isUnspecified(next, value[name] as JsonValue, next.isEmbedded);
  });
}

function isEmbedded(schema: Schema): boolean {
  return schema?.embeddedResource === true;
}

/** `at` is the path of the value; removed paths are added to `dropped`. */
function prune(schema: Schema, value: JsonValue, isResource: boolean, at: string[], dropped: string[]): void {
  pruneFields(schema, value, isResource, schema?.preserveUnknownFields === true, at, dropped);
}

function pruneFields(
  schema: Schema,
  value: JsonValue,
  isResource: boolean,
  keeps: boolean,
  at: string[],
  dropped: string[],
): void {
  if (typeof value !== 'object' || value === null || (keeps && schema === undefined)) return;
  if (Array.isArray(value)) {
    const items = schema?.items;
    value.forEach((item, i) => {
      at.push(`[${i}]`);
      // The items of a list that preserves unknown fields preserve theirs too.
      pruneFields(items, item, isEmbedded(items), keeps || items?.preserveUnknownFields === true, at, dropped);
      at.pop();
    });
    return;
  }
  for (const name of Object.keys(value)) {
    if (isResource && isMeta(name)) continue;
    const property = schema?.properties.get(name);
    const others = schema?.additionalProperties;
    const step = at.length === 0 ? name : `.${name}`;
    if (property === undefined && others === undefined) {
      if (keeps) continue;
      if (!isMeta(name) || at.length > 0) dropped.push(at.join('') + step);
      delete value[name];
      continue;
    }
    const next = property ?? (typeof others === 'object' ? others : undefined);
    at.push(step);
    prune(next, value[name] as JsonValue, isEmbedded(next), at, dropped);
    at.pop();
  }
}
