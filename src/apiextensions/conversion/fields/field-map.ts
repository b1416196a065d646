/**
 * The places of the fields of one version in the other. Invariant: a field goes where the move with the longest source
 * path puts it, and stays where it is if there is none.
 */
import { type FieldRule, type MoveRule, type RemoveRule, sourceOf } from './field-rules.ts';
import { isWithin, type RulePath, samePath } from './rule-path.ts';

export type SourceRule = MoveRule | RemoveRule;

export class FieldMap {
  /** The longest source path first. */
  readonly #rules: readonly SourceRule[];

  constructor(rules: readonly FieldRule[]) {
    this.#rules = rules
      .filter((rule): rule is SourceRule => sourceOf(rule) !== undefined)
      .sort((left, right) => (sourceOf(right) as RulePath).length - (sourceOf(left) as RulePath).length);
  }

  /** Returns the rule that decides about a field; undefined if it stays where it is. */
  ruleOf(path: RulePath): SourceRule | undefined {
    return this.#rules.find((rule) => isWithin(path, sourceOf(rule) as RulePath));
  }

  /** Returns the rule for exactly this field. */
  ownRuleOf(path: RulePath): SourceRule | undefined {
    return this.#rules.find((rule) => samePath(path, sourceOf(rule) as RulePath));
  }

  /** Returns the path of a field after conversion; undefined if it is removed. */
  imageOf(path: RulePath): RulePath | undefined {
    const rule = this.ruleOf(path);
    if (rule === undefined) return path;
    return rule.kind === 'remove' ? undefined : [...rule.to, ...path.slice(rule.from.length)];
  }
}
