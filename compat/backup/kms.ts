/**
 * Keelson and kube-apiserver with one KMS v2 plugin on one etcd. Each must read what the other has written, before and
 * after the key of the plugin is rotated, and encrypt outdated values again. `keelson open` must read a snapshot with
 * the plugin, and name the values that it cannot read without it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openGrpcChannel } from '../../src/node/grpc/grpc-channel.ts';
import { servePlugin, TestPlugin } from '../../src/storage/encryption/kms/test-plugin.fixtures.ts';
import { openEtcdStorage } from '../../src/storage/etcd/open.ts';
import { encryptionConfiguration, kmsProvider } from '../common/encryption-configuration.ts';
import { expectStatus, versionOf } from '../common/json-requests.ts';
import { type Client, createClient } from '../diff/client.ts';
import { startKeelson } from '../peers/keelson.ts';
import { makeCredentials } from '../peers/peer.ts';
import { startReference } from '../peers/reference.ts';
import { type Case, runCases } from '../rows/cases.ts';
import { compareLists, readLists } from './compare-lists.ts';
import { openBackup } from './open-server.ts';
import { takeSnapshot } from './take-snapshot.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const LISTS = [SECRETS, '/api/v1/namespaces/default/configmaps', '/apis/apps/v1/namespaces/default/deployments'];
const PREFIX = 'k8s:enc:kms:v2:vault:';
/** A server learns of another key within a minute, and with a request to its health check after 20 seconds. */
const ROTATION_TRIES = 40;
const OBJECTS = 10;

const folder = mkdtempSync(join(tmpdir(), 'compat-kms-'));
const socket = join(folder, 'kms.sock');
const configFile = join(folder, 'encryption.json');
const plugin = new TestPlugin();
plugin.annotations = new Map([
  ['region.example.com', Buffer.from('west')],
  ['version.example.com', Buffer.from([0, 255])],
]);
const rule = { resources: ['secrets', 'configmaps', '*.apps'], providers: [kmsProvider(socket, '2s')] };
writeFileSync(configFile, encryptionConfiguration([rule]));
const FLAGS = [`--encryption-provider-config=${configFile}`, '--encryption-provider-config-automatic-reload=true'];

/** Creates objects of each encrypted resource. */
async function createObjects(client: Client, prefix: string): Promise<void> {
  const labels = { app: 'a' };
  const containers = [{ name: 'a', image: 'a' }];
  for (let i = 0; i < OBJECTS; i++) {
    const metadata = { name: `${prefix}-${client.peer.name}-${i}` };
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
    const bodies = [
      { metadata, stringData: { password: `hunter${i}` } },
      { metadata, data: { k: 'v' } },
      { metadata, spec },
    ];
    for (const [n, body] of bodies.entries())
      await expectStatus(client, { method: 'POST', path: LISTS[n] as string, body }, 201);
  }
}

async function expectEqualLists(theirs: Client, ours: Client): Promise<void> {
  const resources = LISTS.map((path) => ({ path })) as unknown as Parameters<typeof readLists>[1];
  const { objects, differences } = compareLists(await readLists(theirs, resources), await readLists(ours, resources));
  if (differences.length > 0) throw new Error(differences.join('\n'));
  if (objects === 0) throw new Error('no objects were compared');
}

const credentials = await makeCredentials(join(folder, 'credentials'));
let served = await servePlugin(plugin, socket);
const reference = await startReference({ credentials, flags: FLAGS });
const keelson = await startKeelson({
  credentials,
  storage: 'etcd',
  flags: [`--etcd-servers=${reference.etcdUrl}`, ...FLAGS],
});
const [theirs, ours] = [createClient(reference), createClient(keelson)];
const etcd = openEtcdStorage({ openChannel: openGrpcChannel, endpoints: [reference.etcdUrl] });

/** The stored bytes of a Secret, as a text with one character per byte. */
async function storedSecret(name: string): Promise<string> {
  const result = await etcd.get(`registry/secrets/default/${name}`);
  if (result.outcome !== 'found') throw new Error(`etcd has no Secret ${name}`);
  const text = Buffer.from(result.item.value).toString('latin1');
  if (!text.startsWith(PREFIX)) throw new Error(`Secret ${name} is stored as ${text.slice(0, 40)}`);
  return text;
}

