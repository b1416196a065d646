import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { texts } from '../../shared/issues.fixtures.ts';
import {
  resourceQuotaTable,
  resourceQuotaWarnings,
  validateResourceQuota,
  validateResourceQuotaStatusUpdate,
  validateResourceQuotaUpdate,
} from './resource-quota.ts';

function quota(spec: JsonObject, status?: JsonObject): JsonObject {
  const metadata = { name: 'x', namespace: 'n', resourceVersion: '1' };
  return { metadata, spec, ...(status === undefined ? undefined : { status }) };
}

const EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

describe('a resource quota', () => {
  it.each<[string, JsonObject, string[]]>([
    ['counts and requests', { hard: { pods: '1', 'count/deployments.apps': '2', 'requests.nvidia.com/gpu': '1' } }, []],
    [
      'names and amounts',
      { hard: { nope: '1', pods: '1500m', cpu: '-1' } },
      [
        'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.hard[nope]: Invalid value: "nope": must be a standard resource for quota',
        'spec.hard[nope]: Invalid value: "nope": must be a standard resource type or fully qualified',
        'spec.hard[pods]: Invalid value: "1500m": must be an integer',
      ],
    ],
    [
      'scopes',
      { hard: { pods: '1', secrets: '1' }, scopes: ['BestEffort', 'NotBestEffort', 'X'] },
      ['conflicting scopes', 'unsupported scope', ...Array(2).fill('unsupported scope applied to resource')].map(
        (text) => `spec.scopes: Invalid value: ["BestEffort","NotBestEffort","X"]: ${text}`,
      ),
    ],
    [
      'selectors of scopes',
      {
        hard: { cpu: '1' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'BestEffort', operator: 'In', values: ['a'] },
            { scopeName: 'PriorityClass', operator: 'In' },
            { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] },
            { scopeName: 'X', operator: 'Y' },
          ],
        },
      },
      [
        `spec.scopeSelector.matchExpressions.operator: Invalid value: "In": ${EXISTS}`,
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "Y": not a valid selector operator',
        'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "X": unsupported scope',
        "spec.scopeSelector.matchExpressions.values: Invalid value: [\"a\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"BestEffort","Operator":"In","Values":["a"]},{"ScopeName":"PriorityClass","Operator":"In","Values":null},{"ScopeName":"PriorityClass","Operator":"Exists","Values":["a"]},{"ScopeName":"X","Operator":"Y","Values":null}]}: unsupported scope applied to resource',
      ],
    ],
    [
      'scopes that exclude each other',
      {
        hard: { pods: '1' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'Terminating', operator: 'Exists' },
            { scopeName: 'NotTerminating', operator: 'Exists' },
          ],
        },
      },
      ['spec.scopeSelector.matchExpressions: Invalid value: null: conflicting scopes'],
    ],
  ])('is validated: %s', (_name, spec, expected) => {
    expect(texts(validateResourceQuota(quota(spec)))).toEqual(expected);
  });

  it('keeps its scopes on update, in any order', () => {
    const old = quota({ scopes: ['Terminating', 'NotBestEffort'] });
    expect(validateResourceQuotaUpdate(quota({ scopes: ['NotBestEffort', 'Terminating'] }), old)).toEqual([]);
    expect(texts(validateResourceQuotaUpdate(quota({ scopes: ['Terminating'] }), old))).toEqual([
      'spec.scopes: Invalid value: ["Terminating"]: field is immutable',
    ]);
  });

  it('has a validated status', () => {
    const status = { hard: { pods: '1' }, used: { nope: '1' } };
    expect(texts(validateResourceQuotaStatusUpdate(quota({}, status), quota({})))).toEqual([
      'status.used[nope]: Invalid value: "nope": must be a standard resource for quota',
      'status.used[nope]: Invalid value: "nope": must be a standard resource type or fully qualified',
    ]);
  });

  it('has warnings about limits below requests', () => {
    expect(resourceQuotaWarnings(quota({ hard: { cpu: '2', 'limits.cpu': '1', 'requests.memory': '1Gi' } }))).toEqual([
      'ResourceQuota cpu (2) should be less than limits.cpu (1)',
    ]);
  });

  it('shows usage and hard limits in a table, requests and limits apart', () => {
    const status = { hard: { pods: '10', cpu: '2', 'limits.cpu': '4' }, used: { pods: '1' } };
    expect(resourceQuotaTable().cells(quota({}, status), 0).slice(0, 3)).toEqual([
      'x',
      'cpu: 0/2, pods: 1/10',
      'limits.cpu: 0/4',
    ]);
  });
});
