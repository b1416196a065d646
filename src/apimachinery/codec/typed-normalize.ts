/**
 * Normalization of typed JSON: the result of decoding a value into its Go type and encoding it again. Unknown fields
 * are dropped, null is absent, zero values are dropped or written as the type's tags say, scalars have Go's form,
 * fields have the order of the type, and map keys are sorted. The input is not modified; the result may share parts of
 * it.
 */
import { isJsonObject, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import { sortUtf8 } from '../../base/utf8.ts';
import { zeroScalar } from '../protobuf/decode-scalar.ts';
import { hasBinaryForm } from '../protobuf/plan.ts';
import type { AnyMessage, FieldView, ListView, MapView, StructView, TypeView } from '../type-view.ts';
import { findTypeMismatch } from './type-mismatch.ts';
import { keepScalar } from './typed-normalize-scalar.ts';

/**
 * `decoded`: as decoded from JSON. `stored`: as decoded from the binary form of that. `tracked`: as `stored`, but with
 * the empty lists and maps of fields that are always written, because managedFields count them; see `dropEmptyLists`.
 */
export type NormalizeForm = 'decoded' | 'stored' | 'tracked';

export type Normalized =
  | { readonly ok: true; readonly object: JsonObject }
  /** The message of Go's decoder. */
  | { readonly ok: false; readonly message: string };

/**
 * Returns the normalized value, or the decoder's message about it (see `findTypeMismatch`).
 *
 * `form` covers values that JSON can express and the binary form cannot. The reference stores built-in kinds in the
 * binary form and answers with what it stored, so they use `stored`: an empty list or map becomes none, null bytes in a
 * map become empty bytes, and an object inside another loses its `kind` and `apiVersion`. Kinds that are answered
 * without being stored use `decoded`. Default `decoded`.
 *
 * A field without wire facts counts as `omitempty` and not as a pointer, which is true of `kind` and `apiVersion`.
 * Recursive types may be nested 1,000 deep; deeper values are refused.
 */
export function normalizeTyped(value: JsonObject, view: StructView, form: NormalizeForm = 'decoded'): Normalized {
  const object = planOf(view, form).keep(value, 0);
  if (object !== undefined) return { ok: true, object };
  return { ok: false, message: findTypeMismatch(value, view) ?? 'exceeded max depth' };
}

const MAX_DEPTH = 1000;
/** Smaller objects are searched field by field. */
const MANY_FIELDS = 16;

/** As `Keep`, for containers. `depth` counts the structs around the value. */
type KeepDeep = (value: JsonValue, depth: number) => JsonValue | undefined;

interface FieldPlan {
  readonly name: string;
  readonly keep: KeepDeep;
  /** Makes the value that is written if the field is absent; undefined if nothing is written. */
  readonly absent: (() => JsonValue) | undefined;
  /** When a present value is dropped. */
  readonly drop: 'never' | 'zero' | 'empty' | 'null';
  /** Whether an empty list or map is written as null, because the binary form has no empty one. */
  readonly emptyIsNull: boolean;
  /** Whether null is refused instead of being treated as absent. */
  readonly refusesNull: boolean;
  /** True for `kind` and `apiVersion`, which the binary form has at the root only, in its envelope. */
  readonly rootOnly: boolean;
}

const plans: Readonly<Record<NormalizeForm, WeakMap<StructView, StructPlan>>> = {
  decoded: new WeakMap(),
  stored: new WeakMap(),
  tracked: new WeakMap(),
};

function planOf(view: StructView, form: NormalizeForm): StructPlan {
  let plan = plans[form].get(view);
  if (plan === undefined) {
    plan = new StructPlan(view, form);
    plans[form].set(view, plan);
  }
  return plan;
}

/** The plan of a struct. It is compiled when a value first needs it, because types may be recursive. */
class StructPlan {
  readonly #view: StructView;
  readonly #form: NormalizeForm;
  #fields: readonly FieldPlan[] | undefined;
  /**
   * The index of each field, for large types of which no field is written unless it is present: their values mostly
   * have few fields.
   */
  #places: ReadonlyMap<string, number> | undefined;

  constructor(view: StructView, form: NormalizeForm) {
    this.#view = view;
    this.#form = form;
  }

  keep(value: JsonValue, depth: number): JsonObject | undefined {
    if (!isJsonObject(value) || depth > MAX_DEPTH) return undefined;
    this.#fields ??= this.#plan();
    const fields = this.#places === undefined ? this.#fields : this.#given(value, this.#fields, this.#places);
    const out: JsonObject = {};
    for (const field of fields) {
      const given = value[field.name];
      if (given === undefined || given === null) {
        if (given === null && field.refusesNull) return undefined;
        if (field.absent !== undefined) out[field.name] = field.absent();
        continue;
      }
      const kept = field.keep(given, depth + 1);
      if (kept === undefined) return undefined;
      if (isDropped(kept, field.drop) || (field.rootOnly && depth > 0)) continue;
      out[field.name] = field.emptyIsNull && isEmpty(kept) ? null : kept;
    }
    return out;
  }

  #plan(): readonly FieldPlan[] {
    const isBinary = this.#form !== 'decoded' && hasBinaryForm(this.#view);
    const fields = Array.from(this.#view.fields(), (field) => planField(field, this.#form, isBinary));
    if (fields.length >= MANY_FIELDS && fields.every(({ absent }) => absent === undefined))
      this.#places = new Map(fields.map(({ name }, place) => [name, place]));
    return fields;
  }

  /** The plans of the fields that a value has, in the order of the type. */
  #given(value: JsonObject, fields: readonly FieldPlan[], places: ReadonlyMap<string, number>): readonly FieldPlan[] {
    const found: number[] = [];
    let last = -1;
    let inOrder = true;
    for (const name of Object.keys(value)) {
      const place = places.get(name);
      if (place === undefined) continue;
      if (place < last) inOrder = false;
      last = place;
      found.push(place);
    }
    if (!inOrder) found.sort((a, b) => a - b);
    return found.map((place) => fields[place] as FieldPlan);
  }

  /** The value that is written if nothing was read. */
  zero(): JsonObject {
    return this.keep({}, 0) as JsonObject;
  }
}

