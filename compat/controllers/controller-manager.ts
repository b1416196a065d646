/**
 * The real kube-controller-manager beside our server, whose own loops are off: Deployments with a rollout, Jobs,
 * garbage collection in its three forms, and namespaces. No node runs here, so the suite reports the pods' phases.
 */
import { join } from 'node:path';
import { startControllerManager } from '../peers/controller-manager.ts';
import { startKeelson } from '../peers/keelson.ts';
import { makeCredentials } from '../peers/peer.ts';
import { eventually, expectText, Kubectl, step } from './steps.ts';

export async function runControllerManager(folder: string): Promise<void> {
  console.log('kube-controller-manager against keelson');
  const credentials = await makeCredentials(join(folder, 'credentials'));
  const peer = await startKeelson({ credentials });
  const kubectl = new Kubectl(peer.kubeconfig('admin'), join(folder, 'home'));
  const manager = await startControllerManager(peer);
  try {
    await runDeployments(kubectl);
    await runJobs(kubectl);
    await runGarbageCollection(kubectl);
    await runNamespaces(kubectl);
    await step('kube-controller-manager still runs', async () => expectText(manager.ended() ?? '', ''));
  } finally {
    await manager.stop();
    await peer.stop();
  }
}

/** Reports the pods of a selector as running and ready, as their nodes would. */
async function runPods(kubectl: Kubectl, selector: string, count: number): Promise<void> {
  const pods = await eventually(async () => {
    const live = '--field-selector=status.phase=Pending';
    const names = (await kubectl.run(['get', 'pods', '-l', selector, live, '-o', 'name'])).split('\n').filter(Boolean);
    if (names.length !== count) throw new Error(`${names.length} pods of ${selector} are pending, not ${count}`);
    return names;
  });
  const conditions = ['Ready', 'ContainersReady', 'Initialized', 'PodScheduled'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
  for (const pod of pods) await kubectl.patchStatus(pod, { phase: 'Running', conditions });
}

async function runDeployments(kubectl: Kubectl): Promise<void> {
  await step('a Deployment gets its ReplicaSet and Pods', async () => {
    await kubectl.run(['create', 'deployment', 'web', '--image=nginx:1', '--replicas=2']);
    await runPods(kubectl, 'app=web', 2);
    await kubectl.expect('.status.availableReplicas', '2', 'deployment', 'web');
  });
  await step('a rollout replaces the Pods', async () => {
    await kubectl.run(['set', 'image', 'deployment/web', 'nginx=nginx:2']);
    // One pod more than wanted at a time: the default of maxSurge for two replicas.
    await runPods(kubectl, 'app=web', 1);
    await runPods(kubectl, 'app=web', 1);
    await kubectl.run(['rollout', 'status', 'deployment/web', '--timeout=60s']);
    expectText(await kubectl.value('.items[*].spec.containers[0].image', 'pods', '-l', 'app=web'), 'nginx:2 nginx:2');
  });
  await step('kubectl rollout undo goes back', async () => {
    await kubectl.run(['rollout', 'undo', 'deployment/web']);
    await runPods(kubectl, 'app=web', 1);
    await runPods(kubectl, 'app=web', 1);
    await kubectl.run(['rollout', 'status', 'deployment/web', '--timeout=60s']);
  });
}

async function runJobs(kubectl: Kubectl): Promise<void> {
  await step('a Job completes when its Pod has succeeded', async () => {
    await kubectl.run(['create', 'job', 'once', '--image=busybox']);
    await runPods(kubectl, 'job-name=once', 1);
    const pod = await kubectl.run(['get', 'pods', '-l', 'job-name=once', '-o', 'name']);
    await kubectl.patchStatus(pod, { phase: 'Succeeded' });
    await kubectl.run(['wait', 'job/once', '--for=condition=Complete', '--timeout=60s']);
  });
}

async function runGarbageCollection(kubectl: Kubectl): Promise<void> {
  await step('a deleted Deployment takes its ReplicaSets and Pods along', async () => {
    await kubectl.run(['delete', 'deployment', 'web']);
    await kubectl.gone('replicasets', '-l', 'app=web');
    await kubectl.gone('pods', '-l', 'app=web');
  });
  await step('a foreground deletion waits for the dependents', async () => {
    await kubectl.run(['create', 'deployment', 'front', '--image=nginx', '--replicas=1']);
    await kubectl.expect('.status.replicas', '1', 'deployment', 'front');
    await kubectl.run(['delete', 'deployment', 'front', '--cascade=foreground', '--timeout=60s']);
    await kubectl.gone('replicasets', '-l', 'app=front');
  });
  await step('an orphaned ReplicaSet stays, without its owner', async () => {
    await kubectl.run(['create', 'deployment', 'left', '--image=nginx', '--replicas=1']);
    await kubectl.expect('.status.replicas', '1', 'deployment', 'left');
    await kubectl.run(['delete', 'deployment', 'left', '--cascade=orphan']);
    await kubectl.gone('deployment', 'left');
    await kubectl.expect('.items[*].metadata.ownerReferences', '', 'replicasets', '-l', 'app=left');
    expectText(await kubectl.value('.items[*].spec.replicas', 'replicasets', '-l', 'app=left'), '1');
  });
}

async function runNamespaces(kubectl: Kubectl): Promise<void> {
  await step('a namespace gets its ServiceAccount and the root CA', async () => {
    await kubectl.run(['create', 'namespace', 'shop']);
    await kubectl.expect('.metadata.name', 'default', 'serviceaccount', 'default', '-n', 'shop');
    await kubectl.expect('.metadata.name', 'kube-root-ca.crt', 'configmap', 'kube-root-ca.crt', '-n', 'shop');
  });
  await step('a deleted namespace goes away with everything in it', async () => {
    await kubectl.run(['create', 'configmap', 'settings', '-n', 'shop']);
    await kubectl.run(['create', 'deployment', 'web', '--image=nginx', '-n', 'shop']);
    await kubectl.run(['delete', 'namespace', 'shop', '--wait=false']);
    await kubectl.gone('namespace', 'shop');
    expectText(await kubectl.run(['get', 'configmaps,deployments,pods', '-n', 'shop', '-o', 'name']), '');
  });
}
