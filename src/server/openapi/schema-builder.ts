/**
 * The builder of OpenAPI v3 schemas from types, with the extensions that clients use to merge and validate.
 *
 * Invariants: a named type is written once and referenced everywhere else, so recursive types terminate. Properties are
 * sorted by name.
 */
import type { TypeDescriptions } from '../../apimachinery/facts/descriptions.ts';
import { describeKindField, describeShared } from '../../apimachinery/facts/meta-descriptions.ts';
import type { GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import type {
  AnyView,
  FieldView,
  MapView,
  ScalarType,
  ScalarView,
  StructView,
  TypeView,
} from '../../apimachinery/type-view.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { sortByName } from '../../base/utf8.ts';
import { META_TYPES, type MetaTypes } from '../resource/meta-types.ts';
import type { GivenSchema } from './given-schema.ts';
import { type SchemaCache, SchemaText, type WrittenSchema } from './schema-text.ts';

export interface SchemaSource {
  /** The shared types of all servers. */
  readonly types: MetaTypes;
  readonly cache: SchemaCache;
  /** Returns the OpenAPI name of a type; undefined for a type without a name, which is inlined. */
  typeName(view: StructView): string | undefined;
  /** Returns a schema that is not made from a view. */
  given(typeName: string): GivenSchema | undefined;
  /** Describes types that not all servers have. Default: none is described. */
  readonly describe?: TypeDescriptions['describe'];
}

const REF = '#/components/schemas/';

/** Scalars that are named types. */
const NAMED_SCALARS: Partial<Record<ScalarType, readonly [name: string, schema: JsonObject]>> = {
  time: [`${META_TYPES}Time`, { type: 'string', format: 'date-time' }],
  'micro-time': [`${META_TYPES}MicroTime`, { type: 'string', format: 'date-time' }],
  duration: [`${META_TYPES}Duration`, { type: 'string' }],
  quantity: ['io.k8s.apimachinery.pkg.api.resource.Quantity', { oneOf: [{ type: 'string' }, { type: 'number' }] }],
  'int-or-string': [
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  ],
};

const PLAIN_SCALARS: Partial<Record<ScalarType, readonly [type: string, format: string, zero?: JsonValue]>> = {
  string: ['string', '', ''],
  boolean: ['boolean', '', false],
  int32: ['integer', 'int32', 0],
  int64: ['integer', 'int64', 0],
  uint32: ['integer', 'int64', 0],
  uint64: ['integer', 'int64', 0],
  float: ['number', 'float', 0],
  double: ['number', 'double', 0],
  bytes: ['string', 'byte'],
};

/** A placeholder for a type that may reference itself. */
const BEING_WRITTEN = textOf({});

const RAW_EXTENSION = 'io.k8s.apimachinery.pkg.runtime.RawExtension';

export class SchemaBuilder {
  readonly #source: SchemaSource;
  readonly #written = new Map<string, SchemaText>();
  /** The types that the current type references. */
  #refers = new Set<string>();
  readonly #kinds = new Map<string, GroupVersionKind[]>();

  constructor(source: SchemaSource) {
    this.#source = source;
  }

  /** Marks a type as a kind. Must be called before the type is written. */
  addKind(typeName: string, kind: GroupVersionKind): void {
    const kinds = this.#kinds.get(typeName) ?? [];
    this.#kinds.set(typeName, kinds);
    const isNew = !kinds.some(({ group, version }) => group === kind.group && version === kind.version);
    if (isNew) kinds.push(kind);
  }

  /** Returns the name of a struct, after writing its schema if necessary; undefined for a struct without a name. */
  nameOf(view: StructView): string | undefined {
    const name = this.#source.typeName(view) ?? this.#source.types.typeName(view);
    if (name === undefined) return undefined;
    this.#refers.add(name);
    if (!this.#written.has(name)) this.#write(name, () => this.#ownSchema(name, view));
    return name;
  }

  /** Returns a reference to a shared type. */
  shared(typeName: string): JsonObject {
    if (!this.#written.has(typeName)) this.nameOf(this.#source.types.view(typeName));
    this.#refers.add(typeName);
    return reference(typeName);
  }

  /** Adds a type that is not a view, such as a list, and returns a reference to it. */
  add(typeName: string, schema: () => JsonObject): JsonObject {
    this.#refers.add(typeName);
    if (!this.#written.has(typeName))
      this.#write(typeName, () => this.#given(typeName) ?? textOf(this.#finish(typeName, undefined, schema())));
    return reference(typeName);
  }

  /** Returns a reference to a struct, or its whole schema if it has no name. */
  struct(view: StructView): JsonObject {
    const name = this.nameOf(view);
    return name === undefined ? this.#structSchema('', view) : reference(name);
  }

  /** Returns all written types, sorted by name. */
  written(): readonly WrittenSchema[] {
    return sortByName([...this.#written], (entry) => entry[0]).map(([name, schema]) => ({
      name,
      schema,
      kinds: this.#kinds.get(name) ?? [],
    }));
  }

  /** Returns the description of a type, or of a field of it. */
  describe(typeName: string, field?: string): string | undefined {
    const own = describeShared(typeName, field) ?? this.#source.describe?.(typeName, field);
    if (own !== undefined || field === undefined || !this.#kinds.has(typeName)) return own;
    return describeKindField(typeName, field);
  }

  /** Uses the schema of an earlier document if there is one, with all types that it references. */
  #write(name: string, make: () => SchemaText): void {
    const isKind = this.#kinds.has(name);
    const { cache } = this.#source;
    const known = cache.get(name, isKind);
    if (known !== undefined) {
      this.#written.set(name, known.schema);
      for (const refers of known.refers) this.#rewrite(refers);
      return;
    }
    this.#written.set(name, BEING_WRITTEN);
    const outer = this.#refers;
    this.#refers = new Set();
    const schema = make();
    this.#written.set(name, schema);
    cache.keep(name, isKind, { schema, refers: [...this.#refers] });
    this.#refers = outer;
  }

  /**
   * Adds a type that a cached type references. It was written together with that type, unless the cache does not keep
   * it.
   */
  #rewrite(name: string): void {
    if (this.#written.has(name)) return;
    const known = this.#source.cache.get(name, this.#kinds.has(name));
    if (known === undefined) this.nameOf(this.#source.types.view(name));
    else this.#write(name, () => known.schema);
  }

  #given(name: string): SchemaText | undefined {
    const given = this.#source.given(name);
    if (given === undefined) return undefined;
    for (const refers of given.refers) this.shared(refers);
    return new SchemaText(() => given.v3(), given.v2 === undefined ? undefined : () => given.v2?.() ?? {});
  }

  #ownSchema(name: string, view: StructView): SchemaText {
    const given = this.#given(name);
    if (given !== undefined) return given;
    // A field may extend a shared type, for example as atomic. The component is the shared type itself.
    const own = this.#source.types.typeName(view) === name ? this.#source.types.view(name) : view;
    return textOf(this.#finish(name, own, this.#structSchema(name, own)));
  }

  #finish(name: string, view: StructView | undefined, schema: JsonObject): JsonObject {
    const description = this.describe(name);
    return {
      ...(description === undefined ? {} : { description }),
      ...schema,
      ...(view?.extensions ?? {}),
    };
  }

  #structSchema(name: string, view: StructView): JsonObject {
    const required: string[] = [];
    const properties: [string, JsonObject][] = [];
    for (const field of view.fields()) {
      if (field.required) required.push(field.name);
      properties.push([field.name, this.#property(name, field)]);
    }
    sortByName(properties, ([name]) => name);
    return {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...(view.preserveUnknown ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
      ...(view.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
  }

  #property(owner: string, field: FieldView): JsonObject {
    const { type, defaultValue, patchStrategies, patchMergeKey } = field;
    const description = owner === '' ? undefined : this.describe(owner, field.name);
    const head: JsonObject = description === undefined ? {} : { description };
    const schema = this.#typeSchema(type, defaultValue);
    const tail: JsonObject = {
      ...(patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': patchMergeKey }),
      ...(patchStrategies.length === 0 ? {} : { 'x-kubernetes-patch-strategy': patchStrategies.join(',') }),
    };
    return { ...head, ...schema, ...(field.nullable ? { nullable: true } : {}), ...this.#mergedHere(type), ...tail };
  }

  /** Returns the map type of a field whose struct differs from the shared type in it. */
  #mergedHere(type: TypeView): JsonObject {
    if (type.kind !== 'struct') return {};
    const name = this.#source.types.typeName(type);
    if (name === undefined || this.#source.types.view(name).atomic === type.atomic) return {};
    return { 'x-kubernetes-map-type': type.atomic ? 'atomic' : 'granular' };
  }

  /**
   * Returns the schema of a property. A reference is wrapped in `allOf`, because keywords beside `$ref` are ignored.
   */
  #typeSchema(type: TypeView, defaultValue: JsonValue | undefined): JsonObject {
    const withDefault: JsonObject = defaultValue === undefined ? {} : { default: defaultValue };
    switch (type.kind) {
      case 'scalar': {
        const named = this.#namedScalar(type);
        return named === undefined ? scalarSchema(type, withDefault) : { ...withDefault, allOf: [named] };
      }
      case 'struct':
        return wrapped(this.struct(type), withDefault);
      case 'any': {
        const named = this.#namedAny(type);
        return named === undefined ? withDefault : { ...withDefault, allOf: [named] };
      }
      case 'list':
        return {
          type: 'array',
          ...withDefault,
          items: this.#itemSchema(type.items),
          ...(type.mapKeys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': [...type.mapKeys] }),
          ...(type.declared === true || type.listType !== 'atomic' ? { 'x-kubernetes-list-type': type.listType } : {}),
        };
      case 'map':
        return {
          type: 'object',
          ...withDefault,
          additionalProperties: this.#itemSchema(type.values),
          ...mapType(type),
        };
    }
  }

  /** Returns the schema of a list item or map value. Its default is the zero value. */
  #itemSchema(type: TypeView): JsonObject {
    if (type.kind === 'struct') return wrapped(this.struct(type), { default: {} });
    if (type.kind === 'scalar') {
      const zero = PLAIN_SCALARS[type.scalar]?.[2];
      return this.#namedScalar(type) ?? scalarSchema(type, zero === undefined ? {} : { default: zero });
    }
    if (type.kind === 'any') return this.#namedAny(type) ?? {};
    return this.#typeSchema(type, undefined);
  }

  #namedScalar({ scalar }: ScalarView): JsonObject | undefined {
    const named = NAMED_SCALARS[scalar];
    return named === undefined ? undefined : this.add(named[0], () => named[1]);
  }

  #namedAny({ raw, name, message }: AnyView): JsonObject | undefined {
    if (name !== undefined) {
      // The types that it may contain are written too.
      for (const field of message?.view().fields() ?? []) if (field.type.kind === 'struct') this.nameOf(field.type);
      return this.add(name, () => ({}));
    }
    if (raw === 'json') return undefined;
    return this.add(raw === 'fields-v1' ? `${META_TYPES}FieldsV1` : RAW_EXTENSION, () => ({ type: 'object' }));
  }
}

function textOf(schema: JsonObject): SchemaText {
  return new SchemaText(() => schema);
}

function mapType({ atomic, declared }: MapView): JsonObject {
  if (atomic) return { 'x-kubernetes-map-type': 'atomic' };
  return declared === true ? { 'x-kubernetes-map-type': 'granular' } : {};
}

function reference(name: string): JsonObject {
  return { $ref: REF + name };
}

function wrapped(schema: JsonObject, beside: JsonObject): JsonObject {
  return '$ref' in schema ? { ...beside, allOf: [schema] } : { ...schema, ...beside };
}

function scalarSchema(view: ScalarView, withDefault: JsonObject): JsonObject {
  const [type, format] = PLAIN_SCALARS[view.scalar] ?? ['string', ''];
  const shown = view.format ?? format;
  return {
    type,
    ...(shown === '' ? {} : { format: shown }),
    ...withDefault,
    ...(view.enum === undefined ? {} : { enum: [...view.enum] }),
  };
}
