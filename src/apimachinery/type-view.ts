/**
 * What the machinery needs to know about a type: one small interface that built-in facts and structural schemas both implement, and
 * that strategic merge, apply, protobuf and OpenAPI read. Views are lazy and may be recursive: follow `field()`, never expand a whole
 * type. Invariant: a view is immutable and its parts keep their identity, so a consumer may cache a compiled plan per view in a WeakMap.
 */
import type { JsonObject, JsonValue } from '../base/json-value.ts';

export type ScalarType =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'uint64'
  | 'float'
  | 'double'
  | 'bytes'
  | 'quantity'
  | 'int-or-string'
  | 'time'
  | 'micro-time'
  | 'duration';

export type TypeView = ScalarView | StructView | MapView | ListView | AnyView;

export interface ScalarView {
  readonly kind: 'scalar';
  readonly scalar: ScalarType;
  /** The values that OpenAPI lists; nothing here refuses others. Default: any. */
  readonly enum?: readonly string[];
  /** Its format in OpenAPI where that is not the one of the scalar. */
  readonly format?: string;
}

/** An object with named fields. */
export interface StructView {
  readonly kind: 'struct';
  /** A name for messages and for protobuf's Unknown envelope users, such as `PodSpec`; empty when there is none. */
  readonly name: string;
  /** True where apply treats the whole object as one value (`x-kubernetes-map-type: atomic`). */
  readonly atomic: boolean;
  /** True where fields that are not listed are kept (`x-kubernetes-preserve-unknown-fields`). */
  readonly preserveUnknown: boolean;
  /** Further `x-kubernetes-` extensions of the type's OpenAPI schema (`x-kubernetes-unions`). Default none. */
  readonly extensions?: Readonly<JsonObject>;
  field(name: string): FieldView | undefined;
  fields(): Iterable<FieldView>;
}

/** An object with free keys. */
export interface MapView {
  readonly kind: 'map';
  readonly atomic: boolean;
  readonly values: TypeView;
  /** True where the type itself says `granular`, which is what follows anyway. Default false. */
  readonly declared?: boolean;
}

export interface ListView {
  readonly kind: 'list';
  readonly items: TypeView;
  /** How apply merges it (`x-kubernetes-list-type`). */
  readonly listType: 'atomic' | 'set' | 'map';
  /** The keys of a `map` list, in declaration order; empty otherwise. */
  readonly mapKeys: readonly string[];
  /** True where the type itself says so; false where it says nothing and `atomic` is what follows. Default false. */
  readonly declared?: boolean;
}

/** Anything at all: RawExtension, JSON, a field that preserves unknown fields. `raw` says how protobuf carries it. */
export interface AnyView {
  readonly kind: 'any';
  readonly raw: 'json' | 'raw-extension' | 'fields-v1';
  /** A message of its own on the wire instead of raw JSON: the either-or types of JSON schemas (a schema or a list of them). Default none. */
  readonly message?: AnyMessage;
  /** Its name in OpenAPI documents, where its schema allows anything. Default: that of `raw`. */
  readonly name?: string;
}

/** A type whose JSON form is not that of its fields. */
export interface AnyMessage {
  /** The type of the fields; a function because it may be recursive. */
  view(): StructView;
  /** The fields of a JSON value that is not null; undefined if the type allows no such value. */
  toFields(value: JsonValue): JsonObject | undefined;
  /** The JSON value of fields as decoded. */
  fromFields(fields: JsonObject): JsonValue;
  /** What the decoder says of a value that is not allowed. Default: that there is no such type. */
  readonly expected?: string;
}

export type PatchStrategy = 'merge' | 'replace' | 'retainKeys';

export interface FieldView {
  /** Its name in JSON. */
  readonly name: string;
  readonly type: TypeView;
  /** Strategies of strategic merge as declared (`patchStrategy:"merge,retainKeys"`); empty means replace for lists, merge for objects. */
  readonly patchStrategies: readonly PatchStrategy[];
  readonly patchMergeKey: string | undefined;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly defaultValue: JsonValue | undefined;
  /**
   * Its Go type for messages, pointers removed, where the view does not tell it: `v1.RestartPolicy`, `v1.ResourceList`. Default: derived
   * from `type`.
   */
  readonly goType?: string;
  /** Go names of the embedded structs around it that JSON flattens, outermost first: `VolumeSource` for `emptyDir`. Default none. */
  readonly goInline?: readonly string[];
  /** Facts of the binary form; undefined for types that have none (custom resources). */
  readonly wire: WireFacts | undefined;
}

export interface WireFacts {
  readonly number: number;
  /** True for a pointer: absent when nil, present even if zero. False for a plain value: always on the wire, absent in JSON if `omitEmpty` and zero. */
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  /** True where JSON leaves a zero time out instead of printing `null` (`omitzero`; metadata.creationTimestamp). Default false. */
  readonly omitZero?: boolean;
  /**
   * Numbers of the messages around the field that JSON flattens, outermost first: `emptyDir` of a Volume is number 2 inside the inlined
   * message number 2 (VolumeSource). `number` then counts inside the innermost one. Default none.
   */
  readonly inline?: readonly number[];
  /**
   * True for a list that is a message of its own with the items as number 1 (meta/v1 Verbs), so that an empty list differs from none. A
   * list inside a map (ExtraValue) is always such. Default false.
   */
  readonly wrapped?: boolean;
}

/** A struct whose fields are made when somebody first asks for one. */
export function createStructView(
  name: string,
  makeFields: () => Iterable<FieldView>,
  options: {
    readonly atomic?: boolean;
    readonly preserveUnknown?: boolean;
    readonly extensions?: Readonly<JsonObject>;
  } = {},
): StructView {
  let fields: Map<string, FieldView> | undefined;
  const all = (): Map<string, FieldView> => {
    fields ??= new Map(Array.from(makeFields(), (field) => [field.name, field]));
    return fields;
  };
  return {
    kind: 'struct',
    name,
    atomic: options.atomic ?? false,
    preserveUnknown: options.preserveUnknown ?? false,
    ...(options.extensions === undefined ? {} : { extensions: options.extensions }),
    field: (field) => all().get(field),
    fields: () => all().values(),
  };
}
