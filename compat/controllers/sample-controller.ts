/**
 * The original k8s.io/sample-controller, built from its module, with the definition and the object that come with it.
 * No node runs here, so the suite reports the replicas of the Deployment itself.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKeelson } from '../peers/keelson.ts';
import { makeCredentials, type Peer } from '../peers/peer.ts';
import { startChild } from '../peers/process.ts';
import { PEERS, program } from '../peers/programs.ts';
import { startReference } from '../peers/reference.ts';
import { expectText, Kubectl, step } from './steps.ts';

export async function runSampleController(folder: string): Promise<void> {
  const credentials = await makeCredentials(join(folder, 'credentials'));
  for (const start of [startReference, startKeelson]) {
    const peer = await start({ credentials });
    try {
      await runOn(peer, join(folder, peer.name));
    } finally {
      await peer.stop();
    }
  }
}

const FOO = { apiVersion: 'samplecontroller.k8s.io/v1alpha1', kind: 'Foo' };

async function runOn(peer: Peer, home: string): Promise<void> {
  console.log(`sample-controller against ${peer.name}`);
  const binary = program('sample-controller');
  const examples = join(PEERS, 'sample-controller', 'examples');
  const kubeconfig = peer.kubeconfig('admin');
  const kubectl = new Kubectl(kubeconfig, home);
  await step('install the definition', async () => {
    await kubectl.run(['apply', '-f', join(examples, 'crd-status-subresource.yaml')]);
    await kubectl.run(['wait', 'crd/foos.samplecontroller.k8s.io', '--for=condition=Established']);
  });
  const logFile = join(home, 'sample-controller.log');
  const controller = startChild(binary, [`-kubeconfig=${kubeconfig}`], logFile);
  try {
    await step('a Foo gets its Deployment, owned by it', async () => {
      await kubectl.run(['apply', '-f', join(examples, 'example-foo.yaml')]);
      const owner = '.metadata.ownerReferences[0].kind';
      await kubectl.expect(owner, 'Foo', 'deployment', 'example-foo');
      expectText(await kubectl.value('.spec.replicas', 'deployment', 'example-foo'), '1');
    });
    await step('the status of the Foo follows the Deployment', async () => {
      await kubectl.patchStatus('deployment/example-foo', { replicas: 1, readyReplicas: 1, availableReplicas: 1 });
      await kubectl.expect('.status.availableReplicas', '1', 'foo', 'example-foo');
    });
    await step('the Deployment follows the Foo', async () => {
      await kubectl.run(['patch', 'foo', 'example-foo', '--type=merge', '-p', '{"spec":{"replicas":3}}']);
      await kubectl.expect('.spec.replicas', '3', 'deployment', 'example-foo');
    });
    await step('a Deployment of someone else is reported by an Event', async () => {
      await kubectl.run(['create', 'deployment', 'taken', '--image=nginx']);
      await kubectl.apply({ ...FOO, metadata: { name: 'late' }, spec: { deploymentName: 'taken', replicas: 1 } });
      const selector = '--field-selector=involvedObject.name=late';
      await kubectl.expect('.items[0].reason', 'ErrResourceExists', 'events', selector);
    });
    await step('the other Events say Synced', async () => {
      const selector = '--field-selector=involvedObject.name=example-foo';
      await kubectl.expect('.items[0].reason', 'Synced', 'events', selector);
    });
  } finally {
    await controller.stop();
  }
  await step('the controller ended without a failure', async () => {
    const log = readFileSync(logFile, 'utf8');
    const panic = log.split('\n').find((line) => line.startsWith('panic:') || line.startsWith('F'));
    if (panic !== undefined) throw new Error(panic);
  });
}
