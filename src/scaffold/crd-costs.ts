/** What the rules of a definition cost at most. Invariant: the figures are those that the limits of the server are about. */
import type { Crd } from '../apiextensions/crd.ts';
import {
  innerContext,
  RULE_COST_LIMIT,
  type RuleContext,
  ruleCost,
  TotalCost,
} from '../apiextensions/definition/validation/schema-rules.ts';
import { checkRules } from '../schema/rules/check-rules.ts';
import { parseStructural } from '../schema/structural/parse-structural.ts';
import type { StructuralSchema } from '../schema/structural/structural.ts';

export interface RuleCost {
  readonly version: string;
  /** Steps from the definition's root. */
  readonly path: readonly string[];
  readonly rule: string;
  /** In one object, as often as the rule's place can occur. */
  readonly cost: number;
  /** 1 is all that one rule may cost. */
  readonly share: number;
}

/** Versions whose schema is not structural have no costs. */
export function ruleCosts(crd: Crd): readonly RuleCost[] {
  return crd.versions.flatMap(({ name, schema }, i) => {
    const parsed = schema === undefined ? undefined : parseStructural(schema);
    if (parsed?.ok !== true) return [];
    const costs: RuleCost[] = [];
    const root: RuleContext = { schema: parsed.schema, isResource: true, cardinality: 1, total: new TotalCost() };
    addCosts(parsed.schema, root, ['spec', 'versions', String(i), 'schema', 'openAPIV3Schema'], name, costs);
    return costs;
  });
}

function addCosts(
  schema: StructuralSchema,
  context: RuleContext,
  path: readonly string[],
  version: string,
  costs: RuleCost[],
): void {
  const checked = schema.rules.length === 0 ? undefined : checkRules(schema, context.isResource);
  if (checked?.ok === true)
    checked.verdicts.forEach((verdict, i) => {
      const cost = ruleCost(verdict, context);
      costs.push({
        version,
        path: [...path, 'x-kubernetes-validations', String(i), 'rule'],
        rule: schema.rules[i]?.rule ?? '',
        cost,
        share: cost / RULE_COST_LIMIT,
      });
    });
  const enter = (child: StructuralSchema, ...steps: readonly string[]): void =>
    addCosts(child, innerContext(context, schema.source, child), [...path, ...steps], version, costs);
  for (const [name, property] of schema.properties) enter(property, 'properties', name);
  if (schema.items !== undefined) enter(schema.items, 'items');
  if (typeof schema.additionalProperties === 'object') enter(schema.additionalProperties, 'additionalProperties');
}
