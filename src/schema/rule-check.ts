/**
 * The interface between the validation of definitions and the compiler of rules (`x-kubernetes-validations`). Rules are
 * compiled but not run; costs are static estimates of the worst case.
 */
import type { StructuralSchema } from './structural/structural.ts';

/** The result of compiling one rule. */
export interface RuleVerdict {
  /** The reason why the rule does not compile, with kube-apiserver's text; undefined if it compiles. */
  readonly problem: string | undefined;
  /** The maximum cost of one evaluation; 0 for a rule with a problem. */
  readonly maxCost: number;
  /** How often the node can occur in an object of the maximum request size, if no limit above it is lower. */
  readonly maxCardinality: number;
  /** The reason why `messageExpression` does not compile; undefined if it compiles or there is none. */
  readonly messageProblem: string | undefined;
  /** The maximum cost of `messageExpression`; undefined if there is none or it has a problem. */
  readonly messageMaxCost: number | undefined;
  readonly usesOldSelf: boolean;
}

/**
 * Compiles the rules of a node and returns one verdict for each, in order. `isResource`: true for the root and for
 * embedded resources, whose rules see apiVersion, kind and metadata even if the schema does not list them. Fails if the
 * node has no type that rules can see.
 */
export type RuleCheck = (
  schema: StructuralSchema,
  isResource: boolean,
) =>
  | { readonly ok: true; readonly verdicts: readonly RuleVerdict[] }
  | { readonly ok: false; readonly message: string };
