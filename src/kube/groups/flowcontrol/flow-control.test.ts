/** FlowSchema and PriorityLevelConfiguration. Expected issues are recorded from kube-apiserver. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { texts } from '../../shared/issues.fixtures.ts';
import { setFlowSchemaDefaults, validateFlowSchema } from './flow-schema.ts';
import { setPriorityLevelDefaults, validatePriorityLevel } from './priority-level-configuration.ts';

const RESOURCES = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] };
const RULE: JsonObject = { subjects: [{ kind: 'User', user: { name: 'joe' } }], resourceRules: [RESOURCES] };

describe('FlowSchema', () => {
  it.each<[string, JsonObject, string[]]>([
    ['with a rule', {}, []],
    [
      'rejects a precedence below one',
      { matchingPrecedence: -1 },
      ['spec.matchingPrecedence: Invalid value: -1: must be a positive value'],
    ],
    [
      'rejects a precedence above the maximum',
      { matchingPrecedence: 10_001 },
      ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000'],
    ],
    [
      'rejects the precedence of the schema exempt',
      { matchingPrecedence: 1 },
      ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    ],
    [
      'rejects an unknown distinguisher method',
      { distinguisherMethod: { type: 'X' } },
      ['spec.distinguisherMethod.type: Unsupported value: {"Type":"X"}: supported values: "ByNamespace", "ByUser"'],
    ],
    [
      'requires a priority level',
      { priorityLevelConfiguration: { name: '' } },
      ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
    ],
    [
      'rejects an empty rule',
      { rules: [{}] },
      [
        'spec.rules[0].subjects: Required value: subjects must contain at least one value',
        'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
      ],
    ],
    [
      'rejects invalid subjects',
      {
        rules: [
          {
            ...RULE,
            subjects: [
              { kind: 'X' },
              { kind: 'User', user: { name: '' }, group: { name: 'g' } },
              { kind: 'Group' },
              { kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: '' }, user: { name: 'x' } },
            ],
          },
        ],
      },
      [
        'spec.rules[0].subjects[0].kind: Unsupported value: "X": supported values: "Group", "ServiceAccount", "User"',
        "spec.rules[0].subjects[1].group: Forbidden: group is forbidden when subject kind is not 'Group'",
        'spec.rules[0].subjects[1].user.name: Required value',
        "spec.rules[0].subjects[2].group: Required value: group is required when subject kind is 'Group'",
        'spec.rules[0].subjects[3].serviceAccount.namespace: Required value: must specify namespace for service account',
        "spec.rules[0].subjects[3].user: Forbidden: user is forbidden when subject kind is not 'User'",
      ],
    ],
    [
      'rejects invalid resource rules',
      {
        rules: [
          {
            ...RULE,
            resourceRules: [
              {},
              { verbs: ['*', 'get'], apiGroups: ['*', 'a'], resources: ['*', 'b'], namespaces: ['*', 'c'] },
              { ...RESOURCES, verbs: ['fly'] },
            ],
          },
        ],
      },
      [
        'spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group',
        'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
        'spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at least one resource',
        'spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value',
        `spec.rules[0].resourceRules[1].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other api groups`,
        `spec.rules[0].resourceRules[1].namespaces: Invalid value: ["*","c"]: if '*' is present, must not specify other namespaces`,
        `spec.rules[0].resourceRules[1].resources: Invalid value: ["*","b"]: if '*' is present, must not specify other resources`,
        `spec.rules[0].resourceRules[1].verbs: Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`,
        'spec.rules[0].resourceRules[2].verbs: Unsupported value: ["fly"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      ],
    ],
    [
      'rejects invalid non-resource URLs',
      {
        rules: [
          {
            ...RULE,
            nonResourceRules: [
              { verbs: ['get'], nonResourceURLs: ['*', '/a'] },
              { verbs: ['get'], nonResourceURLs: ['', 'a', '/a b', '/a//b', '/a*', '/*/b', '/ok/*', '/'] },
            ],
          },
        ],
      },
      [
        `spec.rules[0].nonResourceRules[0].nonResourceURLs: Invalid value: ["*","/a"]: if '*' is present, must not specify other non-resource URLs`,
        'spec.rules[0].nonResourceRules[1].nonResourceURLs[0]: Invalid value: "": must not be empty',
        'spec.rules[0].nonResourceRules[1].nonResourceURLs[1]: Invalid value: "a": must start with slash',
        'spec.rules[0].nonResourceRules[1].nonResourceURLs[2]: Invalid value: "/a b": must not contain white-space',
        'spec.rules[0].nonResourceRules[1].nonResourceURLs[3]: Invalid value: "/a//b": must not contain double slash',
        'spec.rules[0].nonResourceRules[1].nonResourceURLs[4]: Invalid value: "/a*": wildcard can only do suffix matching',
        'spec.rules[0].nonResourceRules[1].nonResourceURLs[5]: Invalid value: "/*/b": wildcard can only do suffix matching',
      ],
    ],
  ])('%s', (_name, change, expected) => {
    const spec = { priorityLevelConfiguration: { name: 'p' }, rules: [RULE], ...change };
    const schema: JsonObject = { metadata: { name: 'x' }, spec };
    setFlowSchemaDefaults(schema);
    expect(texts(validateFlowSchema(schema))).toEqual(expected);
  });
});

