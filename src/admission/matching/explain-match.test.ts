import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { attributesFor } from '../attributes.fixtures.ts';
import { compileBinding, type MatchedHook } from '../policies/policy.ts';
import { explainMatch } from './explain-match.ts';

const RULE = {
  operations: ['CREATE'],
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  resources: ['deployments'],
  scope: '*',
};

function hook(matchResources: JsonObject): MatchedHook {
  return compileBinding({ metadata: { name: 'b' }, spec: { policyName: 'p', matchResources } });
}

async function explain(match: JsonObject, more: Partial<AdmissionAttributes> = {}): Promise<string> {
  const object = { metadata: { name: 'web', labels: { app: 'web' } } };
  const attributes = attributesFor('CREATE', 'deployments.apps', object, {
    namespaceObject: () => ({ metadata: { name: 'ns', labels: { team: 'a' } } }),
    ...more,
  });
  const explained = await explainMatch(hook(match), attributes);
  return explained.matches ? 'matches' : explained.because;
}

describe('explainMatch', () => {
  it.each<[string, JsonObject, Partial<AdmissionAttributes>, string]>([
    ['no rules', {}, {}, 'matches'],
    ['a rule', { resourceRules: [RULE] }, {}, 'matches'],
    [
      'the operation',
      { resourceRules: [RULE] },
      { operation: 'DELETE' },
      'its rule is for the operation CREATE, not DELETE',
    ],
    [
      'the nearest rule',
      {
        resourceRules: [
          { ...RULE, apiGroups: [''] },
          { ...RULE, resources: ['daemonsets', 'deployments/scale'] },
        ],
      },
      {},
      'its nearest rule is for the resource daemonsets, deployments/scale, not deployments',
    ],
    ['the group', { resourceRules: [{ ...RULE, apiGroups: [''] }] }, {}, 'its rule is for the group "", not apps'],
    [
      'the version',
      { resourceRules: [{ ...RULE, apiVersions: ['v1beta1'] }], matchPolicy: 'Exact' },
      {},
      'its rule is for the version v1beta1, not v1, and its matchPolicy is Exact',
    ],
    [
      'the scope',
      { resourceRules: [{ ...RULE, scope: 'Cluster' }] },
      {},
      'its rule is for the scope Cluster, not Namespaced',
    ],
    ['names', { resourceRules: [{ ...RULE, resourceNames: ['db'] }] }, {}, 'its resourceNames do not contain "web"'],
    [
      'an excluding rule',
      { resourceRules: [RULE], excludeResourceRules: [RULE] },
      {},
      'an excludeResourceRule is for the request',
    ],
    [
      'an excluding rule with names',
      { resourceRules: [RULE], excludeResourceRules: [{ ...RULE, resourceNames: ['web'] }] },
      {},
      'an excludeResourceRule names "web"',
    ],
    [
      'the objectSelector',
      { objectSelector: { matchLabels: { app: 'db' } } },
      {},
      'its objectSelector does not select the labels of the object',
    ],
    [
      'the namespaceSelector',
      { namespaceSelector: { matchLabels: { team: 'b' } } },
      {},
      'its namespaceSelector does not select the labels of the namespace ns',
    ],
    [
      'a namespace that does not exist',
      { namespaceSelector: { matchLabels: { team: 'b' } } },
      { namespaceObject: () => undefined },
      'namespaces "ns" not found',
    ],
  ])('explains %s', async (_title, match, more, expected) => {
    expect(await explain(match, more)).toBe(expected);
  });
});
