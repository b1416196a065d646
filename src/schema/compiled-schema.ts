/**
 * The interface of a compiled schema: pruning, defaulting and validation of objects.
 *
 * Invariant: each part is compiled at most once, when it is first used.
 */
import type { StructView, TypeView } from '../apimachinery/type-view.ts';
import type { FieldIssue } from '../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { RuleEvaluator } from './rule-evaluator.ts';
import type { StructuralSchema } from './structural/structural.ts';

export interface ValidateOptions {
  /**
   * The object before this update. Values that did not change are not reported (ratcheting), and transition rules run.
   * Default: the object is being created.
   */
  readonly old?: JsonObject;
  /**
   * `status`: checks the types and limits of the field `status` only; its messages contain paths below it (`replicas in
   * body must be ...` at `status.replicas`). List types and rules are checked on the whole object. For the status
   * subresource.
   * `rest`: checks no types and limits, only embedded resources, list types and rules. For a body whose type fields
   * name another kind, which is refused in any case. Default: checks everything.
   */
  readonly part?: 'status' | 'rest';
  /**
   * Issues that earlier checks found, such as the check of metadata. Like issues of the schema they may keep rules from
   * running. Default none.
   */
  readonly found?: readonly FieldIssue[];
  /** The CEL cost budget of `x-kubernetes-validations` for this object. Default 1e7, kube-apiserver's limit. */
  readonly celBudget?: number;
  /** Called for each rule that fails on a value which did not change. Default: such failures are dropped. */
  readonly warn?: (text: string) => void;
}

/**
 * The schema of one version of a custom resource. Every object passed in is a whole resource with `apiVersion`, `kind`
 * and `metadata`. A server calls `prune`, `coerceEmbedded`, `setDefaults` and `validate` in this order on one request
 * body. All but `validate` modify the object in place.
 */
export interface CompiledSchema {
  readonly schema: StructuralSchema;
  /**
   * The type, for decoding, merge keys and OpenAPI. `metadata` has the type ObjectMeta, also in embedded resources. A
   * view says if it preserves unknown fields; with `spec.preserveUnknownFields: true` all of them do.
   */
  readonly view: StructView;
  /**
   * Removes fields that the schema does not specify, also in embedded resources. Returns the removed paths as strict
   * decoding prints them.
   */
  prune(object: JsonObject): readonly string[];
  /**
   * Removes nulls that the schema neither allows nor replaces by a default, then fills in defaults at every level.
   * Idempotent. Throws a StatusError (413) if the defaults would make the object too large. `keepNulls` leaves nulls
   * that have no default, so that `validate` reports them; default false.
   */
  setDefaults(object: JsonObject, keepNulls?: boolean): void;
  /**
   * Brings `apiVersion`, `kind` and `metadata` of embedded resources into their types. `unknown` lists the metadata
   * fields that were removed. On failure `message` is kube-apiserver's text. `dropMalformed` removes malformed fields
   * instead of failing, for objects read from storage; default false.
   */
  coerceEmbedded(
    object: JsonObject,
    options?: { readonly dropMalformed?: boolean },
  ): { readonly ok: true; readonly unknown: readonly string[] } | { readonly ok: false; readonly message: string };
  /**
   * Returns all issues, empty if the object is valid: types and limits, embedded resources, list types, then rules.
   * Rules run only if the types, sizes and enumerations are right. Must not modify the object.
   */
  validate(object: JsonObject, options?: ValidateOptions): readonly FieldIssue[];
}

export interface CompileOptions {
  /** `spec.preserveUnknownFields` of the definition: if true, nothing is pruned. Default false. */
  readonly preserveUnknownFields?: boolean;
  /**
   * The view tells strategic merge patches to merge lists as their list types say. Default false: such patches are not
   * allowed.
   */
  readonly patchesByListType?: boolean;
  /**
   * The view has a protobuf form: fields have the numbers that the schema declares (`FIELD_NUMBER`), and metadata has
   * the number 1. Default false: the type has no protobuf form.
   */
  readonly fieldNumbers?: boolean;
  /** The type ObjectMeta, a struct. */
  readonly objectMeta: TypeView;
  /** The rules of the schema. Default none. */
  readonly rules?: RuleEvaluator;
}
