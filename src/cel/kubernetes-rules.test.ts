/**
 * Compares rules with recorded results of kube-apiserver's engine: every function of its libraries and the idioms of
 * real definitions, over bounded and unbounded schemas.
 */
import { describe, expect, it } from 'vitest';
import { type RuleCase, type RuleOutcome, type RuleTable, ruleRunner } from './kubernetes-rules.fixtures.ts';
import table from './testdata/kubernetes-rules.json' with { type: 'json' };

const RULES = table as unknown as RuleTable;

/** Compares bounds above 2^53 with the precision of a double. */
function rounded({ min, max, ...outcome }: RuleOutcome): object {
  return { ...outcome, bounds: [min, max].map((bound) => Number(bound ?? 0).toPrecision(14)) };
}

function casesOf(schema: string | undefined): readonly RuleCase[] {
  return RULES.cases.filter((rule) => rule.schema === schema);
}

describe('rules of Kubernetes', () => {
  const run = ruleRunner(RULES);

  it('are at least 300 with schemas, and as many without', () => {
    expect(casesOf(undefined).length).toBeGreaterThan(300);
    expect(RULES.cases.length - casesOf(undefined).length).toBeGreaterThan(300);
  });

  it.each([
    { title: 'no schema', schema: undefined },
    ...Object.keys(RULES.schemas).map((schema) => ({ title: `the schema ${schema}`, schema })),
  ])('have the issues, value, cost and estimate of kube-apiserver over $title', ({ schema }) => {
    const ours = casesOf(schema).map((rule) => ({ rule: rule.rule, ...rounded(run(rule)) }));
    expect(ours).toEqual(casesOf(schema).map((rule) => ({ rule: rule.rule, ...rounded(rule.expect) })));
  });
});
