/**
 * The implementations of `RuleEvaluator` and `DefaultRules`. The schema is searched for rules on first use; rules are
 * compiled when an object first reaches them.
 */
import type { DefaultRules, RuleEvaluator } from '../rule-evaluator.ts';
import type { StructuralSchema } from '../structural/structural.ts';
import { evaluateRules } from './evaluate-rules.ts';
import { hasRules } from './has-rules.ts';
import { type RuleNode, ruleTree } from './rule-tree.ts';

/** The rules of a schema of a whole resource. */
export function rulesOf(schema: StructuralSchema): RuleEvaluator {
  let tree: { readonly root: RuleNode | undefined } | undefined;
  const rootOf = (): RuleNode | undefined => {
    tree ??= { root: hasRules(schema) ? ruleTree(schema, true) : undefined };
    return tree.root;
  };
  return {
    get hasRules(): boolean {
      return rootOf() !== undefined;
    },
    evaluate: (object, { old, budget, warn }) => {
      const root = rootOf();
      if (root === undefined) return [];
      return evaluateRules(root, undefined, object, { old, budget, ratcheting: true, warn }).issues;
    },
  };
}

/** The rules for defaults. There is no ratcheting. */
export const defaultRules: DefaultRules = (schema, isResource) => {
  const root = hasRules(schema) ? ruleTree(schema, isResource) : undefined;
  if (root === undefined) return undefined;
  return {
    evaluate: (value, { path, old, budget }) =>
      evaluateRules(root, path, value, { old, budget, ratcheting: false, warn: () => undefined }),
  };
};
