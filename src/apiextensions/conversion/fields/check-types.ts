/**
 * The check of moved and kept values against the schemas of both versions. Invariant: rules without a problem move no
 * value to a field of another type, and keep none in a field whose type differs between the versions.
 */
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import type { CheckedPair } from './checked-version.ts';
import { FieldMap } from './field-map.ts';
import { type RuleProblem, sourceOf } from './field-rules.ts';
import { EVERY, formatRulePath, isWithin, type RulePath, samePath } from './rule-path.ts';
import { schemaAt } from './schema-fields.ts';
import { UnchangedParts } from './unchanged-parts.ts';
import { type Difference, differenceOf, titleOf } from './value-fit.ts';

/** The name of any key of a map, in paths. */
const ANY_KEY = '<key>';

export function checkTypes(checked: CheckedPair): readonly RuleProblem[] {
  const check = new TypeCheck(checked);
  const { properties } = checked.from.schema;
  for (const [name, property] of properties)
    if (!['apiVersion', 'kind', 'metadata'].includes(name)) check.visit(property, [name]);
  check.visitOthers();
  return check.problems;
}

class TypeCheck {
  readonly problems: RuleProblem[] = [];
  readonly #checked: CheckedPair;
  readonly #map: FieldMap;
  readonly #unchanged: UnchangedParts;
  readonly #set: readonly RulePath[];
  readonly #visited = new Set<string>();

  constructor(checked: CheckedPair) {
    const { rules } = checked.pair;
    this.#checked = checked;
    this.#map = new FieldMap(rules);
    this.#unchanged = new UnchangedParts(checked);
    this.#set = rules.flatMap((rule) => (rule.kind === 'set' ? [rule.path] : []));
  }

  /** Visits a field of `from` and everything inside it. */
  visit(schema: StructuralSchema, path: RulePath): void {
    if (this.#map.ownRuleOf(path) !== undefined) this.#visited.add(formatRulePath(path));
    if (this.#unchanged.has(schema, path)) return;
    const image = this.#map.imageOf(path);
    const target = image === undefined || this.#isSet(image) ? undefined : schemaAt(this.#checked.to.schema, image);
    const difference = target === undefined || target === 'any' ? undefined : differenceOf(schema, target);
    if (difference !== undefined) this.#report(path, image as RulePath, difference);
    // Fields inside that have no target can still have rules of their own.
    const goesOn = target !== undefined && target !== 'any' && difference === undefined;
    if (!goesOn && !this.#hasRulesBelow(path)) return;
    const { items, additionalProperties: values } = schema;
    if (items !== undefined) this.visit(items, [...path, EVERY]);
    if (typeof values === 'object') this.visit(values, [...path, ANY_KEY]);
    for (const [name, property] of schema.properties) this.visit(property, [...path, name]);
  }

  /** Visits the sources of moves that the schema does not list: labels, keys of maps and preserved fields. */
  visitOthers(): void {
    for (const rule of this.#checked.pair.rules) {
      if (rule.kind !== 'move' || this.#visited.has(formatRulePath(rule.from))) continue;
      const source = schemaAt(this.#checked.from.schema, rule.from);
      const target = schemaAt(this.#checked.to.schema, rule.to);
      if (source !== undefined && source !== 'any') this.visit(source, rule.from);
      else if (source === 'any' && target !== undefined && target !== 'any')
        this.#report(rule.from, rule.to, { source: 'may have any type', target: `is ${titleOf(target)}` });
    }
  }

  #isSet(path: RulePath): boolean {
    return this.#set.some((set) => isWithin(path, set));
  }

  #hasRulesBelow(path: RulePath): boolean {
    return this.#checked.pair.rules.some((rule) => {
      const source = sourceOf(rule);
      return source !== undefined && source.length > path.length && isWithin(source, path);
    });
  }

  #report(path: RulePath, image: RulePath, { source, target }: Difference): void {
    const { pair, from, to } = this.#checked;
    const rule = this.#map.ruleOf(path);
    const isKept = samePath(path, image);
    const message =
      `${formatRulePath(path)} of ${from.name} ${source}, but ${formatRulePath(image)} of ${to.name} ${target}: ` +
      `convert the value with {set: ${formatRulePath(image)}, expression: ...}${isKept ? ', or remove it' : ''}`;
    if (rule === undefined || rule.kind === 'remove') this.problems.push({ at: pair.at, message });
    else this.problems.push({ at: [...rule.at, 'to'], value: formatRulePath(rule.to), message });
  }
}
