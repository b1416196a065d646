/**
 * A structural schema: the part of OpenAPI v3 that says, for every value, one type. Invariant: a node is immutable, and its parts keep their identity, so plans may be
 * kept per node. Fields have the meaning that `apiextensions.k8s.io/v1` JSONSchemaProps gives them; what JSONSchemaProps can say and a structural schema cannot
 * never gets here (`parseStructural` refuses it). Nodes read their source when asked: do not spread one, take `deriveSchema`.
 */
import type { JsonObject, JsonValue } from '../../base/json-value.ts';

/** Limits that only restrict values; they may stand at a node and, without the structure, under its logic operators. */
export interface ValueValidation {
  readonly format: string;
  readonly maximum: number | bigint | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | bigint | undefined;
  readonly exclusiveMinimum: boolean;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  /** RE2; '' for none. */
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

/** What stands under a logic operator. */
export interface NestedValidation extends ValueValidation {
  readonly items: NestedValidation | undefined;
  /** In the order of the names, as the reference walks them. */
  readonly properties: ReadonlyMap<string, NestedValidation>;
  readonly additionalProperties: NestedValidation | undefined;
  readonly rules: readonly ValidationRule[];
  /** As written: what must not stand here (`type`, `default`) is found only in it. */
  readonly source: Readonly<JsonObject>;
}

/** One of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  /** '' where none is given, which means FieldValueInvalid. */
  readonly reason: '' | 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** '' for the node itself. */
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

export interface StructuralSchema extends ValueValidation {
  readonly description: string;
  readonly title: string;
  /** '' only where `intOrString` or `preserveUnknownFields` is set. */
  readonly type: '' | SchemaType;
  readonly nullable: boolean;
  /** Undefined where there is none; null counts as none, as in the reference. */
  readonly default: JsonValue | undefined;
  readonly items: StructuralSchema | undefined;
  /** In the order of the names. */
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  /** False: `additionalProperties: false`. True: any. */
  readonly additionalProperties: StructuralSchema | boolean | undefined;
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listType: '' | 'atomic' | 'set' | 'map';
  readonly listMapKeys: readonly string[];
  readonly mapType: '' | 'atomic' | 'granular';
  readonly rules: readonly ValidationRule[];
  /** As written, for OpenAPI. */
  readonly source: Readonly<JsonObject>;
}
