/**
 * The structural schema: the subset of OpenAPI v3 in which every value has one type. Fields mean what
 * `apiextensions.k8s.io/v1` JSONSchemaProps says. `parseStructural` refuses JSONSchemaProps that a structural schema
 * cannot express. Nodes read their JSON lazily through getters: to copy a node with changes, use `deriveSchema`, not
 * object spread.
 *
 * Invariant: a node is immutable, and reading a part twice returns the same object, so callers may cache by node.
 */
import type { JsonObject, JsonValue } from '../../base/json-value.ts';

/** The keywords that restrict values. They may occur both in a node and under its logic operators. */
export interface ValueValidation {
  readonly format: string;
  readonly maximum: number | bigint | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | bigint | undefined;
  readonly exclusiveMinimum: boolean;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  /** A regular expression in RE2 syntax; '' for none. */
  readonly pattern: string;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly multipleOf: number | bigint | undefined;
  readonly enum: readonly JsonValue[] | undefined;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly required: readonly string[];
  readonly allOf: readonly NestedValidation[];
  readonly oneOf: readonly NestedValidation[];
  readonly anyOf: readonly NestedValidation[];
  readonly not: NestedValidation | undefined;
}

/** The schema under a logic operator. */
export interface NestedValidation extends ValueValidation {
  readonly items: NestedValidation | undefined;
  /** Sorted by name: kube-apiserver walks properties in this order. */
  readonly properties: ReadonlyMap<string, NestedValidation>;
  readonly additionalProperties: NestedValidation | undefined;
  readonly rules: readonly ValidationRule[];
  /** The JSON of the schema. Keywords that are forbidden here, such as `type` and `default`, are visible only in it. */
  readonly source: Readonly<JsonObject>;
}

/** One entry of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  /** '' if not given, which means FieldValueInvalid. */
  readonly reason: '' | 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** '' if not given: issues are reported at the node itself. */
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

export interface StructuralSchema extends ValueValidation {
  readonly description: string;
  readonly title: string;
  /** '' only if `intOrString` or `preserveUnknownFields` is set. */
  readonly type: '' | SchemaType;
  readonly nullable: boolean;
  /** Undefined if there is none. A null default counts as none, as in kube-apiserver. */
  readonly default: JsonValue | undefined;
  readonly items: StructuralSchema | undefined;
  /** Sorted by name. */
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  /** `false` forbids other properties; `true` allows any. */
  readonly additionalProperties: StructuralSchema | boolean | undefined;
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listType: '' | 'atomic' | 'set' | 'map';
  readonly listMapKeys: readonly string[];
  readonly mapType: '' | 'atomic' | 'granular';
  readonly rules: readonly ValidationRule[];
  /** The JSON of the schema, as it was written. */
  readonly source: Readonly<JsonObject>;
}
