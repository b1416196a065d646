import { describe, expect, it } from 'vitest';
import type { ManifestPlugin } from '../../../admission/manifests/manifest-objects.ts';
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { textAt } from '../../../apimachinery/meta/object-fields.ts';
import { decodeManifests } from './decode-manifests.ts';

const HEAD = 'apiVersion: admissionregistration.k8s.io/v1';
const RULES = '[{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]';

function policy(name: string, spec = ''): string {
  return `${HEAD}
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}}
spec: {matchConstraints: {resourceRules: ${RULES}}, validations: [{expression: "true"}]${spec}}
`;
}

function binding(name: string, spec: string): string {
  return `${HEAD}\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: ${name}}\nspec: {validationActions: [Deny], ${spec}}\n`;
}

function webhook(clientConfig: string): string {
  return `${HEAD}
kind: ValidatingWebhookConfiguration
metadata: {name: w.static.k8s.io}
webhooks: [{name: a.b.c, sideEffects: None, admissionReviewVersions: [v1], rules: ${RULES}, clientConfig: ${clientConfig}}]
`;
}

const decode = (text: string, plugin: ManifestPlugin = 'ValidatingAdmissionPolicy') =>
  decodeManifests(plugin, [{ path: '/m/a.yaml', text }]);

describe('manifest files', () => {
  it('have objects with defaults, alone, in documents and in lists', () => {
    const item = JSON.stringify({
      metadata: { name: 'c.static.k8s.io' },
      spec: { policyName: 'a.static.k8s.io', validationActions: ['Deny'] },
    });
    const decoded = decodeManifests('ValidatingAdmissionPolicy', [
      {
        path: '/m/a.yaml',
        text: `# only a comment\n---\n${policy('a.static.k8s.io')}---\n${policy('b.static.k8s.io')}`,
      },
      {
        path: '/m/b.json',
        text: `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBindingList", "items": [${item}]}]}`,
      },
    ]);
    if (!decoded.ok) expect.unreachable(decoded.problem);
    expect(decoded.objects.map((object) => `${textAt(object, 'kind')} ${nameOf(object)}`)).toEqual([
      'ValidatingAdmissionPolicy a.static.k8s.io',
      'ValidatingAdmissionPolicy b.static.k8s.io',
      'ValidatingAdmissionPolicyBinding c.static.k8s.io',
    ]);
    expect(decoded.objects[0]).toMatchObject({ spec: { failurePolicy: 'Fail' } });
  });

  it.each([
    [policy('a'), 'ValidatingAdmissionPolicy "a": metadata.name: Invalid value: "a": must end with ".static.k8s.io"'],
    [policy('""'), 'ValidatingAdmissionPolicy "": metadata.name: Required value'],
    [policy('a.static.k8s.io', ', foo: 1'), 'strict decoding error: unknown field "spec.foo"'],
    [policy('a.static.k8s.io', ', variables: [{name: x, expression: "1 +"}]'), 'spec.variables[0].expression: Invalid'],
    [policy('a.static.k8s.io', ', failurePolicy: 1'), 'cannot unmarshal number'],
    [
      policy('a.static.k8s.io', ', paramKind: {apiVersion: v1, kind: ConfigMap}'),
      'spec.paramKind: Forbidden: not supported in static manifests',
    ],
    [
      `${policy('a.static.k8s.io')}---\n${policy('a.static.k8s.io')}`,
      'metadata.name: /m/a.yaml has an object of the same name',
    ],
    [binding('b.static.k8s.io', 'policyName: p'), 'spec.policyName: Invalid value: "p": must end with'],
    [
      binding('b.static.k8s.io', 'policyName: p.static.k8s.io'),
      'spec.policyName: Invalid value: "p.static.k8s.io": there is no such policy in the folder',
    ],
    [
      binding('b.static.k8s.io', 'policyName: p.static.k8s.io, paramRef: {name: x, parameterNotFoundAction: Deny}'),
      'spec.paramRef: Forbidden',
    ],
    [policy('a.static.k8s.io').replace('/v1', '/v1beta1'), 'cannot use kind "ValidatingAdmissionPolicy" of'],
    [webhook('{url: "https://x/"}'), 'cannot use kind "ValidatingWebhookConfiguration"'],
    ['a: [', 'did not find'],
    ['- 1', 'a manifest must be an object'],
  ])('are refused with the file, the object and the field: %#', (text, problem) => {
    const decoded = decode(text);
    if (decoded.ok) expect.unreachable();
    expect(decoded.problem).toContain('/m/a.yaml: ');
    expect(decoded.problem).toContain(problem);
  });

  it('have webhooks with a URL only', () => {
    const plugin = 'ValidatingAdmissionWebhook';
    expect(decode(webhook('{url: "https://x/"}'), plugin).ok).toBe(true);
    expect(decode(webhook('{service: {name: s, namespace: ns}}'), plugin)).toMatchObject({
      problem: expect.stringContaining(
        'webhooks[0].clientConfig.service: Forbidden: not supported in static manifests',
      ),
    });
    expect(decode(webhook('{url: "https://x/"}'), 'MutatingAdmissionWebhook').ok).toBe(false);
  });
});
