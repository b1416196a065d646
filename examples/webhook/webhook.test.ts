// Registers the webhooks with a server in this process: no cluster, no mocks.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ControlPlane, startControlPlane } from 'keelson';
import { type Client, createClient, isForbidden, isInvalid } from 'keelson/client';
import { Deployment } from 'keelson/kinds/apps/v1';
import { serveWebhooks, type WebhookServer } from 'keelson/webhook';
import { checkDeployment, requestCpu } from './deployments.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'webhook-'));
let server: ControlPlane;
let webhooks: WebhookServer;
let client: Client;

before(async () => {
  server = await startControlPlane({ storage: 'memory', dataDir, serving: { port: 0 } });
  await server.ready;
  client = createClient(server.transport);
  webhooks = await serveWebhooks({ name: 'guard.example.com', mutate: [requestCpu], validate: [checkDeployment] });
  await webhooks.register({ transport: server.transport });
});

after(async () => {
  await webhooks.stop();
  await server.stop();
  rmSync(dataDir, { recursive: true });
});

function deployment(name: string, image: string, labels: Record<string, string> = {}): Deployment {
  const app = { app: name };
  const template = { metadata: { labels: app }, spec: { containers: [{ name, image }] } };
  return { metadata: { name, labels }, spec: { selector: { matchLabels: app }, template } };
}

test('containers request CPU', async () => {
  const created = await client.api(Deployment, 'default').create(deployment('web', 'registry.example.com/web:1'));
  assert.equal(created.spec?.template.spec?.containers[0]?.resources?.requests?.['cpu'], '100m');
});

test('images of other registries are refused', async () => {
  await assert.rejects(client.api(Deployment, 'default').create(deployment('bad', 'nginx')), isInvalid);
});

test('what is to be kept is not deleted', async () => {
  const deployments = client.api(Deployment, 'default');
  await deployments.create(deployment('kept', 'registry.example.com/web:1', { keep: 'true' }));
  await assert.rejects(deployments.delete('kept'), isForbidden);
});
