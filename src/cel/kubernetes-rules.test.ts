/**
 * Rules as people write them, beside what the reference's engine made of them: every function of its libraries, the
 * idioms of real definitions, over bounded and unbounded schemas.
 */
import { describe, expect, it } from 'vitest';
import { type RuleCase, type RuleOutcome, type RuleTable, ruleRunner } from './kubernetes-rules.fixtures.ts';
import table from './testdata/kubernetes-rules.json' with { type: 'json' };

const RULES = table as unknown as RuleTable;

/** Bounds beyond 2^53 agree to as many digits as a double has. */
function rounded({ min, max, ...outcome }: RuleOutcome): object {
  return { ...outcome, bounds: [min, max].map((bound) => Number(bound ?? 0).toPrecision(14)) };
}

function casesOf(schema: string | undefined): readonly RuleCase[] {
  return RULES.cases.filter((rule) => rule.schema === schema);
}

describe('rules of Kubernetes', () => {
  const run = ruleRunner(RULES);

  it('are at least 300 over schemas, and as many without', () => {
    expect(casesOf(undefined).length).toBeGreaterThan(300);
    expect(RULES.cases.length - casesOf(undefined).length).toBeGreaterThan(300);
  });

  it.each([
    { title: 'no schema', schema: undefined },
    ...Object.keys(RULES.schemas).map((schema) => ({ title: `the schema ${schema}`, schema })),
  ])('have the issues, value, cost and estimate of the reference over $title', ({ schema }) => {
    const ours = casesOf(schema).map((rule) => ({ rule: rule.rule, ...rounded(run(rule)) }));
    expect(ours).toEqual(casesOf(schema).map((rule) => ({ rule: rule.rule, ...rounded(rule.expect) })));
  });
});
