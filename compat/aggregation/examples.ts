/** The examples of extension servers from the packed package, behind both servers. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ExampleProjects, installExamples } from '../examples/project.ts';
import type { StepResult } from '../kubectl/run.ts';
import type { Script } from '../kubectl/script.ts';
import type { Pair } from '../peers/pair.ts';
import { ROOT } from '../peers/programs.ts';
import { startBackend } from './backend.ts';
import { $, fails } from './lines.ts';
import { availability } from './registration.ts';
import { Sides } from './sides.ts';
import { COLUMNS, GROUP_APIS, wardleServed } from './wardle-scripts.ts';

let installed: ExampleProjects | undefined;

/** Installs the package and the examples on first use, for every run of this process. */
function projects(): ExampleProjects {
  if (installed === undefined) {
    installed = installExamples(['flunder', 'metrics', 'bank'], ['node-sqlite3-wasm@0.8', 'pg@8']);
    process.once('exit', () => installed?.remove());
  }
  return installed;
}

interface Example {
  readonly name: string;
  readonly args?: readonly string[];
  /** Variables in addition to PORT and KUBECONFIG, by the name of the peer. */
  readonly env?: (peer: string) => Readonly<Record<string, string>>;
  readonly scripts: readonly Script[];
}

/** Starts an example behind each server with its own folder, and registers it with the manifests that it writes. */
export async function runExample(
  pair: Pair,
  folder: string,
  { name, args = [], env = () => ({}), scripts }: Example,
): Promise<readonly StepResult[]> {
  const place = projects().folder(name);
  const sides = await Sides.open(pair, folder, (peer) => ({ manifests: join(place, peer.name, 'manifests.json') }));
  try {
    await sides.start(async ({ peer, port }) => {
      const own = join(place, peer.name);
      rmSync(own, { recursive: true, force: true });
      mkdirSync(own);
      return startBackend({
        what: `examples/${name} of ${peer.name}`,
        program: process.execPath,
        args: [join(place, 'main.js'), ...args],
        folder: own,
        place: { cwd: own, env: { PORT: String(port), KUBECONFIG: peer.kubeconfig('admin'), ...env(peer.name) } },
        ready: 'kubectl apply -f manifests.json',
      });
    });
    for (const script of scripts) await sides.run(script);
  } finally {
    await sides.stop();
  }
  return sides.results;
}

const FLUNDER = readFileSync(join(ROOT, 'examples', 'flunder', 'example-flunder.yaml'), 'utf8');

/**
 * examples/flunder gets the command lines that the original sample-apiserver gets. Then kube-controller-manager deletes
 * a namespace with a flunder.
 */
export function runFlunder(pair: Pair, folder: string): Promise<readonly StepResult[]> {
  const registered: Script = {
    name: 'flunder-registered',
    steps: [$('apply -f {{manifests}}', { unscoped: true }), availability('True', ...GROUP_APIS), COLUMNS],
  };
  const emptied: Script = {
    name: 'flunder-emptied',
    files: { 'flunder.yaml': FLUNDER },
    steps: [
      $('create namespace doomed'),
      $('create -f flunder.yaml -n doomed'),
      $('get flunders -n doomed -o name'),
      $('delete namespace doomed --timeout=60s', { timeoutMs: 70_000 }),
      fails('get namespace doomed'),
      $('get flunders -n doomed'),
    ],
  };
  const gone: Script = { name: 'flunder-gone', steps: [$(`delete apiservice ${GROUP_APIS.join(' ')}`)] };
  return runExample(pair, folder, {
    name: 'flunder',
    scripts: [registered, { ...wardleServed(), name: 'flunder-served' }, emptied, gone],
  });
}

const METRICS = 'v1beta1.metrics.k8s.io';
const EXTERNAL = 'v1beta1.external.metrics.k8s.io';

