import { describe, expect, it } from 'vitest';
import { attributesOf } from '../authorization.ts';
import { fakeRequest, userNamed } from '../filters.fixtures.ts';
import { parseAuditPolicy } from './audit-policy.ts';
import { compileAuditPolicy } from './audit-policy-match.ts';

const HEAD = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

describe('a policy file', () => {
  it('is YAML or JSON', () => {
    const yaml = `${HEAD}omitStages: [RequestReceived]\nrules:\n- level: Metadata\n  resources:\n  - group: ""\n    resources: [secrets]\n`;
    const json =
      '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","omitStages":["RequestReceived"],"rules":[{"level":"Metadata","resources":[{"resources":["secrets"]}]}]}';
    const parsed = parseAuditPolicy(yaml, 'p');
    expect(parsed).toEqual(parseAuditPolicy(json, 'p'));
    expect(parsed.policy.rules[0]?.resources).toEqual([{ group: '', resources: ['secrets'], resourceNames: [] }]);
    expect(parsed.warnings).toEqual([]);
  });

  it('may omit its kind, and has warnings for unknown fields', () => {
    const { warnings } = parseAuditPolicy('apiVersion: audit.k8s.io/v1\nrules:\n- level: None\n  user: [x]\n', 'p');
    expect(warnings).toEqual([
      'Audit policy contains errors, falling back to lenient decoding: strict decoding error: unknown field "rules[0].user"',
    ]);
  });

  // Texts of kube-apiserver 1.36.3.
  it.each([
    [HEAD, 'loaded illegal policy with 0 rules'],
    [
      `${HEAD}rules:\n- level: Foo\n- {}\n- level: None\n  nonResourceURLs: [foo, '/a*b']\n  resources: [{group: a/b, resourceNames: [x]}]\n  omitStages: [Bar]\nomitStages: [Baz]\n`,
      '[omitStages[0]: Invalid value: "Baz": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic, rules[0].level: Unsupported value: "Foo": supported values: "None", "Metadata", "Request", "RequestResponse", rules[1].level: Required value, rules[2].nonResourceURLs[0]: Invalid value: "foo": non-resource URL rules must begin with a \'/\' character, rules[2].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards \'*\' must be the final character of the rule, rules[2].resources.group: Invalid value: "a/b": ',
    ],
    [
      `${HEAD}rules:\n- level: None\n  users: foo\n`,
      'failed decoding: json: cannot unmarshal string into Go struct field PolicyRule.rules.users of type []string',
    ],
    [
      'apiVersion: audit.k8s.io/v1beta1\nkind: Policy\n',
      'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1"',
    ],
    ['a: [b', "failed decoding: yaml: line 1: did not find expected ',' or ']'"],
    ['', 'failed decoding: '],
    ['rules: []', 'unknown group version field'],
  ])('%j is refused', (text, message) => {
    expect(() => parseAuditPolicy(text, 'p.yaml')).toThrow(`loading audit policy file: ${message}`);
    expect(() => parseAuditPolicy(text, 'p.yaml')).toThrow(/: from file p\.yaml$/);
  });
});

describe('the rule for a request', () => {
  const bob = userNamed('bob', ['g1', 'g2']);
  const levelOf = (rule: string, target: string, method = 'GET'): string => {
    const { policy } = parseAuditPolicy(`${HEAD}rules:\n- ${rule}\n`, 'p');
    return compileAuditPolicy(policy)(attributesOf(bob, fakeRequest({ target, method }).info)).level;
  };
  const pods = '/api/v1/namespaces/a/pods';

  it.each([
    ['{level: Request}', '/x', true],
    ['{level: Request, users: [bob]}', '/x', true],
    ['{level: Request, users: [eve]}', '/x', false],
    ['{level: Request, userGroups: [g2]}', '/x', true],
    ['{level: Request, userGroups: [g3]}', '/x', false],
    ['{level: Request, verbs: [get]}', pods, false],
    ['{level: Request, verbs: [get, list]}', pods, true],
    ['{level: Request, namespaces: [a]}', pods, true],
    ['{level: Request, namespaces: [b]}', pods, false],
    ['{level: Request, namespaces: [""]}', '/api/v1/pods', true],
    ['{level: Request, namespaces: [""]}', '/x', false],
    ['{level: Request, resources: [{group: ""}]}', pods, true],
    ['{level: Request, resources: [{group: apps}]}', pods, false],
    ['{level: Request, resources: [{group: "*", resources: [pods]}]}', pods, true],
    ['{level: Request, resources: [{resources: [pods]}]}', `${pods}/p/log`, false],
    ['{level: Request, resources: [{resources: [pods/log]}]}', `${pods}/p/log`, true],
    ['{level: Request, resources: [{resources: ["pods/*"]}]}', `${pods}/p/log`, true],
    ['{level: Request, resources: [{resources: ["*/log"]}]}', `${pods}/p/log`, true],
    ['{level: Request, resources: [{resources: ["*/status"]}]}', `${pods}/p/log`, false],
    ['{level: Request, resources: [{resources: ["*"]}]}', `${pods}/p/log`, true],
    ['{level: Request, resources: [{resources: [pods], resourceNames: [p]}]}', `${pods}/p`, true],
    ['{level: Request, resources: [{resources: [pods], resourceNames: [q]}]}', `${pods}/p`, false],
    ['{level: Request, nonResourceURLs: ["/x/*"]}', '/x/y', true],
    ['{level: Request, nonResourceURLs: ["/x/*"]}', '/x', false],
    ['{level: Request, nonResourceURLs: ["*"]}', '/x', true],
    ['{level: Request, nonResourceURLs: ["*"]}', pods, false],
  ])('%s and %s', (rule, target, matches) => {
    expect(levelOf(rule, target)).toBe(matches ? 'Request' : 'None');
  });

  it('is the first one that matches; it adds omitted stages to those of the policy and overrides omitManagedFields', () => {
    const text = `${HEAD}omitStages: [Panic]\nomitManagedFields: true\nrules:\n- {level: Metadata, users: [bob], omitStages: [RequestReceived], omitManagedFields: false}\n- {level: Request}\n`;
    const decide = compileAuditPolicy(parseAuditPolicy(text, 'p').policy);
    const { info } = fakeRequest();
    expect(decide(attributesOf(bob, info))).toEqual({
      level: 'Metadata',
      omitStages: new Set(['Panic', 'RequestReceived']),
      omitManagedFields: false,
    });
    expect(decide(attributesOf(userNamed('eve'), info))).toMatchObject({ level: 'Request', omitManagedFields: true });
  });
});
