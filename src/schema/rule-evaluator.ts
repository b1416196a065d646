/** The seam between schemas and the rules that they carry (`x-kubernetes-validations`). */
import type { FieldIssue } from '../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../apimachinery/validation/field-path.ts';
import type { JsonObject, JsonValue } from '../base/json-value.ts';
import type { StructuralSchema } from './structural/structural.ts';

/** The rules of one schema. They run after everything else, and only on objects whose types, sizes and enumerations are right. */
export interface RuleEvaluator {
  /** Whether the schema has rules: if not, nothing is ever said about rules that were not checked. */
  readonly hasRules: boolean;
  /** What the rules say against the object, in the order of the schema, within `budget` units of cost for the whole object. Must not change anything. */
  evaluate(object: JsonObject, run: RuleRequest): readonly FieldIssue[];
}

export interface RuleRequest {
  /** The object before this update; undefined for a create. Failures of unchanged values are let through. */
  readonly old: JsonObject | undefined;
  readonly budget: number;
  /** Told of failures that are let through because nothing changed there. */
  warn(text: string): void;
}

/** The rules at and below a node, for its default; undefined if there are none. `isResource`: the node describes a whole resource. */
export type DefaultRules = (schema: StructuralSchema, isResource: boolean) => NodeRules | undefined;

export interface NodeRules {
  /** `remaining` is what is left of the budget; below 0 once it is spent. */
  evaluate(
    value: JsonValue,
    run: { readonly path: FieldPath; readonly old: JsonValue | undefined; readonly budget: number },
  ): { readonly issues: readonly FieldIssue[]; readonly remaining: number };
}