/** examples/metrics: usage of the nodes and pods that the part of metrics-server has left. */
export function runUsage(pair: Pair, folder: string): Promise<readonly StepResult[]> {
  const scripts: Script[] = [
    {
      name: 'usage-registered',
      steps: [$('apply -f {{manifests}}', { unscoped: true }), availability('True', METRICS, EXTERNAL)],
    },
    {
      name: 'usage-served',
      files: { 'nodes.yaml': OBJECTS },
      steps: [
        $('apply -f nodes.yaml'),
        $(`patch node usage-a --subresource=status --type=merge -p '${NODE_STATUS}'`),
        $('patch pod web --subresource=status --type=merge -p \'{"status":{"phase":"Running"}}\''),
        $('top nodes -l usage=yes', { retryUntil: 0 }),
        $('top pods'),
        $('top pods --containers -l app=web'),
        $('top pod web'),
        fails('top pod missing'),
        $('get nodes.metrics.k8s.io -l usage=yes'),
        $('get --raw /apis/metrics.k8s.io/v1beta1/nodes/usage-a', { view: withoutTime }),
        $('api-resources --api-group=metrics.k8s.io -o wide'),
        $('explain nodemetrics.usage', { retryUntil: 0 }),
        fails('delete nodes.metrics.k8s.io usage-a'),
      ],
    },
    SCALED,
    { name: 'usage-gone', steps: [$(`delete apiservice ${METRICS} ${EXTERNAL}`)] },
  ];
  return runExample(pair, folder, { name: 'metrics', scripts });
}

const withoutTime = (text: string): string => text.replace(/"timestamp":"[^"]*"/, '"timestamp":"<time>"');
const NODE_STATUS = JSON.stringify({ status: { allocatable: { cpu: '2', memory: '4Gi' } } });
const OBJECTS = `apiVersion: v1
kind: Node
metadata: {name: usage-a, labels: {usage: 'yes'}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {nodeName: usage-a, containers: [{name: main, image: nginx}, {name: side, image: nginx}]}
`;

const POOLS = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.usage.example.com}
spec:
  group: usage.example.com
  names: {kind: Pool, plural: pools}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
`;
const POOL = `apiVersion: usage.example.com/v1
kind: Pool
metadata: {name: workers}
spec: {replicas: 1}
`;
const AUTOSCALER = readFileSync(join(ROOT, 'examples', 'metrics', 'autoscaler.yaml'), 'utf8')
  .replace('apps/v1', 'usage.example.com/v1')
  .replace('Deployment', 'Pool');
const POOL_STATUS = JSON.stringify({ status: { replicas: 1, selector: 'app=worker' } });
const MESSAGES = [1, 2, 3, 4, 5].map(
  (i) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: message-${i}, labels: {queue: mail}}\n`,
);
const QUEUE = '/apis/external.metrics.k8s.io/v1beta1/namespaces/{{ns}}/queue-length?labelSelector=queue%3Dmail';

/** kube-controller-manager scales a custom resource by an external metric. */
const SCALED: Script = {
  name: 'usage-scaled',
  files: {
    'pools.yaml': POOLS,
    'pool.yaml': POOL,
    'autoscaler.yaml': AUTOSCALER,
    'messages.yaml': MESSAGES.join('---\n'),
  },
  steps: [
    $('apply -f pools.yaml'),
    $('wait crd/pools.usage.example.com --for=condition=Established'),
    $('apply -f pool.yaml', { retryUntil: 0 }),
    $(`patch pool workers --subresource=status --type=merge -p '${POOL_STATUS}'`),
    $('apply -f messages.yaml'),
    $(`get --raw ${QUEUE}`, { view: withoutTime }),
    $('apply -f autoscaler.yaml'),
    $("wait pool/workers --for=jsonpath='{.spec.replicas}'=3 --timeout=60s", { timeoutMs: 70_000 }),
    $('delete configmap message-1 message-2 message-3 message-4'),
    $(`get --raw ${QUEUE}`, { view: withoutTime }),
    $('get hpa workers -o jsonpath={.spec.metrics}'),
    $('delete hpa workers'),
  ],
};
