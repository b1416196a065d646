/**
 * The merge type: how values of a type are merged. It corresponds to structured-merge-diff's schema atoms. A type may
 * allow scalars, lists and objects at once; the value decides which of the three applies. Types are immutable and may
 * be recursive. The fields of a map and the items of a list are computed when a value first needs them.
 */
import type { JsonValue } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';

export type ScalarKind = 'numeric' | 'string' | 'boolean' | 'untyped';

/** The kind by which a value is merged. */
export type ValueKind = typeof MAP | typeof SCALAR | typeof LIST;
export const MAP = 0;
export const SCALAR = 1;
export const LIST = 2;

export interface MergeTypeParts {
  readonly scalar?: ScalarKind | undefined;
  readonly list?: ListType | undefined;
  readonly map?: MapType | undefined;
}

export class MergeType {
  readonly scalar: ScalarKind | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
  /** The kind of null, and of values that the type does not allow. */
  readonly fallback: ValueKind;

  constructor({ scalar, list, map }: MergeTypeParts) {
    this.scalar = scalar;
    this.list = list;
    this.map = map;
    this.fallback = map !== undefined ? MAP : scalar !== undefined ? SCALAR : LIST;
  }
}

/** A field of an object type. */
export interface MergeField {
  readonly type: MergeType;
  /** The value of the field in a list item that lacks it, if the field is a key of the list. */
  readonly defaultValue: JsonValue | undefined;
}

interface MapParts {
  readonly fields: ReadonlyMap<string, MergeField>;
  /** The type of values under names that are not fields; undefined if such names are not declared. */
  readonly values: MergeType | undefined;
}

/** The type of objects: named fields, arbitrary keys, or both. */
export class MapType {
  /** True if the object is merged as one value. */
  readonly atomic: boolean;
  #open: (() => MapParts) | undefined;
  #parts: MapParts | undefined;
  #sortedNames: readonly string[] | undefined;

  constructor(atomic: boolean, open: () => MapParts) {
    this.atomic = atomic;
    this.#open = open;
  }

  get #opened(): MapParts {
    if (this.#parts === undefined) {
      this.#parts = (this.#open as () => MapParts)();
      this.#open = undefined;
    }
    return this.#parts;
  }

  get fields(): ReadonlyMap<string, MergeField> {
    return this.#opened.fields;
  }

  get values(): MergeType | undefined {
    return this.#opened.values;
  }

  /** The type of the value under a name; undefined if the name is not declared. */
  typeOf(name: string): MergeType | undefined {
    const parts = this.#opened;
    return parts.fields.get(name)?.type ?? parts.values;
  }

  isField(name: string): boolean {
    return this.#opened.fields.has(name);
  }

  /** The names of the fields in the order of FieldsV1; undefined if other names are allowed. */
  get sortedNames(): readonly string[] | undefined {
    const { fields, values } = this.#opened;
    if (values !== undefined) return undefined;
    this.#sortedNames ??= [...fields.keys()].sort(compareUtf8);
    return this.#sortedNames;
  }

  /** True if the object has no named fields and its values have no type either. */
  get isDeduced(): boolean {
    const { fields, values } = this.#opened;
    return fields.size === 0 && values !== undefined && values.scalar === 'untyped' && values !== UNTYPED_ATOMIC;
  }
}

export interface ListTypeOptions {
  /**
   * `atomic`: the list is one value. `set`: items are identified by their value. `map`: items are identified by their
   * key fields.
   */
  readonly relation: 'atomic' | 'set' | 'map';
  /** The key fields. Only for relation `map`. */
  readonly keys?: readonly string[];
  readonly items: () => MergeType;
}

export class ListType {
  readonly relation: 'atomic' | 'set' | 'map';
  /** The key fields in the declared order. */
  readonly keys: readonly string[];
  /** The key fields in byte order, as in path elements. */
  readonly sortedKeys: readonly string[];
  #makeItems: (() => MergeType) | undefined;
  #items: MergeType | undefined;

  constructor({ relation, keys = [], items }: ListTypeOptions) {
    this.relation = relation;
    this.keys = keys;
    this.sortedKeys = keys.toSorted(compareUtf8);
    this.#makeItems = items;
  }

  get items(): MergeType {
    if (this.#items === undefined) {
      this.#items = (this.#makeItems as () => MergeType)();
      this.#makeItems = undefined;
    }
    return this.#items;
  }

  /** Returns the default of a key field, for an item that lacks the field; undefined if there is none. */
  keyDefault(key: string): JsonValue | undefined {
    return this.items.map?.fields.get(key)?.defaultValue;
  }
}

const NO_FIELDS: ReadonlyMap<string, MergeField> = new Map();

/** Returns the type of objects with arbitrary keys. */
export function freeMap(values: () => MergeType, atomic = false): MapType {
  return new MapType(atomic, () => ({ fields: NO_FIELDS, values: values() }));
}

/** The type of any value, merged as one value: RawExtension, and items of deduced lists. */
export const UNTYPED_ATOMIC: MergeType = new MergeType({
  scalar: 'untyped',
  list: new ListType({ relation: 'atomic', items: () => UNTYPED_ATOMIC }),
  map: freeMap(() => UNTYPED_ATOMIC, true),
});

/**
 * The type of any value, merged by the kind of the value: objects field by field, lists as one value. Custom resources
 * without a schema have this type.
 */
export const DEDUCED: MergeType = new MergeType({
  scalar: 'untyped',
  list: new ListType({ relation: 'atomic', items: () => UNTYPED_ATOMIC }),
  map: freeMap(() => DEDUCED),
});

/** Returns the kind by which `value` is merged under `type`. */
export function kindOf(type: MergeType, value: JsonValue): ValueKind {
  if (typeof value !== 'object') return type.scalar === undefined ? type.fallback : SCALAR;
  if (value === null) return type.fallback;
  if (Array.isArray(value)) return type.list === undefined ? type.fallback : LIST;
  return type.map === undefined ? type.fallback : MAP;
}