describe('PriorityLevelConfiguration', () => {
  const RESPONSE = 'spec.limited.limitResponse';

  it.each<[string, JsonObject, string[]]>([
    ['requires a type', {}, ['spec.type: Required value']],
    [
      'rejects an unknown type',
      { type: 'X' },
      ['spec.type: Unsupported value: "X": supported values: "Exempt", "Limited"'],
    ],
    [
      'rejects the type Exempt for another name than exempt',
      { type: 'Exempt' },
      ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
    ],
    [
      'requires limited for the type Limited',
      { type: 'Limited', exempt: {} },
      [
        'spec.exempt: Forbidden: must be nil if the type is Limited',
        'spec.limited: Required value: must not be empty when type is Limited',
      ],
    ],
    [
      'rejects numbers out of range',
      {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: -1,
          lendablePercent: 101,
          borrowingLimitPercent: -1,
          limitResponse: { type: 'Queue' },
        },
      },
      [
        'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
        'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
        `${RESPONSE}.queuing: Required value: must not be empty if limited.limitResponse.type is Limited`,
        'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      ],
    ],
    [
      'rejects queuing with the response type Reject',
      { type: 'Limited', limited: { limitResponse: { type: 'Reject', queuing: {} } } },
      [`${RESPONSE}.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited`],
    ],
    [
      'rejects a hand size that needs too many hash bits',
      { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues: 10_000_001, handSize: 3 } } } },
      [
        `${RESPONSE}.queuing.handSize: Invalid value: 3: required entropy bits of deckSize 10000001 and handSize 3 should not be greater than 60`,
        `${RESPONSE}.queuing.queues: Invalid value: 10000001: must not be greater than 10000000`,
      ],
    ],
    [
      'rejects fewer queues than the hand size',
      { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues: 4 } } } },
      [`${RESPONSE}.queuing.handSize: Invalid value: 8: should not be greater than queues (4)`],
    ],
  ])('%s', (_name, spec, expected) => {
    const level: JsonObject = { metadata: { name: 'x' }, spec };
    setPriorityLevelDefaults(level);
    expect(texts(validatePriorityLevel(level))).toEqual(expected);
  });

  it('has defaults', () => {
    const limited = { borrowingLimitPercent: 5, limitResponse: { type: 'Queue', queuing: {} } };
    const level: JsonObject = { metadata: { name: 'x' }, spec: { type: 'Limited', limited } };
    setPriorityLevelDefaults(level);
    expect(level['spec']).toEqual({
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 30,
        limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
        lendablePercent: 0,
        borrowingLimitPercent: 5,
      },
    });
  });
});
