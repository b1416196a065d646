/**
 * The maximum costs of the CEL rules of a definition. Invariant: the figures are those that the server compares with
 * its limits.
 */
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
  /** The steps from the root of the definition. */
  readonly path: readonly string[];
  readonly rule: string;
  /** The maximum cost in one object: the cost of one evaluation times the occurrences of the rule's node. */
  readonly cost: number;
  /** The cost divided by the limit for one rule. */
  readonly share: number;
}

/** Returns no costs for versions whose schema is not structural. */
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
