/**
 * Moves the data of a kube-apiserver to Keelson and back. A kube-apiserver writes objects of every kind to etcd,
 * encrypted. They are migrated to a data folder, which Keelson serves; Keelson changes objects. The folder is migrated
 * to another etcd, which another kube-apiserver serves. The folder is also exported to a snapshot file, which etcd's
 * own program checks and restores, and which is imported to a data folder and to an etcd.
 *
 * usage: main.ts [--objects N]
 *   --objects   also moves this many objects between all stores, and prints the times; default 0
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Comparison, compareLists, type Lists, readLists } from '../backup/compare-lists.ts';
import { createEveryKind, type ListedResource, listedResources } from '../backup/every-kind.ts';
import { annotateAll } from '../backup/one-etcd.ts';
import { encryptionConfig, FLAGS, MIXED, RUNTIME_CONFIG } from '../backup/runs.ts';
import { ask, type Client, createClient } from '../diff/client.ts';
import { startCommand } from '../peers/keelson.ts';
import { type Credentials, makeCredentials } from '../peers/peer.ts';
import { keelsonCli } from '../peers/programs.ts';
import { startReference } from '../peers/reference.ts';
import { moved } from './command.ts';
import { snapshotStatus, startRestored } from './etcdutl.ts';
import { faultCases } from './fault-cases.ts';
import { moveMany } from './many.ts';

const { values } = parseArgs({ options: { objects: { type: 'string', default: '0' } } });
const SHOWN = 20;
const folder = mkdtempSync(join(tmpdir(), 'compat-move-'));
const data = join(folder, 'data');
const snapshot = join(folder, 'moved.db');
let failures = 0;

function fail(sentence: string): void {
  failures++;
  console.log(`  FAILED: ${sentence}`);
}

function report(what: string, { objects, differences }: Comparison): void {
  console.log(`${what}: ${objects} objects compared, ${differences.length} differences`);
  for (const difference of differences.slice(0, SHOWN)) console.log(`    ${difference}`);
  failures += differences.length;
}

interface Known {
  readonly lists: Lists;
  readonly resources: readonly ListedResource[];
  /** Of the store of kube-apiserver. */
  readonly revision: number;
}

/** kube-apiserver writes; the data goes to a data folder while it runs. */
async function fromReference(credentials: Credentials, encryption: readonly string[]): Promise<Known> {
  const reference = await startReference({ credentials, flags: [...FLAGS, ...encryption] });
  const client = createClient(reference);
  try {
    const created = await createEveryKind(client);
    const resources = await listedResources(client);
    const lists = await readLists(client, resources);
    const { objects, revision, nextRevision } = moved(
      'migrate',
      `--from-etcd-servers=${reference.etcdUrl}`,
      `--to-data-dir=${data}`,
    );
    console.log(`kube-apiserver created ${created} objects; ${objects} moved to a data folder`);
    if (nextRevision < revision) fail(`the data folder continues at ${nextRevision}, below ${revision}`);
    return { lists, resources, revision };
  } finally {
    client.close();
    await reference.stop();
  }
}

/** Keelson serves the data folder and changes objects. */
async function servedByKeelson(credentials: Credentials, encryption: readonly string[], known: Known): Promise<Lists> {
  const keelson = await startCommand({
    name: 'keelson',
    credentials,
    command: () => [keelsonCli(), `--data-dir=${data}`, '--storage=lmdb', '--advertise-address=127.0.0.1'],
    flags: ['--controllers=', RUNTIME_CONFIG, ...encryption],
  });
  const client = createClient(keelson);
  try {
    const lists = await readLists(client, known.resources);
    await expectGone(client, known.revision - 1);
    report('etcd of kube-apiserver -> data folder -> Keelson', compareLists(known.lists, lists, { allowsMore: true }));
    console.log(`  ${await annotateAll(client, lists)} objects changed by Keelson`);
    return await readLists(client, known.resources);
  } finally {
    client.close();
    await keelson.stop();
  }
}

/** A watch that resumes after a revision of the former store must be told to list again. */
async function expectGone(client: Client, revision: number): Promise<void> {
  const path = `/api/v1/configmaps?watch=1&timeoutSeconds=2&resourceVersion=${revision}`;
  const { text } = await ask(client, { method: 'GET', path }, new Map());
  if (!text.includes('"code":410'))
    fail(`${client.peer.name} resumes a watch after ${revision}: ${text.slice(0, 200)}`);
}

/** kube-apiserver serves the data folder from another etcd. */
async function servedByReference(
  credentials: Credentials,
  encryption: readonly string[],
  { lists, resources }: Known,
): Promise<void> {
  let lowest = 0;
  const reference = await startReference({
    credentials,
    flags: [...FLAGS, ...encryption],
    fill: async (url) => {
      const { revision } = moved('migrate', `--from-data-dir=${data}`, `--to-etcd-servers=${url}`);
      lowest = revision;
    },
  });
  const client = createClient(reference);
  try {
    const found = await readLists(client, resources);
    report('data folder -> etcd -> kube-apiserver', compareLists(lists, found, { ignoresRevisions: true }));
    const versions = [...found.values()].flatMap((items) =>
      [...items.values()].map(({ metadata }) => Number((metadata as { resourceVersion: string }).resourceVersion)),
    );
    if (Math.min(...versions) <= lowest)
      fail(`an object has resourceVersion ${Math.min(...versions)}; the source was at ${lowest}`);
    await expectGone(client, lowest);
  } finally {
    client.close();
    await reference.stop();
  }
}

/** The data folder as a snapshot file, for etcd's own program, a data folder and an etcd. */
async function throughSnapshot(): Promise<void> {
  const exported = moved('export', snapshot, `--data-dir=${data}`);
  const hashes = JSON.stringify(exported.resources);
  const status = snapshotStatus(snapshot);
  console.log(`etcdutl snapshot status: ${status.totalKey} keys, revision ${status.revision}`);
  if (status.totalKey !== exported.objects) fail(`etcdutl finds ${status.totalKey} of ${exported.objects} keys`);
  const restored = await startRestored(snapshot, join(folder, 'restored'));
  try {
    const again = moved('export', join(folder, 'again.db'), `--etcd-servers=${restored.url}`);
    if (JSON.stringify(again.resources) !== hashes) fail('the etcd that etcdutl restored has other objects');
    if (again.revision < exported.revision)
      fail(`the restored etcd is at revision ${again.revision}, below ${exported.revision}`);
  } finally {
    await restored.stop();
  }
  const imported = moved('import', snapshot, `--data-dir=${join(folder, 'imported')}`);
  if (JSON.stringify(imported.resources) !== hashes) fail('the imported data folder has other objects');
}

try {
  const credentials = await makeCredentials(join(folder, 'credentials'));
  const configFile = join(folder, 'encryption.json');
  writeFileSync(configFile, encryptionConfig(MIXED.encryption ?? []));
  const encryption = [`--encryption-provider-config=${configFile}`];
  const known = await fromReference(credentials, encryption);
  const lists = await servedByKeelson(credentials, encryption, known);
  await servedByReference(credentials, encryption, { ...known, lists });
  await throughSnapshot();
  const faults = await faultCases(folder);
  console.log(`${faults.cases} interrupted or impossible moves`);
  for (const failure of faults.failures) fail(failure);
  if (Number(values.objects) > 0) await moveMany(Number(values.objects), folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;
