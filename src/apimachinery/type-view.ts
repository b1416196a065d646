/**
 * The type view: what patches, apply, protobuf and OpenAPI need to know about a type. Built-in facts and structural
 * schemas both implement it. Views are lazy and may be recursive: follow `field()`, never expand a whole type.
 * Invariant: a view is immutable and its parts keep their identity, so a consumer may cache a compiled plan per view in
 * a WeakMap.
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
  /** The values that OpenAPI lists. Other values are not refused here. Default: any. */
  readonly enum?: readonly string[];
  /** The format in OpenAPI, if it is not that of the scalar. */
  readonly format?: string;
}

/** An object with named fields. */
export interface StructView {
  readonly kind: 'struct';
  /** The name for messages, such as `PodSpec`, or ''. */
  readonly name: string;
  /** Whether apply treats the object as one value (`x-kubernetes-map-type: atomic`). */
  readonly atomic: boolean;
  /** Whether fields that are not listed are kept (`x-kubernetes-preserve-unknown-fields`). */
  readonly preserveUnknown: boolean;
  /** Other `x-kubernetes-` extensions of the type's OpenAPI schema, such as `x-kubernetes-unions`. Default none. */
  readonly extensions?: Readonly<JsonObject>;
  /** Returns the field with this JSON name; undefined if the type does not have it. */
  field(name: string): FieldView | undefined;
  fields(): Iterable<FieldView>;
}

/** An object with arbitrary keys. */
export interface MapView {
  readonly kind: 'map';
  readonly atomic: boolean;
  readonly values: TypeView;
  /** Whether the type declares `granular`, which is the default anyway. Default false. */
  readonly declared?: boolean;
}

export interface ListView {
  readonly kind: 'list';
  readonly items: TypeView;
  /** How apply merges the list (`x-kubernetes-list-type`). */
  readonly listType: 'atomic' | 'set' | 'map';
  /** The keys of a `map` list, in declaration order; empty otherwise. */
  readonly mapKeys: readonly string[];
  /** Whether the type declares the list type. False if it declares none and `atomic` is the default. Default false. */
  readonly declared?: boolean;
}

/** Any JSON value: RawExtension, JSON, a field that preserves unknown fields. `raw` is its protobuf form. */
export interface AnyView {
  readonly kind: 'any';
  readonly raw: 'json' | 'raw-extension' | 'fields-v1';
  /**
   * A protobuf message instead of raw JSON, for the either-or types of JSON schemas (a schema or a list of schemas).
   * Default none.
   */
  readonly message?: AnyMessage;
  /** The name in OpenAPI documents, where its schema allows any value. Default: the name of the `raw` form. */
  readonly name?: string;
  /** True if the schema has the type object, so that apply refuses other values. Default false. */
  readonly objectsOnly?: boolean;
}

/** A type whose JSON form differs from the form of its fields. */
export interface AnyMessage {
  /** The type of the fields. It is a function because types may be recursive. */
  view(): StructView;
  /** The fields of a JSON value other than null. Returns undefined if the type does not allow the value. */
  toFields(value: JsonValue): JsonObject | undefined;
  /** The JSON value of decoded fields. */
  fromFields(fields: JsonObject): JsonValue;
  /** The decoder's message about a value that is not allowed. Default: that the type does not exist. */
  readonly expected?: string;
}

export type PatchStrategy = 'merge' | 'replace' | 'retainKeys';

export interface FieldView {
  /** The name in JSON. */
  readonly name: string;
  readonly type: TypeView;
  /**
   * The strategic merge strategies as declared (`patchStrategy:"merge,retainKeys"`). Empty means replace for lists and
   * merge for objects.
   */
  readonly patchStrategies: readonly PatchStrategy[];
  readonly patchMergeKey: string | undefined;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly defaultValue: JsonValue | undefined;
  /**
   * The Go type for messages, without pointers, if the view does not determine it: `v1.RestartPolicy`,
   * `v1.ResourceList`. Default: derived from `type`.
   */
  readonly goType?: string;
  /**
   * The Go names of the embedded structs around the field that JSON flattens, outermost first: `VolumeSource` for
   * `emptyDir`. Default none.
   */
  readonly goInline?: readonly string[];
  /** Facts of the protobuf form; undefined for types without one (custom resources). */
  readonly wire: WireFacts | undefined;
}

export interface WireFacts {
  readonly number: number;
  /**
   * True for a pointer: absent if nil, present even if zero. False for a plain value: always on the wire, absent in
   * JSON if `omitEmpty` and zero.
   */
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  /**
   * Whether JSON omits a zero time instead of printing `null` (`omitzero`; metadata.creationTimestamp). Default false.
   */
  readonly omitZero?: boolean;
  /**
   * The field numbers of the messages around the field that JSON flattens, outermost first. `emptyDir` of a Volume is
   * number 2 inside the inlined message number 2 (VolumeSource). `number` is the number in the innermost message.
   * Default none.
   */
  readonly inline?: readonly number[];
  /**
   * Whether a list is a message with the items as field 1 (meta/v1 Verbs), so that an empty list differs from none. A
   * list inside a map (ExtraValue) always is. Default false.
   */
  readonly wrapped?: boolean;
}

/** Creates a struct view. `fields` is called when a field is first read. */
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
