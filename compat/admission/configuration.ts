/**
 * Compares the plugins that `--admission-control-config-file` configures, and the type checking of policies, with the
 * reference. The status of ValidatingAdmissionPolicies is that of kube-controller-manager beside our loop.
 *
 * usage: configuration.ts [--self]
 *   --self    compares two references
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ask, type Client, createClient } from '../diff/client.ts';
import type { Step } from '../diff/request.ts';
import { startControllerManager } from '../peers/controller-manager.ts';
import { onFreshPair, type Pair } from '../peers/pair.ts';
import { type CredentialHooks, startCredentialHooks } from './credentials.ts';
import { breakManifests, changeManifests, MANIFEST_STEPS, RELOADED, writeManifests } from './static-manifests.ts';

const LOOP = 'validatingadmissionpolicy-status-controller';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const WAITS = 100;
const WAIT_MS = 100;
/** The beginning of the answer to a create that no webhook saw. */
const UNHOOKED = JSON.stringify([201, ''], undefined, 1).slice(0, -2);
const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

const CONFIGURATION = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: Unknown
- name: PodSecurity
  path: pod-security.yaml
- name: PodNodeSelector
  path: node-selectors.yaml
- name: PodTolerationRestriction
  configuration:
    apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1
    kind: Configuration
    default: [{key: spot, operator: Exists}]
    whitelist: [{key: spot, operator: Exists}, {key: node.kubernetes.io/memory-pressure, operator: Exists}]
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources:
    - {resource: secrets, matchContains: [count/secrets]}
    - {resource: pods, matchScopes: [{scopeName: PriorityClass, operator: In, values: [high]}]}
- name: EventRateLimit
  configuration:
    apiVersion: eventratelimit.admission.k8s.io/v1alpha1
    kind: Configuration
    limits:
    - {type: Namespace, qps: 1, burst: 2}
    - {type: SourceAndObject, qps: 1, burst: 1}
`;
const NODE_SELECTORS = `
podNodeSelectorPluginConfig:
  clusterDefaultNodeSelector: zone=a
  plain: zone=a,disk=ssd
