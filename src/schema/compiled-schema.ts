/**
 * What a schema does to objects, compiled once. Invariant: nothing is compiled before it is first used, and nothing is interpreted per request afterwards.
 */
import type { StructView, TypeView } from '../apimachinery/type-view.ts';
import type { FieldIssue } from '../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { RuleEvaluator } from './rule-evaluator.ts';
import type { StructuralSchema } from './structural/structural.ts';

export interface ValidateOptions {
  /** The object before this update: values that did not change are not judged again (ratcheting), and transition rules run. Undefined: a create. */
  readonly old?: JsonObject;
  /**
   * Of the limits and types only those of this field are judged, against `old`'s, with messages that name fields from there (`replicas in body must be ...` at
   * `status.replicas`); lists and rules are those of the whole object. For the status subresource, which changes nothing else. `rest`: no limits and types
   * at all, for objects of another kind. Default: everything.
   */
  readonly part?: 'status' | 'rest';
  /** What was found before, of metadata say: it may keep rules from being checked, as findings of the schema do. Default nothing. */
  readonly found?: readonly FieldIssue[];
  /** What `x-kubernetes-validations` may cost for this object; default 1e7, the reference's. */
  readonly celBudget?: number;
  /** Told of rules that fail on values which did not change. Default: nobody is. */
  readonly warn?: (text: string) => void;
}

/**
 * The schema of one version of a custom resource. Objects are whole ones, with `apiVersion`, `kind` and `metadata`, which the schema may restrict (name, generateName) but whose
 * form is ObjectMeta's. The methods that change an object do so in place.
 */
export interface CompiledSchema {
  readonly schema: StructuralSchema;
  /**
   * The type, for decoding (unknown fields), merge keys and OpenAPI. `metadata` and those of embedded resources are ObjectMeta. A node that preserves unknown
   * fields says so. `preserveAll`: as of `spec.preserveUnknownFields: true`, no field is unknown.
   */
  readonly view: StructView;
  /** Drops unspecified fields, inside embedded resources too; returns the paths of what was dropped, as strict decoding names them. */
  prune(object: JsonObject): readonly string[];
  /** Drops nulls where the schema neither allows null nor has a default, then fills in defaults, of nested objects too. Idempotent. */
  setDefaults(object: JsonObject): void;
  /**
   * Makes `apiVersion`, `kind` and `metadata` of embedded resources well-formed; `unknown` are the paths of metadata fields that were dropped. The message says what cannot
   * be coerced, in the reference's words. `dropMalformed`: that is dropped instead of refused, for objects from storage; default false.
   */
  coerceEmbedded(
    object: JsonObject,
    options?: { readonly dropMalformed?: boolean },
  ): { readonly ok: true; readonly unknown: readonly string[] } | { readonly ok: false; readonly message: string };
  /** Everything that is wrong: types, limits, lists that are sets or maps, embedded metadata, then rules, as the reference orders and limits them. */
  validate(object: JsonObject, options?: ValidateOptions): readonly FieldIssue[];
}

export interface CompileOptions {
  /** `spec.preserveUnknownFields: true`: nothing is pruned. Default false. */
  readonly preserveUnknownFields?: boolean;
  /** The type of metadata: a struct. */
  readonly objectMeta: TypeView;
  /** The rules of the schema. Default none. */
  readonly rules?: RuleEvaluator;
}
