import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { attributesFor } from '../attributes.fixtures.ts';
import { OUT_OF_BUDGET, POLICY_COST } from '../cost-limits.ts';
import { ExpressionInput, requestAuthorizer } from '../matching/expression-input.ts';
import { evaluatePolicy, type PolicyVerdict } from './evaluate-policy.ts';
import { compilePolicy } from './policy.ts';

const ITEMS = Array.from({ length: 1000 }, (_, i) => i);

async function evaluate(spec: JsonObject): Promise<PolicyVerdict> {
  const object = { metadata: { name: 'x' }, items: ITEMS, few: ITEMS.slice(0, 60) };
  const attributes = attributesFor('CREATE', 'pods', object);
  const view = { resource: attributes.resource, kind: attributes.kind, version: undefined };
  const authorizer = requestAuthorizer(
    { authorize: () => ({ decision: 'allow', reason: '', error: '' }) },
    attributes.user,
  );
  const input = new ExpressionInput(
    attributes,
    view,
    { object, oldObject: undefined },
    { authorizer, namespaceObject: undefined },
  );
  return evaluatePolicy({ ...compilePolicy({ metadata: { name: 'p' }, spec }), bindings: [] }, input, undefined);
}

/** Costs somewhat less than the limit of one expression. */
const COSTLY = 'object.items.all(a, object.few.filter(b, b < 150).size() > a - 1000)';
const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));

describe('the cost budget of a policy', () => {
  it.each<[string, JsonObject]>([
    ['many validations', { validations: many(200, () => ({ expression: COSTLY })) }],
    [
      'a chain of variables in one expression',
      {
        variables: many(200, (i) => ({
          name: `v${i}`,
          expression: i === 0 ? COSTLY : `variables.v${i - 1} && ${COSTLY}`,
        })),
        validations: [{ expression: '!variables.v199' }],
      },
    ],
    [
      'a variable that fails, read in a loop that absorbs errors',
      {
        variables: [{ name: 'a', expression: `${COSTLY} && object.items.all(a, object.items.all(b, a + b >= 0))` }],
        validations: many(20, () => ({ expression: 'object.items.exists(i, variables.a || i < 0)' })),
      },
    ],
    [
      'many messages',
      { validations: many(200, () => ({ expression: 'false', messageExpression: `${COSTLY} ? 'a' : 'b'` })) },
    ],
  ])('is not exceeded by more than a tenth: %s', async (_title, spec) => {
    const { cost, denials } = await evaluate(spec);
    expect(cost).toBeLessThan(POLICY_COST * 1.1);
    expect(denials.length).toBeGreaterThan(0);
  });

  it('ends the evaluation', async () => {
    const { denials } = await evaluate({ validations: many(200, () => ({ expression: COSTLY })) });
    expect(denials).toEqual([{ index: 0, message: OUT_OF_BUDGET, reason: '' }]);
  });
});
