/** Static manifests of the four plugins, and requests that meet them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '../diff/request.ts';

const API_VERSION = 'admissionregistration.k8s.io/v1';
const GROUP = `/apis/${API_VERSION}`;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const EVERYTHING = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
const WRITES = { ...EVERYTHING, operations: ['CREATE', 'UPDATE'] };

type Labels = Readonly<Record<string, string>>;

const selecting = (labels: Labels): unknown => ({ matchLabels: labels });

function manifest(kind: string, name: string, rest: Record<string, unknown>): Record<string, unknown> {
  return { apiVersion: API_VERSION, kind, metadata: { name }, ...rest };
}

function validating(name: string, labels: Labels, action: string): unknown[] {
  return [
    manifest('ValidatingAdmissionPolicy', name, {
      spec: {
        matchConstraints: { resourceRules: [EVERYTHING], objectSelector: selecting(labels) },
        validations: [{ expression: 'false', message: `refused by ${name}` }],
      },
    }),
    manifest('ValidatingAdmissionPolicyBinding', name, { spec: { policyName: name, validationActions: [action] } }),
  ];
}

function mutating(name: string, labels: Labels): unknown[] {
  const expression = 'Object{metadata: Object.metadata{labels: {"by": "manifest"}}}';
  return [
    manifest('MutatingAdmissionPolicy', name, {
      spec: {
        reinvocationPolicy: 'Never',
        matchConstraints: { resourceRules: [WRITES], objectSelector: selecting(labels) },
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
      },
    }),
    manifest('MutatingAdmissionPolicyBinding', name, { spec: { policyName: name } }),
  ];
}

/** Nothing listens at its address. */
function webhooks(kind: string, name: string, labels: Labels): unknown {
  return manifest(kind, name, {
    webhooks: [
      {
        name: `fails.${name}`,
        clientConfig: { url: 'https://127.0.0.1:1/hook' },
        rules: [WRITES],
        objectSelector: selecting(labels),
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
}

function documents(objects: readonly unknown[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

/**
 * Writes the manifests into folders of `folder`. Returns the entries of the plugins in an AdmissionConfiguration. Those of
 * webhooks name the kubeconfig with the credentials.
 */
export function writeManifests(folder: string, kubeconfig: string): string {
  const files: Record<string, string> = {
    'MutatingAdmissionPolicy/a.yaml': documents(mutating('m.static.k8s.io', { mutate: 'manifest' })),
    'MutatingAdmissionWebhook/a.json': documents([
      webhooks('MutatingWebhookConfiguration', 'mw.static.k8s.io', { hook: 'mutating' }),
    ]),
    'ValidatingAdmissionPolicy/a.yaml': documents([
      ...validating('v.static.k8s.io', { guarded: 'deny' }, 'Deny'),
      ...validating('w.static.k8s.io', { guarded: 'warn' }, 'Warn'),
    ]),
    'ValidatingAdmissionWebhook/a.yml': documents([
      {
        apiVersion: 'v1',
        kind: 'List',
        items: [webhooks('ValidatingWebhookConfiguration', 'vw.static.k8s.io', { hook: 'validating' })],
      },
    ]),
  };
  const plugins = new Set<string>();
  for (const [path, text] of Object.entries(files)) {
    const [plugin = ''] = path.split('/');
    mkdirSync(join(folder, plugin), { recursive: true });
    writeFileSync(join(folder, path), text);
    plugins.add(plugin);
  }
  return [...plugins]
    .map((plugin) => {
      const isWebhook = plugin.endsWith('Webhook');
      const kind = isWebhook ? 'WebhookAdmissionConfiguration' : `${plugin}Configuration`;
      const settings = `staticManifestsDir: ${join(folder, plugin)}${isWebhook ? `, kubeConfigFile: ${kubeconfig}` : ''}`;
      return `- name: ${plugin}\n  configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: ${kind}, ${settings}}\n`;
    })
    .join('');
}

/** Makes the policies of a folder refuse what `RELOADED` creates. */
export function changeManifests(folder: string): void {
  writeFileSync(
    join(folder, 'ValidatingAdmissionPolicy/b.yaml'),
    documents(validating('later.static.k8s.io', { guarded: 'later' }, 'Deny')),
  );
}

/** Makes a file invalid. The policies that it had stay. */
export function breakManifests(folder: string): void {
  writeFileSync(join(folder, 'ValidatingAdmissionPolicy/b.yaml'), documents(validating('later', {}, 'Deny')));
}

function post(path: string, labels: Labels, name = 'x', rest: Record<string, unknown> = {}): Step {
  return { method: 'POST', path, body: { metadata: { name, labels }, ...rest } };
}

const configMap = (labels: Labels): Step => post(`${CONFIG_MAPS}?dryRun=All`, labels);

const POLICY = (validating('in-api', { nothing: 'x' }, 'Deny') as { spec: Record<string, unknown> }[])[0]?.spec;
const MUTATION = (mutating('in-api', { nothing: 'x' }) as { spec: Record<string, unknown> }[])[0]?.spec;
const KINDS: Readonly<Record<string, Record<string, unknown>>> = {
  validatingadmissionpolicies: { spec: POLICY },
  validatingadmissionpolicybindings: { spec: { policyName: 'v.static.k8s.io', validationActions: ['Deny'] } },
  mutatingadmissionpolicies: { spec: MUTATION },
  mutatingadmissionpolicybindings: { spec: { policyName: 'm.static.k8s.io' } },
  validatingwebhookconfigurations: { webhooks: [] },
  mutatingwebhookconfigurations: { webhooks: [] },
};

export const MANIFEST_STEPS: readonly Step[] = [
  ...[
    { guarded: 'deny' },
    { guarded: 'warn' },
    { mutate: 'manifest' },
    { hook: 'mutating' },
    { hook: 'validating' },
  ].map(configMap),
  ...Object.entries(KINDS).flatMap(([plural, rest]) => [
    post(`${GROUP}/${plural}?dryRun=All`, { guarded: 'deny' }, 'x', rest),
    post(`${GROUP}/${plural}?dryRun=All`, { hook: 'validating' }, 'x', rest),
    post(`${GROUP}/${plural}?dryRun=All`, { hook: 'mutating' }, 'x', rest),
    post(`${GROUP}/${plural}?dryRun=All`, { mutate: 'manifest' }, 'x', rest),
    post(`${GROUP}/${plural}?dryRun=All`, {}, 'x.static.k8s.io', rest),
  ]),
  {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { spec: { nonResourceAttributes: { path: '/x', verb: 'get' } } },
  },
];

/** Refused once the changed manifests are used. */
export const RELOADED: Step = configMap({ guarded: 'later' });
