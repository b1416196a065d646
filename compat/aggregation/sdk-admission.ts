/** Policies and webhooks of the parent for the kind of an SDK server. The aggregator itself runs no admission. */

import type { UntypedObject } from '../../src/client/object-types.ts';
import { untypedKind } from '../../src/client/untyped-kind.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import {
  denied,
  mutating,
  serveWebhooks,
  validating,
  type WebhookServer,
  webhookConfigurations,
} from '../../src/webhook/index.ts';
import type { Script } from '../kubectl/script.ts';
import { $, fails } from './lines.ts';

const ACCOUNT: Kind<UntypedObject, 'Namespaced'> = untypedKind({
  group: 'bank.example.com',
  version: 'v1',
  kind: 'Account',
  plural: 'accounts',
  scope: 'Namespaced',
});

const HOOKS = {
  name: 'guard.example.com',
  mutate: [
    mutating(ACCOUNT, ({ object }) => ({ ...object, metadata: { ...object.metadata, labels: { seen: 'yes' } } })),
  ],
  validate: [
    validating(ACCOUNT, ({ object }) => {
      if (object.metadata?.name === 'closed') throw denied(`labelled ${object.metadata.labels?.['seen']}`);
      return [];
    }),
  ],
};

/** The webhooks that both servers, and the SDK servers behind them, call. */
export function startGuard(): Promise<WebhookServer> {
  return serveWebhooks(HOOKS);
}

const POLICY = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limits.bank.example.com}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [bank.example.com], apiVersions: ['*'], resources: [accounts], operations: [CREATE]}]
  validations:
  - expression: "object.metadata.name.size() <= int(params.data.longest)"
    messageExpression: "'a name has at most ' + params.data.longest + ' letters'"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limits.bank.example.com}
spec:
  policyName: limits.bank.example.com
  validationActions: [Deny]
  paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: limits, namespace: default}
data: {longest: '8'}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: bank-limits}
rules: [{apiGroups: [''], resources: [configmaps], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: bank-limits}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: bank-limits}
subjects: [{kind: ServiceAccount, namespace: bank, name: bank}]
`;

const MUTATION = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: currencies.bank.example.com}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules: [{apiGroups: [bank.example.com], apiVersions: ['*'], resources: [accounts], operations: [CREATE]}]
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{spec: Object.spec{currency: object.spec.currency + '!'}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: currencies.bank.example.com}
spec: {policyName: currencies.bank.example.com}
`;

export function sdkAdmission({ url, ca }: WebhookServer): Script {
  const configurations = webhookConfigurations(HOOKS, { address: { url }, ca });
  const account = (name: string): string => `apiVersion: bank.example.com/v1
kind: Account
metadata: {name: ${name}}
spec: {owner: ann}
`;
  return {
    name: 'sdk-admission',
    files: {
      'policy.yaml': POLICY,
      'mutation.yaml': MUTATION,
      'webhooks.json': JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [configurations.mutating, configurations.validating],
      }),
      'short.yaml': account('short'),
      'long.yaml': account('much-too-long'),
      'closed.yaml': account('closed'),
    },
    steps: [
      $('create -f long.yaml --dry-run=server'),
      $('apply -f policy.yaml', { unscoped: true }),
      // SDK servers hear of configurations by a watch, a moment later.
      fails('create -f long.yaml --dry-run=server', { retryUntil: 1 }),
      $('create -f short.yaml --dry-run=server -o jsonpath={.metadata.labels}'),
      $('create -f webhooks.json', { unscoped: true }),
      fails('create -f closed.yaml --dry-run=server', { retryUntil: 1 }),
      $('create -f short.yaml -o jsonpath={.metadata.labels}'),
      fails('apply --server-side -f closed.yaml'),
      $('delete -f webhooks.json', { unscoped: true }),
      $('create -f closed.yaml --dry-run=server', { retryUntil: 0 }),
      $('apply -f mutation.yaml', { unscoped: true }),
      // The policy makes the currency one that the schema does not have.
      fails('create -f closed.yaml --dry-run=server', { retryUntil: 1 }),
      $('delete -f mutation.yaml', { unscoped: true }),
      $('delete -f policy.yaml', { unscoped: true }),
      $('create -f long.yaml --dry-run=server', { retryUntil: 0 }),
      $('delete acc short'),
    ],
  };
}
