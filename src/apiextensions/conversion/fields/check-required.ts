/**
 * The check of required fields. Invariant: with rules that have no problem, a converted object has every field that its
 * schema requires, if the object before conversion was valid.
 *
 * A required field is always set if the schema or a rule has a default for it, if an expression sets it, or if it comes
 * from a source field that exists whenever the parent of the required field exists. The parent exists if a source C of
 * one of its parts exists. Then all fields around C exist, too, and so does each field that is always set inside them.
 */
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import type { CheckedPair } from './checked-version.ts';
import { FieldMap } from './field-map.ts';
import { type FieldRule, type RuleProblem, targetOf } from './field-rules.ts';
import {
  commonPart,
  EVERY,
  formatRulePath,
  isWithin,
  itemPart,
  type RulePath,
  type RuleStep,
  samePath,
} from './rule-path.ts';
import { isAlwaysSetBelow, schemaAt } from './schema-fields.ts';
import { UnchangedParts } from './unchanged-parts.ts';

/** `isOptional` reports whether the expression of a rule may set nothing. */
export function checkRequired(checked: CheckedPair, isOptional: (rule: FieldRule) => boolean): readonly RuleProblem[] {
  const check = new RequiredCheck(checked, isOptional);
  check.visit(checked.to.schema, [], [], []);
  return check.problems;
}

/** Reports whether a default, or an expression, makes a node around its field. It makes no list and no items. */
function makes(rule: FieldRule, path: RulePath): boolean {
  return itemPart(targetOf(rule) ?? []).length <= path.length;
}

const TYPE_AND_METADATA: readonly string[] = ['apiVersion', 'kind', 'metadata'];

class RequiredCheck {
  readonly problems: RuleProblem[] = [];
  readonly #checked: CheckedPair;
  readonly #map: FieldMap;
  readonly #unchanged: UnchangedParts;
  readonly #isOptional: (rule: FieldRule) => boolean;

  constructor(checked: CheckedPair, isOptional: (rule: FieldRule) => boolean) {
    this.#checked = checked;
    this.#map = new FieldMap(checked.pair.rules);
    this.#unchanged = new UnchangedParts(checked);
    this.#isOptional = isOptional;
  }

  /**
   * Visits a node of `to`. `source` is the path in `from` that it comes from; undefined if there is none. `items` is
   * the path in `from` of the innermost item that the node is in; empty outside of lists.
   */
  visit(schema: StructuralSchema, path: RulePath, source: RulePath | undefined, items: RulePath): void {
    const parts = this.#partsOf(path, source, items);
    if (parts.length === 0 || this.#isUnchanged(source)) return;
    for (const name of schema.required) this.#require(schema, [...path, name], source, parts);
    for (const [name, property] of schema.properties) {
      if (path.length === 0 && TYPE_AND_METADATA.includes(name)) continue;
      this.#descend(property, [...path, name], source, items);
    }
    // Values of maps have no names to look for.
    if (schema.items !== undefined) this.#descend(schema.items, [...path, EVERY], source, items);
  }

  #isUnchanged(source: RulePath | undefined): boolean {
    const schema = source === undefined ? undefined : schemaAt(this.#checked.from.schema, source);
    return source !== undefined && schema !== undefined && schema !== 'any' && this.#unchanged.has(schema, source);
  }

  #descend(schema: StructuralSchema, path: RulePath, parent: RulePath | undefined, items: RulePath): void {
    if (this.#checked.pair.rules.some((rule) => rule.kind === 'set' && samePath(rule.path, path))) return;
    const source = this.#sourceOf(path, parent);
    if (path.at(-1) !== EVERY) this.visit(schema, path, source, items);
    else if (source !== undefined) this.visit(schema, path, source, source);
  }

  /** Returns the path in `from` of a field of `to`. */
  #sourceOf(path: RulePath, parent: RulePath | undefined): RulePath | undefined {
    const move = this.#checked.pair.rules.find((rule) => rule.kind === 'move' && samePath(rule.to, path));
    if (move?.kind === 'move') return move.from;
    const last: RuleStep | undefined = path.at(-1);
    if (parent === undefined || last === undefined) return undefined;
    const kept: RulePath = [...parent, last];
    const isKept = this.#map.ownRuleOf(kept) === undefined && schemaAt(this.#checked.from.schema, kept) !== undefined;
    return isKept ? kept : undefined;
  }

  /** Returns the sources of everything that makes the node exist. */
  #partsOf(path: RulePath, source: RulePath | undefined, items: RulePath): readonly RulePath[] {
    const parts: RulePath[] = source === undefined ? [] : [source];
    for (const rule of this.#below(path)) {
      if (rule.kind === 'move') parts.push(rule.from);
      else if (makes(rule, path)) parts.push(items);
    }
    return parts;
  }

  #below(path: RulePath): readonly FieldRule[] {
    return this.#checked.pair.rules.filter((rule) => {
      const target = targetOf(rule);
      return target !== undefined && target.length > path.length && isWithin(target, path);
    });
  }

  #require(schema: StructuralSchema, path: RulePath, parent: RulePath | undefined, parts: readonly RulePath[]): void {
    const name = path.at(-1) as string;
    if (path.length === 1 && TYPE_AND_METADATA.includes(name)) return;
    if (schema.properties.get(name)?.default !== undefined) return;
    const writers = this.#checked.pair.rules.filter((rule) => {
      const target = targetOf(rule);
      return target !== undefined && isWithin(target, path);
    });
    const isMade = writers.some((rule) => {
      const isCertain = rule.kind === 'default' || (rule.kind === 'set' && !this.#isOptional(rule));
      return isCertain && makes(rule, path);
    });
    if (isMade) return;
    const sources = writers.flatMap((rule) => (rule.kind === 'move' ? [rule.from] : []));
    const kept = this.#sourceOf(path, parent);
    if (kept !== undefined) sources.push(kept);
    const { schema: before } = this.#checked.from;
    const isThere = sources.some((source) =>
      parts.every((part) => isAlwaysSetBelow(before, commonPart(part, source), source)),
    );
    if (!isThere) this.#report(path, sources[0], writers[0]);
  }

  #report(path: RulePath, source: RulePath | undefined, rule: FieldRule | undefined): void {
    const { pair, from, to } = this.#checked;
    const field = formatRulePath(path);
    const why =
      rule?.kind === 'set'
        ? 'the expression may set nothing'
        : source === undefined
          ? `nothing in ${from.name} becomes this field`
          : `${formatRulePath(source)} may be absent in ${from.name}`;
    const message = `${field} is required in ${to.name}, but ${why}: add {default: ${field}, value: ...}`;
    this.problems.push(rule === undefined ? { at: pair.at, message } : { at: rule.at, message });
  }
}
