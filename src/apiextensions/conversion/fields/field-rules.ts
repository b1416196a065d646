/**
 * Field rules: the conversion between two versions as data. They are in an annotation of the definition, which
 * kube-apiserver stores and ignores.
 *
 * Paths after `move` and `remove`, and what expressions read, belong to the version `from`. Paths after `to`, `default`
 * and `set` belong to the version `to`. All rules see the object before conversion, so their order does not matter:
 * values are moved and removed at once, then `set` writes its fields, then `default` fills in fields that are absent.
 */
import type { JsonValue } from '../../../base/json-value.ts';
import { formatRulePath, isWithin, type RulePath, samePath } from './rule-path.ts';

export const FIELD_RULES_ANNOTATION = 'keelson.dev/conversion';

/** A place inside the annotation: `[0, 'fields', 1, 'move']`. */
export type RulePlace = readonly (string | number)[];

interface Placed {
  readonly at: RulePlace;
}

/**
 * Moves a value with everything inside it, except for the parts that have a rule of their own. Items stay in their
 * list: the target begins with the path that the items have after conversion.
 */
export interface MoveRule extends Placed {
  readonly kind: 'move';
  readonly from: RulePath;
  readonly to: RulePath;
}

export interface RemoveRule extends Placed {
  readonly kind: 'remove';
  readonly path: RulePath;
}

/** Sets the value of an expression, in which `self` is the object before conversion. An empty optional sets nothing. */
export interface SetRule extends Placed {
  readonly kind: 'set';
  readonly path: RulePath;
  readonly expression: string;
}

/** Sets a value where there is none. */
export interface DefaultRule extends Placed {
  readonly kind: 'default';
  readonly path: RulePath;
  readonly value: JsonValue;
}

export type FieldRule = MoveRule | RemoveRule | SetRule | DefaultRule;

/** The rules from one version to another. */
export interface VersionPair extends Placed {
  readonly from: string;
  readonly to: string;
  readonly rules: readonly FieldRule[];
  /** Fields of `from` that may be lost. */
  readonly lossy: readonly RulePath[];
  /** True for a pair that is not in the annotation and follows from the opposite one, whose place it has. */
  readonly isImplied: boolean;
}

/** A problem of the annotation. */
export interface RuleProblem extends Placed {
  /** The value at the place; undefined if the message needs none. */
  readonly value?: JsonValue;
  readonly message: string;
}

/** Returns the path that a rule takes a value from; undefined for `set` and `default`. */
export function sourceOf(rule: FieldRule): RulePath | undefined {
  if (rule.kind === 'move') return rule.from;
  return rule.kind === 'remove' ? rule.path : undefined;
}

/** Returns the path that a rule writes; undefined for `remove`. */
export function targetOf(rule: FieldRule): RulePath | undefined {
  if (rule.kind === 'move') return rule.to;
  return rule.kind === 'remove' ? undefined : rule.path;
}

/** Prints a rule as in the annotation, for messages. */
export function formatRule(rule: FieldRule): string {
  switch (rule.kind) {
    case 'move':
      return `{move: ${formatRulePath(rule.from)}, to: ${formatRulePath(rule.to)}}`;
    case 'remove':
      return `{remove: ${formatRulePath(rule.path)}}`;
    case 'set':
      return `{set: ${formatRulePath(rule.path)}, expression: ${JSON.stringify(rule.expression)}}`;
    case 'default':
      return `{default: ${formatRulePath(rule.path)}}`;
  }
}

/**
 * Returns the rules that follow from a pair for the opposite direction: every move, unless `explicit` has a rule that
 * takes from or writes the same field.
 */
export function impliedRules({ rules }: VersionPair, explicit: readonly FieldRule[]): readonly FieldRule[] {
  const implied: FieldRule[] = [];
  for (const rule of rules) {
    if (rule.kind !== 'move') continue;
    const { from: to, to: from, at } = rule;
    const isGiven = explicit.some((other) => {
      const [source, target] = [sourceOf(other), targetOf(other)];
      if (source !== undefined && samePath(source, from)) return true;
      return other.kind !== 'default' && target !== undefined && isWithin(to, target);
    });
    if (!isGiven) implied.push({ kind: 'move', from, to, at });
  }
  return implied;
}
