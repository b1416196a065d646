// Runs the operator against a server in this process: no cluster, no sockets, no mocks.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from 'keelson';
import { type Client, createClient } from 'keelson/client';
import { consoleLogger } from 'keelson/controller';
import { CustomResourceDefinition } from 'keelson/kinds/apiextensions/v1';
import { Deployment } from 'keelson/kinds/apps/v1';
import { Event } from 'keelson/kinds/core/v1';
import { Foo } from './foo.ts';
import { fooOperator } from './foo-operator.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'sample-controller-'));
const stop = new AbortController();
let server: ControlPlane;
let client: Client;
let running: Promise<void>;

before(async () => {
  server = await startControlPlane({ storage: 'memory', dataDir, serving: { port: 0 } });
  await server.ready;
  client = createClient(server.transport);
  await client.api(CustomResourceDefinition).create({
    metadata: {
      name: 'foos.samplecontroller.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'unapproved, experimental-only' },
    },
    spec: {
      group: Foo.group,
      scope: Foo.scope,
      names: { kind: Foo.kind, plural: Foo.plural },
      versions: [
        {
          name: Foo.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  running = fooOperator.run({
    transport: server.transport,
    logger: consoleLogger({ level: 'error' }),
    signal: stop.signal,
  });
});

after(async () => {
  stop.abort();
  await running;
  await server.stop();
  rmSync(dataDir, { recursive: true });
});

/** Asks until the answer is there; the test runner ends a test that takes too long. */
async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined) return answer;
    await sleep(20);
  }
}

test('a Foo gets a Deployment, and its status follows it', { timeout: 30_000 }, async () => {
  const foos = client.api(Foo, 'default');
  const deployments = client.api(Deployment, 'default');
  await foos.create({ metadata: { name: 'web' }, spec: { deploymentName: 'web', replicas: 2 } });
  const deployment = await eventually(() => deployments.find('web'));
  assert.equal(deployment.spec?.replicas, 2);
  assert.equal(deployment.metadata.ownerReferences?.[0]?.kind, 'Foo');

  const status = { replicas: 2, readyReplicas: 2, availableReplicas: 2 };
  await deployments.patch('web', { type: 'merge', body: { status } }, { subresource: 'status' });
  const foo = await eventually(async () => {
    const now = await foos.get('web');
    return now.status?.conditions?.[0]?.status === 'True' ? now : undefined;
  });
  assert.equal(foo.status?.availableReplicas, 2);
  const events = await client.api(Event, 'default').list().toArray();
  assert.deepEqual([...new Set(events.map(({ reason }) => reason))], ['Synced']);
});

test('a Deployment of somebody else is left alone', { timeout: 30_000 }, async () => {
  const labels = { app: 'other' };
  await client.api(Deployment, 'default').create({
    metadata: { name: 'taken' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'other', image: 'other' }] } },
    },
  });
  await client
    .api(Foo, 'default')
    .create({ metadata: { name: 'late' }, spec: { deploymentName: 'taken', replicas: 3 } });
  const event = await eventually(async () => {
    const events = await client.api(Event, 'default').list().toArray();
    return events.find(({ reason }) => reason === 'ErrResourceExists');
  });
  assert.equal(event.type, 'Warning');
  assert.equal((await client.api(Deployment, 'default').get('taken')).spec?.replicas, 1);
});
