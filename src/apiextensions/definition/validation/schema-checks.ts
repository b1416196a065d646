/**
 * What the rules of definitions ask of those who know schemas. Invariant: all of it is pure; schemas are JSONSchemaProps in the form of the API, normalized; `plain` are nodes that need not be looked at.
 */
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { RuleCheck } from '../../../schema/rule-check.ts';
import type { PlainNodes } from '../../../schema/structural/plain-nodes.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';

export type ParsedSchema =
  | { readonly ok: true; readonly schema: StructuralSchema }
  | { readonly ok: false; readonly message: string };

export interface SchemaChecks {
  /** A schema as a structural one; the message says what a structural one cannot say. */
  parse(schema: JsonObject): ParsedSchema;
  /** What makes it not structural all the same. */
  validateStructural(schema: StructuralSchema, path: FieldPath, plain?: PlainNodes): readonly FieldIssue[];
  /** Defaults that do not validate, or that pruning would change if `requirePruned`. */
  validateDefaults(
    schema: StructuralSchema,
    path: FieldPath,
    requirePruned: boolean,
    plain?: PlainNodes,
  ): readonly FieldIssue[];
  /** True if both `parse` and `validateStructural` have nothing against it. */
  isStructural(schema: JsonObject): boolean;
  /** True if it is structural and pruning would change one of its defaults. */
  hasUnprunedDefaults(schema: JsonObject): boolean;
  /** Where `.spec.color` leads; `subscripts: false` refuses brackets. */
  findPath(
    path: string,
    schema: StructuralSchema,
    options?: { readonly subscripts?: boolean },
  ):
    | { readonly ok: true; readonly path: FieldPath | undefined; readonly schema: StructuralSchema }
    | { readonly ok: false; readonly message: string };
  /** The rules of one node, compiled. */
  readonly checkRules: RuleCheck;
}
