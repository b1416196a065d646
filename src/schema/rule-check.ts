/**
 * What a definition's author is told about `x-kubernetes-validations`: the interface between those who judge definitions and those who compile rules. Invariant: nothing is
 * run; costs are static estimates of the worst case.
 */
import type { StructuralSchema } from './structural/structural.ts';

/** What was found out about one rule. */
export interface RuleVerdict {
  /** Why the rule cannot be used, in the reference's words; undefined if it can. */
  readonly problem: string | undefined;
  /** What one evaluation costs at most; 0 for a rule with a problem. */
  readonly maxCost: number;
  /** How often the node can occur in an object of the greatest size, where no limit above it says less. */
  readonly maxCardinality: number;
  /** Why `messageExpression` cannot be used; undefined if it can or if there is none. */
  readonly messageProblem: string | undefined;
  /** What `messageExpression` costs at most; undefined if there is none or it has a problem. */
  readonly messageMaxCost: number | undefined;
  readonly usesOldSelf: boolean;
}

/**
 * Compiles the rules of a node, in their order. `isResource`: the node is an object with apiVersion, kind and metadata, which rules see although the schema may not list
 * them (the root, and embedded resources). `failed`: the node has no type that rules could be written for.
 */
export type RuleCheck = (
  schema: StructuralSchema,
  isResource: boolean,
) =>
  | { readonly ok: true; readonly verdicts: readonly RuleVerdict[] }
  | { readonly ok: false; readonly message: string };
