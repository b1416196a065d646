/**
 * Nodes without kubelets: cordon, taint, drain, top. Pods that do not run: logs, exec, port-forward, attach, cp, debug.
 * Certificates. Events.
 */
import { $, type Script } from '../script.ts';

const NODE = `apiVersion: v1
kind: Node
metadata: {name: kubectl-node, labels: {kubernetes.io/os: linux, node-role.kubernetes.io/worker: ""}}
spec: {podCIDR: 10.244.0.0/24}
status:
  capacity: {cpu: "4", memory: 8Gi, pods: "110"}
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
  conditions: [{type: Ready, status: "True", reason: KubeletReady, message: fine}]
  addresses: [{type: InternalIP, address: 192.168.1.7}]
  nodeInfo: {machineID: m, systemUUID: s, bootID: b, kernelVersion: "6.1", osImage: Debian, containerRuntimeVersion: containerd://2, kubeletVersion: v1.36.3, kubeProxyVersion: "", operatingSystem: linux, architecture: amd64}
`;
const POD = `apiVersion: v1
kind: Pod
metadata: {name: plain, labels: {app: plain}}
spec:
  containers: [{name: main, image: busybox}]
`;

const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1ISUNBUUF3RURFT01Bd0dBMVVFQXd3RmEybHVaSE13V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQgpCd05DQUFTOXN1NG9IUWdPaWpIa2Y5K0RhR1hhb2Myb0trUHJBcEtMbmYvR0c3MlZyWC9keGo2cFF2d2UwNDFECkJUQjNha29oaHJoOXBCY0VKeTZQSHZDdmNwR0RvQUF3Q2dZSUtvWkl6ajBFQXdJRFJ3QXdSQUlnY1lrL2lnZGgKKzFqdmxTdTg2akRlb3p3ekJCc29EcjUwRnl3aUFmMjgzNVFDSUhSN216SFJLeFVqQ1dwRDVTTWQrYlhCbmYvcQpiVEJqNnVhaXpGeUplUS9SCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

function request(name: string): string {
  return `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: ${name}}
spec: {request: ${REQUEST}, signerName: example.com/signer, usages: [client auth]}
`;
}

export const kindsNodes: Script = {
  name: 'kinds-nodes',
  files: {
    'node.yaml': NODE,
    'pod.yaml': POD,
    'bound.yaml': POD.replaceAll('plain', 'bound').replace('spec:\n', 'spec:\n  nodeName: kubectl-node\n'),
    'local.yaml': POD.replaceAll('plain', 'local').replace(
      'spec:\n',
      'spec:\n  nodeName: kubectl-node\n  volumes: [{name: scratch, emptyDir: {}}]\n',
    ),
    'csr.yaml': `${request('kubectl-approved')}---\n${request('kubectl-denied')}`,
    'file.txt': 'text',
    'pdb.yaml':
      'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: all}\nspec: {minAvailable: 1, selector: {matchLabels: {app: bound}}}\n',
  },
  steps: [
    $('create -f node.yaml'),
    $('get node kubectl-node'),
    $('get node kubectl-node -o wide'),
    $('describe node kubectl-node'),
    $('cordon kubectl-node'),
    $('cordon kubectl-node'),
    $('cordon missing'),
    $('get node kubectl-node -o wide'),
    $('uncordon kubectl-node'),
    $('taint node kubectl-node dedicated=db:NoSchedule'),
    $('taint node kubectl-node dedicated=db:NoSchedule'),
    $('taint node kubectl-node dedicated=web:NoSchedule'),
    $('taint node kubectl-node dedicated=web:NoSchedule --overwrite'),
    $('taint node kubectl-node dedicated=web:Odd'),
    $('taint node kubectl-node dedicated-'),
    $('taint node kubectl-node dedicated-'),
    $('label node kubectl-node disk=ssd'),
    $('annotate node kubectl-node note=x'),
    $('patch node kubectl-node --subresource=status --type=merge -p \'{"status":{"phase":"Running"}}\''),
    $('get node kubectl-node -o yaml'),
    $('top node'),
    $('top pod'),
    $('create -f pod.yaml -f bound.yaml -f local.yaml'),
    $('get pods -o wide'),
    $('describe pod plain'),
    $('describe pod bound'),
    $('logs plain'),
    $('logs plain -c main'),
    $('logs plain -c missing'),
    $('logs -l app=plain'),
    $('logs missing'),
    $('logs deployment/missing'),
    $('exec plain -- ls'),
    $('exec plain -c missing -- ls'),
    $('attach plain'),
    $('port-forward plain 8080:80', { timeoutMs: 3000 }),
    $('port-forward service/missing 8080:80'),
    $('cp file.txt plain:/tmp/file.txt'),
    $('cp plain:/tmp/file.txt out.txt'),
    $('debug plain --image=busybox --container=dbg --attach=false'),
    $('debug plain --image=busybox --container=dbg --attach=false'),
    $('debug plain --copy-to=copied --image=busybox --container=dbg --attach=false'),
    $('debug missing --image=busybox'),
    $('get pod plain copied -o yaml'),
    $('proxy --api-prefix=/x --port=-1'),
    $('drain kubectl-node --dry-run=server', { errors: reasonsSorted }),
    $('drain kubectl-node', { errors: reasonsSorted }),
    $('drain kubectl-node --force', { errors: reasonsSorted }),
    $('create -f pdb.yaml'),
    $('drain kubectl-node --force --delete-emptydir-data --timeout=1s', { view: firstLines, errors: firstLines }),
    $('get pods -o name'),
    $('delete pdb all'),
    $('drain kubectl-node --force --delete-emptydir-data --grace-period=0 --timeout=5s', {
      view: sorted,
      errors: sorted,
    }),
    $('get pods -o name'),
    $('drain kubectl-node --force --disable-eviction --pod-selector=app=bound'),
    $('create -f csr.yaml'),
    $('get csr kubectl-approved kubectl-denied'),
    $('certificate approve kubectl-approved'),
    $('certificate approve kubectl-approved'),
    $('certificate deny kubectl-denied'),
    $('certificate deny kubectl-approved'),
    $('certificate approve missing'),
    $('get csr kubectl-approved kubectl-denied -o wide'),
    $('describe csr kubectl-approved kubectl-denied'),
    $('get csr kubectl-approved -o yaml'),
    $('delete csr kubectl-approved kubectl-denied'),
    $('events'),
    $('events --for=pod/plain'),
    $('get componentstatuses', { errors: (text) => text, view: () => '' }),
    $('delete node kubectl-node'),
    $('cluster-info', { view: (text) => text.split('\n')[0] ?? '' }),
  ],
};

function sorted(text: string): string {
  return text.split('\n').sort().join('\n');
}

/** The number of evictions within a second, and their order, depends on the machine. */
/**
 * Sorts the reasons why pods cannot be deleted: kubectl prints them in the order of a Go map, in one line and in
 * several.
 */
function reasonsSorted(text: string): string {
  const inLine = (_: string, list: string): string =>
    `[${list
      .split(/, (?=cannot )/)
      .sort()
      .join(', ')}]`;
  return sorted(text.replace(/\[(cannot [^\]]*)\]/g, inLine));
}

function firstLines(text: string): string {
  return [...new Set(text.split(/[\n,[\]]\s*/).sort())].join('\n');
}
