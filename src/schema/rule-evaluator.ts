/** The interface through which the validation of objects runs rules (`x-kubernetes-validations`). */
import type { FieldIssue } from '../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../apimachinery/validation/field-path.ts';
import type { JsonObject, JsonValue } from '../base/json-value.ts';
import type { StructuralSchema } from './structural/structural.ts';

/**
 * The rules of one schema. They run after all other checks, and only on objects whose types, sizes and enumerations are
 * valid.
 */
export interface RuleEvaluator {
  /** True if the schema has rules. */
  readonly hasRules: boolean;
  /** Returns the issues that the rules report, in the order of the object. Must not modify the object. */
  evaluate(object: JsonObject, run: RuleRequest): readonly FieldIssue[];
}

export interface RuleRequest {
  /** The object before this update; undefined on create. Failures on unchanged values are not reported. */
  readonly old: JsonObject | undefined;
  /** The CEL cost budget for the whole object. */
  readonly budget: number;
  /** Called for each failure that is not reported because the value did not change. */
  warn(text: string): void;
}

/**
 * Finds the rules at and below a node, for validating its default. Returns undefined if there are none. `isResource`:
 * true if the node is a whole resource.
 */
export type DefaultRules = (schema: StructuralSchema, isResource: boolean) => NodeRules | undefined;

export interface NodeRules {
  /** `remaining` is the rest of the budget, below 0 if it is exceeded. */
  evaluate(
    value: JsonValue,
    run: { readonly path: FieldPath; readonly old: JsonValue | undefined; readonly budget: number },
  ): { readonly issues: readonly FieldIssue[]; readonly remaining: number };
}
