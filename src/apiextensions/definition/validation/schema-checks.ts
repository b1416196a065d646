/**
 * The checks on schemas that validation of definitions needs. Schemas are normalized JSONSchemaProps. `plain` lists
 * nodes that need no check.
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
  /** Parses a structural schema. The message says which part cannot be in one. */
  parse(schema: JsonObject): ParsedSchema;
  /** Returns the issues that make a parsed schema not structural. */
  validateStructural(schema: StructuralSchema, path: FieldPath, plain?: PlainNodes): readonly FieldIssue[];
  /** Returns issues of defaults that do not validate, or, with `requirePruned`, that pruning would change. */
  validateDefaults(
    schema: StructuralSchema,
    path: FieldPath,
    requirePruned: boolean,
    plain?: PlainNodes,
  ): readonly FieldIssue[];
  /** Reports whether `parse` and `validateStructural` find no issue. */
  isStructural(schema: JsonObject): boolean;
  /** Reports whether the schema is structural and pruning would change one of its defaults. */
  hasUnprunedDefaults(schema: JsonObject): boolean;
  /** Finds the schema at a path such as `.spec.color`. `subscripts: false` refuses brackets. */
  findPath(
    path: string,
    schema: StructuralSchema,
    options?: { readonly subscripts?: boolean },
  ):
    | { readonly ok: true; readonly path: FieldPath | undefined; readonly schema: StructuralSchema }
    | { readonly ok: false; readonly message: string };
  /** Compiles the CEL rules of one node. */
  readonly checkRules: RuleCheck;
}