`;
const POD_SECURITY = `
apiVersion: pod-security.admission.config.k8s.io/v1
kind: PodSecurityConfiguration
defaults: {enforce: baseline, warn: restricted, warn-version: v1.30}
exemptions: {namespaces: [free], runtimeClasses: [gvisor]}
`;

function post(path: string, body: Record<string, unknown>): Step {
  return { method: 'POST', path, body };
}

function namespace(name: string, labels: Record<string, string> = {}): Step {
  return post('/api/v1/namespaces', { metadata: { name, labels } });
}

function pod(inNamespace: string, spec: Record<string, unknown>): Step {
  const containers = [{ name: 'c', image: 'i' }];
  const body = { metadata: { name: 'p' }, spec: { containers, ...spec } };
  return post(`/api/v1/namespaces/${inNamespace}/pods?dryRun=All`, body);
}

function event(inNamespace: string, name: string, component: string, query = ''): Step {
  const involvedObject = { kind: 'Pod', namespace: inNamespace, name: 'p' };
  const body = { metadata: { name, namespace: inNamespace }, involvedObject, source: { component } };
  return post(`/api/v1/namespaces/${inNamespace}/events${query}`, body);
}

const label = (mode: string, level: string): Record<string, string> => ({
  [`pod-security.kubernetes.io/${mode}`]: level,
});
const runtimeClass = post('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'gvisor' }, handler: 'runsc' });

const HIGH = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] };

function secret(inNamespace: string): Step {
  return post(`/api/v1/namespaces/${inNamespace}/secrets?dryRun=All`, { metadata: { name: 's' } });
}

/** Creates a quota and its status, which kube-controller-manager would write. */
function quota(inNamespace: string, hard: Record<string, string>, spec: Record<string, unknown>): Step[] {
  const name = Object.keys(hard).join('').replace('/', '-');
  const path = `/api/v1/namespaces/${inNamespace}/resourcequotas`;
  const used = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']));
  const body = { metadata: { name }, spec: { hard, ...spec } };
  return [
    post(path, body),
    { method: 'PUT', path: `${path}/${name}/status`, body: { ...body, status: { hard, used } } },
  ];
}

const STEPS: readonly Step[] = [
  namespace('plain'),
  namespace('open', label('enforce', 'privileged')),
  namespace('free', { ...label('enforce', 'restricted'), ...label('audit', 'baseline') }),
  namespace('old', { ...label('enforce', 'baseline'), ...label('enforce-version', 'v1.20') }),
  runtimeClass,
  post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 1 }),
  ...quota('open', { 'count/secrets': '5' }, {}),
  ...quota('open', { pods: '5' }, { scopeSelector: { matchExpressions: [HIGH] } }),
  ...['plain', 'open', 'free', 'old'].flatMap((name) => [
    pod(name, {}),
    pod(name, { hostNetwork: true }),
    pod(name, { hostNetwork: true, runtimeClassName: 'gvisor' }),
  ]),
  {
    method: 'PATCH',
    path: '/api/v1/namespaces/free',
    type: 'application/merge-patch+json',
    body: { metadata: { labels: label('enforce', 'baseline') } },
  },
  ...['plain', 'open'].flatMap((name) => [
    pod(name, { nodeSelector: { disk: 'ssd' } }),
    pod(name, { nodeSelector: { disk: 'hdd' } }),
    pod(name, { nodeSelector: { zone: 'b' } }),
    pod(name, { tolerations: [{ key: 'spot', value: 'x' }] }),
    pod(name, { tolerations: [{ key: 'other', operator: 'Exists' }] }),
    pod(name, { priorityClassName: 'high' }),
    secret(name),
  ]),
  event('plain', 'a', 'one'),
  event('plain', 'b', 'one'),
  event('plain', 'c', 'two', '?dryRun=All'),
  event('plain', 'd', 'two'),
  event('open', 'a', 'one'),
  event('open', 'b', 'two'),
  event('open', 'c', 'three'),
];

const rule = (apiGroups: readonly string[], resources: readonly string[]): unknown => ({
  apiGroups,
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources,
});

const TYPE_CHECKED: Readonly<Record<string, Record<string, unknown>>> = {
  kinds: {
    matchConstraints: { resourceRules: [rule(['apps', ''], ['deployments', 'pods', 'pods/status', 'nothing'])] },
    variables: [
      { name: 'replicas', expression: 'object.spec.replicas' },
      { name: 'bad', expression: 'object.nothing' },
    ],
    validations: [
      { expression: 'object.foo > 1', messageExpression: 'string(object.spec.bar)' },
      { expression: "variables.replicas == 'x'" },
      { expression: 'variables.bad == 1' },
      { expression: 'object.spec.template.spec.containers.all(c, c.image == 1)' },
    ],
  },
  types: {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConstraints: { resourceRules: [rule([''], ['pods', 'services', 'secrets']), rule(['*'], ['deployments'])] },
    validations: [
      "params.data.x == 'a' && params.nothing == 1",
      "object.spec.containers.all(c, c.resources.limits.cpu == '1')",
      "object.spec.containers[0].livenessProbe.httpGet.port == 'a'",
      "object.metadata.creationTimestamp == 'a'",
      "object.metadata.managedFields[0].fieldsV1.x == 'a'",
      "object.metadata.labels.a == 1 || object.spec.ports[0].port == 'x'",
      "object.data.x == 'a'",
      'object.spec.__namespace__ == 1',
    ].map((expression) => ({ expression })),
  },
  'two-groups': {
    matchConstraints: { resourceRules: [rule([''], ['events', 'namespaces'])] },
    validations: [{ expression: 'object.series.x == 1' }],
  },
  definitions: {
    matchConstraints: { resourceRules: [rule(['apiextensions.k8s.io'], ['customresourcedefinitions'])] },
    validations: [
      { expression: "object.spec.versions[0].schema.openAPIV3Schema.items == 'x'" },
      { expression: "object.spec.versions[0].schema.openAPIV3Schema.properties.a.type == 'x'" },
      { expression: 'object.spec.versions[0].schema.openAPIV3Schema.minimum == 1' },
    ],
  },
  wildcard: {
    matchConstraints: { resourceRules: [rule(['*'], ['pods'])] },
    validations: [{ expression: 'object.x == 1' }],
  },
};

interface ShownObject {
  readonly kind?: string;
  readonly metadata?: { readonly labels?: object };
  readonly spec?: { readonly nodeSelector?: object; readonly tolerations?: unknown };
}

/** The parts of an answer that both servers must agree on. */
async function shown(client: Client, step: Step): Promise<string> {
  const { status, headers, text } = await ask(client, step, NO_VARIABLES);
  const body = JSON.parse(text) as ShownObject;
  const { nodeSelector, tolerations } = body.spec ?? {};
  const [labels, selector] = [body.metadata?.labels, nodeSelector].map((map) => Object.entries(map ?? {}).sort());
  const answer = body.kind === 'Status' ? body : [body.kind, labels, selector, tolerations];
  return JSON.stringify([status, headers['warning'] ?? '', answer], undefined, 1);
}

/** Waits until a server uses the changed manifests. Returns its answer. */
async function reloaded(client: Client): Promise<string> {
  for (let i = 0; i < WAITS; i++) {
    const answer = await shown(client, RELOADED);
    if (!answer.startsWith('[\n 201')) return answer;
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error(`${client.peer.name} does not read the changed manifests`);
}

async function typeChecking(client: Client): Promise<string> {
  for (const [name, spec] of Object.entries(TYPE_CHECKED))
    await ask(client, post(POLICIES, { metadata: { name }, spec }), NO_VARIABLES);
  for (let i = 0; i < WAITS; i++) {
    const { text } = await ask(client, { method: 'GET', path: POLICIES }, NO_VARIABLES);
    const { items } = JSON.parse(text) as { items: { metadata: { name: string }; status?: Record<string, unknown> }[] };
    if (
      items.length === Object.keys(TYPE_CHECKED).length &&
      items.every(({ status }) => status?.['observedGeneration'] === 1)
    )
      return JSON.stringify(
        items.map(({ metadata, status }) => [metadata.name, status]),
        undefined,
        1,
      );
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error(`${client.peer.name} does not write the status of policies`);
}

/** Sends a create until the configuration of webhooks is in force, which adds a warning or refuses it. */
async function hooked(client: Client, step: Step): Promise<string> {
  for (let i = 0; i < WAITS; i++) {
    const answer = await shown(client, step);
    if (!answer.startsWith(UNHOOKED)) return answer;
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error(`${client.peer.name} does not call the webhooks`);
}

async function compare(
  { reference, candidate }: Pair,
  manifests: string,
  hooks: CredentialHooks,
): Promise<{ readonly cases: number; readonly differences: string[] }> {
  const [ours, theirs] = [createClient(candidate), createClient(reference)];
  const differences: string[] = [];
  let cases = Object.keys(TYPE_CHECKED).length + 2;
  const note = (what: string, left: string, right: string): void => {
    if (left !== right) differences.push(`${what}\n  reference: ${left}\n  candidate: ${right}`);
  };
  try {
    const steps = [...STEPS, ...MANIFEST_STEPS];
    for (const step of steps) {
      const [left, right] = await Promise.all([shown(theirs, step), shown(ours, step)]);
      note(`${step.method} ${step.path} ${JSON.stringify(step.body)}`, left, right);
      cases++;
    }
    changeManifests(manifests);
    note('changed manifests', await reloaded(theirs), await reloaded(ours));
    breakManifests(manifests);
    note('broken manifests', await shown(theirs, RELOADED), await shown(ours, RELOADED));
    for (const client of [theirs, ours]) for (const step of hooks.registration) await ask(client, step, NO_VARIABLES);
    for (const step of hooks.cases) {
      const [left, right] = await Promise.all([hooked(theirs, step), hooked(ours, step)]);
      note(`credentials of webhooks: ${JSON.stringify(step.body)}`, left, right);
      cases++;
    }
    const [left, right] = await Promise.all([typeChecking(theirs), typeChecking(ours)]);
    note('status of policies', left, right);
  } finally {
    ours.close();
    theirs.close();
  }
  return { cases, differences };
}

const { values } = parseArgs({ options: { self: { type: 'boolean', default: false } } });
const folder = mkdtempSync(join(tmpdir(), 'compat-admission-'));
const hooks = await startCredentialHooks();
try {
  const file = join(folder, 'admission.yaml');
  const manifests = join(folder, 'manifests');
  const kubeconfig = join(folder, 'webhooks.kubeconfig');
  writeFileSync(file, CONFIGURATION + writeManifests(manifests, kubeconfig));
  writeFileSync(kubeconfig, hooks.kubeconfig);
  writeFileSync(join(folder, 'pod-security.yaml'), POD_SECURITY);
  writeFileSync(join(folder, 'node-selectors.yaml'), NODE_SELECTORS);
  const flags = [
    `--admission-control-config-file=${file}`,
    '--enable-admission-plugins=EventRateLimit,PodNodeSelector,PodTolerationRestriction',
    '--disable-admission-plugins=ServiceAccount,DefaultTolerationSeconds',
    '--feature-gates=ManifestBasedAdmissionControlConfig=true',
  ];
  const { cases, differences } = await onFreshPair(
    values.self ? 'reference' : { controllers: LOOP },
    flags,
    async (pair) => {
      const peers = values.self ? [pair.reference, pair.candidate] : [pair.reference];
      const managers = await Promise.all(peers.map((peer) => startControllerManager(peer, [LOOP])));
      try {
        return await compare(pair, manifests, hooks);
      } finally {
        await Promise.all(managers.map((manager) => manager.stop()));
      }
    },
  );
  for (const difference of differences) console.log(difference);
  console.log(`admission configuration: ${cases} cases, ${differences.length} differences`);
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await hooks.stop();
  rmSync(folder, { recursive: true, force: true });
}