/** Creates Secrets until the server encrypts with the key. */
async function untilKey(client: Client, keyId: string): Promise<void> {
  for (let i = 0; i < ROTATION_TRIES; i++) {
    const name = `probe-${client.peer.name}-${keyId}-${i}`;
    await expectStatus(client, { method: 'GET', path: '/readyz/kms-providers' }, 200);
    await expectStatus(client, { method: 'POST', path: SECRETS, body: { metadata: { name } } }, 201);
    if ((await storedSecret(name)).includes(keyId)) return;
    await sleep(1000);
  }
  throw new Error(`${client.peer.name} does not encrypt with ${keyId}`);
}

/** Updates a Secret without a change, which must encrypt it again. */
async function expectRenewed(client: Client, name: string, keyId: string): Promise<void> {
  const path = `${SECRETS}/${name}`;
  const body = await expectStatus(client, { method: 'GET', path }, 200);
  if ((await storedSecret(name)).includes(keyId)) throw new Error(`${name} is encrypted with ${keyId} already`);
  const renewed = await expectStatus(client, { method: 'PUT', path, body }, 200);
  if (!(await storedSecret(name)).includes(keyId)) throw new Error(`${client.peer.name} did not encrypt ${name} again`);
  const again = await expectStatus(client, { method: 'PUT', path, body: renewed }, 200);
  const revisions = [body, renewed, again].map(versionOf);
  if (revisions[0] === revisions[1] || revisions[1] !== revisions[2]) throw new Error(`revisions ${revisions.join()}`);
}

const cases: readonly Case[] = [
  {
    name: 'both servers read what either has written',
    run: async () => {
      for (const client of [theirs, ours]) await createObjects(client, 'before');
      await expectEqualLists(theirs, ours);
      for (const { peer } of [theirs, ours])
        if (!(await storedSecret(`before-${peer.name}-0`)).includes('key-1')) throw new Error('key-1 was not used');
    },
  },
  {
    name: 'the key is rotated',
    run: async () => {
      plugin.keyId = 'key-2';
      await Promise.all([theirs, ours].map((client) => untilKey(client, 'key-2')));
      for (const client of [theirs, ours]) await createObjects(client, 'after');
      await expectEqualLists(theirs, ours);
    },
  },
  {
    name: 'an update without a change encrypts an outdated value again',
    run: async () => {
      await expectRenewed(ours, 'before-reference-1', 'key-2');
      await expectRenewed(theirs, 'before-keelson-1', 'key-2');
      await expectEqualLists(theirs, ours);
    },
  },
  {
    name: 'a restarted Keelson reads the values of both keys',
    run: async () => {
      const again = await startKeelson({
        credentials,
        storage: 'etcd',
        flags: [`--etcd-servers=${reference.etcdUrl}`, ...FLAGS],
      });
      const client = createClient(again);
      await expectEqualLists(theirs, client).finally(async () => {
        client.close();
        await again.stop();
      });
    },
  },
  {
    name: 'keelson open reads a snapshot with the plugin, and names the values that it cannot read without it',
    run: async () => {
      const path = join(folder, 'snapshot.db');
      await takeSnapshot(reference.etcdUrl, path);
      const flag = `--encryption-provider-config=${configFile}`;
      const opened = await openBackup(path, credentials, [flag]);
      const client = createClient(opened);
      await expectEqualLists(theirs, client).finally(async () => {
        client.close();
        await opened.stop();
      });
      await served.stop();
      const without = await openBackup(path, credentials, [flag]);
      while (!without.output().includes('Press Ctrl-C')) await sleep(100);
      const output = without.output();
      await without.stop();
      served = await servePlugin(plugin, socket);
      const reason =
        'it cannot be decrypted: failed to decrypt DEK, error: rpc error: code = Unavailable desc = unix://';
      if (!output.includes(reason)) throw new Error(output);
    },
  },
];

let failed = 1;
try {
  failed = await runCases('KMS v2 with kube-apiserver', cases, 90_000);
} finally {
  theirs.close();
  ours.close();
  await etcd.stop();
  await keelson.stop();
  await reference.stop();
  await served.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
