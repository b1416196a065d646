/** The original metrics-server with fake kubelets, so that `kubectl top` works. */
import { join } from 'node:path';
import type { StepResult } from '../kubectl/run.ts';
import type { Script } from '../kubectl/script.ts';
import type { Pair } from '../peers/pair.ts';
import { program } from '../peers/programs.ts';
import {
  delegationFlags,
  type ServingCertificates,
  serviceAccountKubeconfig,
  startBackend,
  writePair,
} from './backend.ts';
import { type NodeUsage, startFakeKubelets } from './fake-kubelet.ts';
import { $, fails } from './lines.ts';
import { accountObjects, apiService, availability, roleObjects, serviceObject } from './registration.ts';
import { Sides } from './sides.ts';

const SERVER = { namespace: 'metrics', service: 'metrics-server', account: 'metrics-server' };
/** The rights of manifests/base/rbac.yaml of its module. */
const RULES = `
- {apiGroups: [''], resources: [nodes/metrics], verbs: [get]}
- {apiGroups: [''], resources: [pods, nodes], verbs: [get, list, watch]}`;
const MI = 1024 * 1024;
const POD_NAMESPACE = 'kubectl-metrics-registered';

function pod(name: string, cores: number, mebibytes: number): NodeUsage['pods'][number] {
  return { namespace: POD_NAMESPACE, pod: name, container: 'main', cores, bytes: mebibytes * MI };
}

// kubectl rounds up to milli-cores. The rates lie just below one, so that errors of rounding do not show.
const NODES: readonly NodeUsage[] = [
  { name: 'node-a', cores: 0.2495, bytes: 1000 * MI, pods: [pod('web', 0.0995, 64), pod('db', 0.0495, 256)] },
  { name: 'node-b', cores: 0.4995, bytes: 500 * MI, pods: [pod('cache', 0.0005, 16)] },
];

function podObject(name: string, node: string): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name}}}
spec: {nodeName: ${node}, containers: [{name: main, image: nginx}]}
`;
}

const NODE_OBJECTS = NODES.map(({ name }) => `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}}\n`).join('---\n');
const POD_OBJECTS = NODES.flatMap(({ name, pods }) => pods.map(({ pod }) => podObject(pod, name))).join('---\n');

/** The metrics that the kubelet of a node reports about itself: `{{name}}-port` is the port of its metrics. */
function nodeStatus(name: string): string {
  return JSON.stringify({
    status: {
      capacity: { cpu: '2', memory: '4Gi', pods: '110' },
      allocatable: { cpu: '2', memory: '4Gi', pods: '110' },
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }],
    },
  }).replace('"Port":0', `"Port":{{${name}-port}}`);
}

const API = 'v1beta1.metrics.k8s.io';
/** Usage changes with the time; its form does not. */
const withoutTimes = (text: string): string =>
  text.replace(/"timestamp":"[^"]*"/g, '"timestamp":"<time>"').replace(/"window":"[^"]*"/g, '"window":"<window>"');
/** Rows of NodeMetrics without their columns: a CPU quantity is printed in the largest unit that is exact (n, u or m). */
const withoutNodeUsage = (text: string): string => text.replace(/^(node-\S+)[ \t]+\d.*$/gm, '$1 <usage>');
const withoutUsage = (text: string): string => withoutTimes(text).replace(/"cpu":"[^"]*"/g, '"cpu":"<cores>"');

const REGISTERED: Script = {
  name: 'metrics-registered',
  files: {
    'account.yaml': accountObjects(SERVER),
    'role.yaml': roleObjects(SERVER, RULES),
    'service.yaml': serviceObject(SERVER),
    'api-service.yaml': apiService(SERVER, 'metrics.k8s.io', 'v1beta1', 100),
    'nodes.yaml': NODE_OBJECTS,
    'pods.yaml': POD_OBJECTS,
  },
  steps: [
    fails('top nodes'),
    $('apply -f account.yaml', { unscoped: true }),
    $('apply -f role.yaml'),
    $('apply -f service.yaml', { unscoped: true }),
    $('apply -f api-service.yaml'),
    $('apply -f nodes.yaml'),
    ...NODES.map(({ name }) => $(`patch node ${name} --subresource=status --type=merge -p '${nodeStatus(name)}'`)),
    $('apply -f pods.yaml'),
    ...NODES.flatMap(({ pods }) => pods).map(({ pod }) =>
      $(`patch pod ${pod} --subresource=status --type=merge -p '{"status":{"phase":"Running"}}'`),
    ),
  ],
};

const SERVED: Script = {
  name: 'metrics-served',
  steps: [
    availability('True', API),
    // metrics-server needs two samples, ten seconds apart.
    $('top nodes', { retryUntil: 0, timeoutMs: 30_000 }),
    $(`top pods -n ${POD_NAMESPACE}`, { retryUntil: 0 }),
    $('top nodes --sort-by=memory --no-headers'),
    $(`top pods -n ${POD_NAMESPACE} -l app=web`),
    $(`top pods -n ${POD_NAMESPACE} --containers --sum`),
    $('top pods -A --sort-by=cpu'),
    $(`top pod -n ${POD_NAMESPACE} db`),
    fails(`top pod -n ${POD_NAMESPACE} missing`),
    $('get nodes.metrics.k8s.io', { view: withoutNodeUsage }),
    $('get --raw /apis/metrics.k8s.io/v1beta1/nodes/node-a', { view: withoutUsage }),
    $(`get --raw /apis/metrics.k8s.io/v1beta1/namespaces/${POD_NAMESPACE}/pods`, { view: withoutUsage }),
    $('api-resources --api-group=metrics.k8s.io -o wide'),
    $('explain nodemetrics', { retryUntil: 0 }),
    fails('top nodes', { user: 'alice' }),
    $(`delete apiservice ${API}`),
    fails('top nodes', { retryUntil: 1 }),
  ],
};

export async function runMetrics(
  pair: Pair,
  folder: string,
  certificates: ServingCertificates,
): Promise<readonly StepResult[]> {
  const keyed = await certificates.issue(SERVER.service, SERVER.namespace);
  const [certificate, key] = writePair(join(folder, 'serving'), keyed);
  const kubelets = await startFakeKubelets(NODES, keyed);
  const ports = NODES.map(({ name }, i) => [`${name}-port`, String(kubelets.ports[i])]);
  const variables = { caBundle: certificates.caBundle, ...Object.fromEntries(ports) };
  const sides = await Sides.open(pair, folder, () => variables);
  try {
    await sides.run(REGISTERED);
    await sides.start(async ({ peer, folder: own, port }) =>
      startBackend({
        what: `metrics-server of ${peer.name}`,
        program: program('metrics-server'),
        folder: own,
        // It is ready when it has samples of all nodes.
        ready: 'Serving securely',
        args: [
          ...delegationFlags(
            await serviceAccountKubeconfig(peer, own, { namespace: SERVER.namespace, name: SERVER.account }),
          ),
          '--bind-address=127.0.0.1',
          `--secure-port=${port}`,
          `--tls-cert-file=${certificate}`,
          `--tls-private-key-file=${key}`,
          `--kubelet-certificate-authority=${certificates.caFile}`,
          '--kubelet-preferred-address-types=InternalIP',
          '--kubelet-use-node-status-port',
          '--metric-resolution=10s',
          '--kubelet-request-timeout=5s',
        ],
      }),
    );
    await sides.run(SERVED);
  } finally {
    await sides.stop();
    await kubelets.stop();
  }
  return sides.results;
}