function isDropped(value: JsonValue, drop: FieldPlan['drop']): boolean {
  switch (drop) {
    case 'never':
      return false;
    case 'zero':
      return !value;
    case 'empty':
      return isEmpty(value);
    case 'null':
      return value === null;
  }
}

function isEmpty(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value as JsonObject) return false;
  return true;
}

function planField({ name, type, wire }: FieldView, form: NormalizeForm, isBinary: boolean): FieldPlan {
  const pointer = wire?.pointer ?? false;
  const omitEmpty = wire?.omitEmpty ?? true;
  const drop = pointer ? 'never' : dropOf(type, omitEmpty, wire?.omitZero ?? false);
  const isContainer = type.kind === 'list' || type.kind === 'map';
  return {
    name,
    keep: keepOf(type, form),
    absent: (pointer && omitEmpty) || drop !== 'never' ? undefined : pointer ? () => null : zeroOf(type, form),
    drop,
    emptyIsNull: form === 'stored' && isContainer && drop === 'never',
    refusesNull: !pointer && type.kind === 'scalar' && type.scalar === 'duration',
    rootOnly: isBinary && wire === undefined,
  };
}

/** Go's `omitempty` drops empty lists and maps, zero numbers, false and empty strings. A Go struct is never empty. */
function dropOf(type: TypeView, omitEmpty: boolean, omitZero: boolean): FieldPlan['drop'] {
  if (type.kind === 'scalar') {
    switch (type.scalar) {
      case 'time':
      case 'micro-time':
        return omitZero ? 'null' : 'never';
      case 'quantity':
      case 'int-or-string':
      case 'duration':
        return 'never';
      default:
        return omitEmpty ? 'zero' : 'never';
    }
  }
  if (!omitEmpty) return 'never';
  if (type.kind === 'list' || type.kind === 'map') return 'empty';
  return type.kind === 'any' && type.raw === 'json' ? 'null' : 'never';
}

/** Go's output for a type into which nothing was read. */
function zeroOf(type: TypeView, form: NormalizeForm): () => JsonValue {
  switch (type.kind) {
    case 'scalar': {
      const zero = zeroScalar(type.scalar);
      return () => zero;
    }
    case 'struct': {
      const plan = planOf(type, form);
      return () => plan.zero();
    }
    default:
      return () => null;
  }
}

/** As `zeroOf`, for the value of a map, which the binary form cannot omit: empty bytes and lists instead of none. */
function zeroOfValue(type: TypeView, form: NormalizeForm): () => JsonValue {
  if (form !== 'decoded' && type.kind === 'scalar' && type.scalar === 'bytes') return () => '';
  if (form !== 'decoded' && type.kind === 'list') return () => [];
  return zeroOf(type, form);
}

function keepOf(type: TypeView, form: NormalizeForm): KeepDeep {
  switch (type.kind) {
    case 'scalar':
      return keepScalar(type.scalar);
    case 'any':
      return type.message === undefined ? (value) => value : keepMessage(type.message, form);
    case 'struct': {
      const plan = planOf(type, form);
      return (value, depth) => plan.keep(value, depth);
    }
    case 'list':
      return keepList(type, form);
    case 'map':
      return keepMap(type, form);
  }
}

/** For an either-or type: normalizes its fields and makes the JSON value from them again. */
function keepMessage(message: AnyMessage, form: NormalizeForm): KeepDeep {
  let plan: StructPlan | undefined;
  return (value, depth) => {
    const fields = message.toFields(value);
    if (fields === undefined) return undefined;
    plan ??= planOf(message.view(), form === 'tracked' ? 'stored' : form);
    const kept = plan.keep(fields, depth);
    return kept === undefined ? undefined : message.fromFields(kept);
  };
}

function keepList({ items }: ListView, form: NormalizeForm): KeepDeep {
  const keep = keepOf(items, form);
  const zero = zeroOf(items, form);
  return (value, depth) => {
    if (!Array.isArray(value)) return undefined;
    // Lists of strings are mostly normal already: copying begins at the first item that changes.
    let out: JsonValue[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const given = value[i] as JsonValue;
      const kept = given === null ? zero() : keep(given, depth);
      if (kept === undefined) return undefined;
      if (kept !== given) out ??= value.slice(0, i);
      out?.push(kept);
    }
    return out ?? value;
  };
}

function keepMap({ values }: MapView, form: NormalizeForm): KeepDeep {
  const keep = keepOf(values, form);
  const zero = zeroOfValue(values, form);
  return (value, depth) => {
    if (!isJsonObject(value)) return undefined;
    const keys = Object.keys(value);
    // Maps are mostly normal already: copying begins at the first value that changes.
    let out: JsonObject | undefined = sortUtf8(keys) ? {} : undefined;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      const given = value[key] as JsonValue;
      const item = given === null ? zero() : keep(given, depth);
      if (item === undefined) return undefined;
      if (item !== given) out ??= firstFields(value, keys, i);
      if (out !== undefined) setField(out, key, item);
    }
    return out ?? value;
  };
}

/** The fields with the first `count` of the keys. */
function firstFields(object: JsonObject, keys: readonly string[], count: number): JsonObject {
  const out: JsonObject = {};
  for (let i = 0; i < count; i++) setField(out, keys[i] as string, object[keys[i] as string] as JsonValue);
  return out;
}
