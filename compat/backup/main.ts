/**
 * Opens snapshots of an etcd that kube-apiserver wrote to, and compares every object in every version with what
 * kube-apiserver serves.
 *
 * usage: main.ts [--full] [--only NAME,...]
 *   --full   one run for each encryption provider and media type, and a snapshot with 100,000 objects; default one run
 *   --only   only these runs
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '../diff/client.ts';
import { makeCredentials } from '../peers/peer.ts';
import { startReference } from '../peers/reference.ts';
import { compareLists, readLists } from './compare-lists.ts';
import { createEveryKind, listedResources } from './every-kind.ts';
import { openBackup } from './open-server.ts';
import { takeSnapshot } from './take-snapshot.ts';

const { values } = parseArgs({
  options: { full: { type: 'boolean', default: false }, only: { type: 'string' }, keep: { type: 'string' } },
});
/** Every version. The reference has some kinds behind feature gates, too. */
const FLAGS = [
  '--disable-admission-plugins=ServiceAccount',
  '--runtime-config=api/all=true,certificates.k8s.io/v1beta1=true,certificates.k8s.io/v1alpha1=true,scheduling.k8s.io/v1alpha2=true,storagemigration.k8s.io/v1beta1=true',
  '--feature-gates=ClusterTrustBundle=true,PodCertificateRequest=true,StorageVersionMigrator=true,GenericWorkload=true',
];
const OPEN_FLAGS = FLAGS.filter((flag) => flag.startsWith('--runtime-config'));
const SHOWN = 20;

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'compat-backup-'));
let failed = false;
try {
  const credentials = await makeCredentials(join(folder, 'credentials'));
  const reference = await startReference({ credentials, flags: FLAGS });
  const path = join(folder, 'snapshot.db');
  let expected: Awaited<ReturnType<typeof readLists>>;
  let resources: Awaited<ReturnType<typeof listedResources>>;
  try {
    const client = createClient(reference);
    const created = await createEveryKind(client);
    resources = await listedResources(client);
    expected = await readLists(client, resources);
    const size = await takeSnapshot(reference.etcdUrl, path);
    console.log(`${created} objects created by kube-apiserver, snapshot of ${size} bytes`);
    client.close();
  } finally {
    await reference.stop();
  }
  const opened = await openBackup(path, credentials, OPEN_FLAGS);
  try {
    console.log(opened.output());
    const client = createClient(opened);
    const { objects, differences } = compareLists(expected, await readLists(client, resources));
    console.log(`${objects} objects of ${resources.length} resources compared, ${differences.length} differences`);
    for (const difference of differences.slice(0, SHOWN)) console.log(`  ${difference}`);
    failed = differences.length > 0;
    client.close();
  } finally {
    await opened.stop();
  }
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
