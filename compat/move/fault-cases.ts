/** Moves that are interrupted or cannot be made: one sentence, an exit code, and a second run that succeeds. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { openGrpcChannel } from '../../src/node/grpc/grpc-channel.ts';
import { EtcdTransfer } from '../../src/storage/etcd/etcd-transfer.ts';
import { writeSnapshotFile } from '../../src/storage/snapshot-file/write-file.ts';
import { startEtcd } from '../peers/etcd.ts';
import { keelsonCli } from '../peers/programs.ts';
import { killedCommand, moved, storageCommand } from './command.ts';

export interface FaultResult {
  readonly cases: number;
  /** One sentence for each case that did not go as it should. */
  readonly failures: readonly string[];
}

const OBJECTS = 3000;
/** Raising the revision takes long enough to be killed meanwhile. */
const REVISION = 20_000;
const QUOTA_BYTES = 2 << 20;

export async function faultCases(folder: string): Promise<FaultResult> {
  const failures: string[] = [];
  let cases = 0;
  const expectEnd = (what: string, end: { code: number | null; stderr: string }, code: number, text: RegExp): void => {
    cases++;
    const lines = end.stderr.trim().split('\n');
    if (end.code !== code || lines.length !== 1 || !text.test(end.stderr))
      failures.push(`${what}: exit code ${end.code}: ${end.stderr.trim()}`);
  };
  const path = join(folder, 'many.db');
  writeSnapshotFile(path, manyKeys(), { compacted: REVISION });

  const etcd = await startEtcd({ folder: join(folder, 'etcd-killed') });
  const flags = [`--etcd-servers=${etcd.url}`];
  try {
    await killedCommand(() => untilMarked(etcd.url), 'import', path, ...flags);
    const serve = spawnSync(
      process.execPath,
      [keelsonCli(), '--storage=etcd', ...flags, '--secure-port=0', `--data-dir=${join(folder, 'refused')}`],
      { encoding: 'utf8', timeout: 30_000 },
    );
    expectEnd(
      'a server on an unfinished import',
      { ...serve, code: serve.status },
      2,
      /has an unfinished import below/,
    );
    expectEnd('an import after one', storageCommand('import', path, ...flags), 2, /unfinished import .*add --replace/);
    expectEnd('an export of one', storageCommand('export', join(folder, 'x.db'), ...flags), 2, /unfinished import/);
    const again = moved('import', path, ...flags, '--replace');
    cases++;
    if (again.objects !== OBJECTS || again.nextRevision <= REVISION)
      failures.push(`the second import wrote ${again.objects} objects at revision ${again.nextRevision}`);
    expectEnd('a target with keys', storageCommand('import', path, ...flags), 2, /has 3000 keys below \/registry/);
    const other = storageCommand('export', join(folder, 'x.db'), ...flags, '--etcd-prefix=/other');
    expectEnd('a prefix without keys', other, 2, /no keys below the prefix \/other: it has other keys, such as "\/reg/);
  } finally {
    await etcd.stop();
  }
  expectEnd('an etcd that is gone', storageCommand('import', path, ...flags), 2, /cannot use etcd at http/);

  const small = join(folder, 'etcd-small');
  mkdirSync(small, { recursive: true });
  const full = await startEtcd({ folder: small, flags: [`--quota-backend-bytes=${QUOTA_BYTES}`] });
  try {
    const end = storageCommand('import', path, `--etcd-servers=${full.url}`);
    expectEnd('an etcd without space', end, 1, /space quota.*unfinished: run it again with --replace/);
  } finally {
    await full.stop();
  }
  writeFileSync(join(folder, 'file'), '');
  const unusable = storageCommand('import', path, `--data-dir=${join(folder, 'file')}`);
  expectEnd('a data folder that is a file', unusable, 2, /EEXIST|not a folder/);
  return { cases, failures };
}

function* manyKeys(): Iterable<{ key: string; value: Uint8Array; revision: number; created: number }> {
  const value = Buffer.alloc(1500, '{}');
  for (let i = 0; i < OBJECTS; i++)
    yield { key: `/registry/configmaps/default/c${i}`, value, revision: i + 2, created: i + 2 };
}

/** Resolves when an import has begun. */
async function untilMarked(url: string): Promise<void> {
  const transfer = new EtcdTransfer({
    endpoints: [url],
    clock: systemClock,
    prefix: '/registry',
    openChannel: openGrpcChannel,
  });
  try {
    while (!(await transfer.hasMarker())) await new Promise((resolve) => setTimeout(resolve, 5));
  } finally {
    transfer.close();
  }
}
