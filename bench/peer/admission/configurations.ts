/** The configurations that the benchmark installs: webhooks, and hooks of every kind that match no ConfigMap. */
import { ask, type Side } from '../side.ts';
import type { WebhookServer } from './webhook-server.ts';

export const GROUP = '/apis/admissionregistration.k8s.io/v1';

const OTHERS = {
  apiGroups: ['apps', 'batch', 'networking.k8s.io'],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['deployments', 'cronjobs', 'ingresses'],
};

/** Installs `count` configurations of alternating kinds. None is for ConfigMaps. */
export async function installOthers(side: Side, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const name = `other-${i}`;
    if (i % 3 === 0) await installPolicy(side, name);
    else await ask(side, 'POST', `${GROUP}/${COLLECTIONS[i % 3]}`, { metadata: { name }, webhooks: [webhook(name)] });
  }
}

const COLLECTIONS = ['', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations'];

async function installPolicy(side: Side, name: string): Promise<void> {
  await ask(side, 'POST', `${GROUP}/validatingadmissionpolicies`, {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [OTHERS] },
      validations: [{ expression: 'has(object.metadata.labels)' }],
    },
  });
  await ask(side, 'POST', `${GROUP}/validatingadmissionpolicybindings`, {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  });
}

function webhook(name: string): object {
  return {
    name: `${name}.example.com`,
    clientConfig: { url: 'https://127.0.0.1:1/never' },
    rules: [OTHERS],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
}

/** Installs one mutating and one validating webhook for the ConfigMaps of a namespace. */
export async function installWebhooks(side: Side, server: WebhookServer, namespace: string): Promise<void> {
  const { url, caBundle } = server;
  for (const [kind, path] of [
    ['mutating', '/mutate'],
    ['validating', '/validate'],
  ] as const)
    await ask(side, 'POST', `${GROUP}/${kind}webhookconfigurations`, {
      metadata: { name: 'bench' },
      webhooks: [
        {
          name: `${kind}.example.com`,
          clientConfig: { url: `${url}${path}`, caBundle },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
}
