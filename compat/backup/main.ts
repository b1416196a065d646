/**
 * Compares stored bytes with the reference, both ways. A kube-apiserver writes objects of every kind to etcd, encrypted or
 * not. Keelson on the same etcd, and `keelson open` on a snapshot of it, must show every object in every version as the
 * reference does, and the reference must show what Keelson has changed. Then the objects are encoded as our server
 * stores them and written to another etcd, and a kube-apiserver on it must serve the same.
 *
 * usage: main.ts [--full] [--objects N]
 *   --full      a run for each provider and encoding, and a snapshot with 100,000 objects; default one run with all
 *               providers
 *   --objects   the size of the large snapshot; without --full only that is made
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { servePlugin, TestPlugin } from '../../src/storage/encryption/kms/test-plugin.fixtures.ts';
import { createClient } from '../diff/client.ts';
import { type Credentials, makeCredentials } from '../peers/peer.ts';
import { startReference } from '../peers/reference.ts';
import { type Comparison, compareLists, type Lists, readLists } from './compare-lists.ts';
import { createEveryKind, type ListedResource, listedResources } from './every-kind.ts';
import { openLarge } from './large.ts';
import { compareOnOneEtcd } from './one-etcd.ts';
import { openBackup } from './open-server.ts';
import { encryptionConfig, FLAGS, FULL, mediaTypeOf, RUNTIME_CONFIG, type Run, SHORT } from './runs.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { writeBack } from './write-back.ts';

const { values } = parseArgs({
  options: { full: { type: 'boolean', default: false }, objects: { type: 'string' } },
});
const SHOWN = 20;
const LARGE = 100_000;
/** The socket of the KMS plugin. */
const SOCKET = 'kms.sock';

interface Written {
  readonly expected: Lists;
  readonly resources: readonly ListedResource[];
  /** Of both servers on one etcd. */
  readonly differences: number;
}

/** Lets the reference write everything, takes the snapshot, and lets Keelson share the etcd. */
async function writeByReference(
  credentials: Credentials,
  run: Run,
  ourFlags: readonly string[],
  path: string,
): Promise<Written> {
  const flags = [...FLAGS, ...ourFlags, ...(run.flags ?? [])];
  const reference = await startReference({ credentials, flags });
  const client = createClient(reference);
  try {
    const created = await createEveryKind(client);
    const resources = await listedResources(client);
    const expected = await readLists(client, resources);
    const size = await takeSnapshot(reference.etcdUrl, path);
    console.log(`  ${created} objects created by kube-apiserver, snapshot of ${size} bytes`);
    const { read, changed, written } = await compareOnOneEtcd(reference, resources, [RUNTIME_CONFIG, ...ourFlags]);
    const differences =
      report('both servers on one etcd', read) + report(`after ${changed} changes by Keelson`, written);
    return { expected, resources, differences };
  } finally {
    client.close();
    await reference.stop();
  }
}

function report(what: string, { objects, differences }: Comparison): number {
  console.log(`  ${what}: ${objects} objects compared, ${differences.length} differences`);
  for (const difference of differences.slice(0, SHOWN)) console.log(`    ${difference}`);
  return differences.length;
}

async function runOne(run: Run, folder: string, credentials: Credentials): Promise<number> {
  console.log(run.name);
  const path = join(folder, 'snapshot.db');
  const configFile = join(folder, 'encryption.json');
  const config = run.encryption && encryptionConfig(run.encryption, join(folder, SOCKET));
  if (config !== undefined) writeFileSync(configFile, config);
  const encryption = config === undefined ? [] : [`--encryption-provider-config=${configFile}`];
  const written = await writeByReference(credentials, run, encryption, path);
  const { expected, resources } = written;

  const opened = await openBackup(path, credentials, [RUNTIME_CONFIG, ...encryption]);
  const openedClient = createClient(opened);
  let { differences } = written;
  try {
    differences += report('keelson open', compareLists(expected, await readLists(openedClient, resources)));
  } finally {
    openedClient.close();
    await opened.stop();
  }

  const again = await startReference({
    credentials,
    flags: [...FLAGS, ...encryption],
    fill: async (etcdUrl) => {
      console.log(
        `  ${await writeBack({ path, config, mediaType: mediaTypeOf(run), etcdUrl })} objects encoded by Keelson`,
      );
    },
  });
  const againClient = createClient(again);
  try {
    const lists = await readLists(againClient, resources);
    differences += report('kube-apiserver', compareLists(expected, lists, { ignoresRevisions: true }));
  } finally {
    againClient.close();
    await again.stop();
  }
  return differences;
}

const folder = mkdtempSync(join(tmpdir(), 'compat-backup-'));
const plugin = await servePlugin(new TestPlugin(), join(folder, SOCKET));
let differences = 0;
try {
  const credentials = await makeCredentials(join(folder, 'credentials'));
  if (values.objects === undefined || values.full)
    for (const run of values.full ? FULL : SHORT) differences += await runOne(run, folder, credentials);
  if (values.full || values.objects !== undefined)
    await openLarge(Number(values.objects ?? LARGE), join(folder, 'large.db'), credentials);
} finally {
  await plugin.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = differences > 0 ? 1 : 0;
