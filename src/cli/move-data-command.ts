/** Runs the commands that move data: reads their flags, shows progress on a terminal and prints the report. */
import { ConfigError } from '../base/errors.ts';
import { etcdSource, etcdTarget } from '../controlplane/node/move/etcd-end.ts';
import { folderSource, folderTarget } from '../controlplane/node/move/folder-end.ts';
import { moveData } from '../controlplane/node/move/move-data.ts';
import type { MoveSource, MoveTarget } from '../controlplane/node/move/moved-state.ts';
import { snapshotSource, snapshotTarget } from '../controlplane/node/move/snapshot-end.ts';
import { nodePlatform } from '../controlplane/node/node-platform.ts';
import { absolutePrefix } from '../controlplane/open-etcd.ts';
import { REVISION_GAP } from '../storage/lmdb/restart-history.ts';
import { moveJson, moveLines, parseMoveFormat } from './move-report.ts';
import { Progress } from './progress.ts';
import { type NamedStore, namedStore, type StoreFlags } from './store-flags.ts';

const { clock } = nodePlatform;
const PROGRESS_MS = 1000;

/**
 * Writes all objects of a store to a snapshot file. This and the next two functions print a report, and throw
 * ConfigError or StorageError as `moveData` does.
 */
export async function exportStore(file: string, flags: StoreFlags): Promise<void> {
  const source = sourceOf(await namedStore(flags, ''), { whileServed: true });
  const target = snapshotTarget({ path: file, prefix: source.prefix, now: () => clock.now() });
  await run('exported', source, target, flags);
}

/** Writes all objects of a snapshot to a data folder or an etcd cluster. */
export async function importSnapshot(file: string, flags: StoreFlags): Promise<void> {
  const prefix = absolutePrefix(String(flags['snapshotPrefix']));
  const source = snapshotSource({ path: file, prefix, now: () => clock.now() });
  // The snapshot may be older than what clients have seen.
  await run('imported', source, targetOf(await namedStore(flags, ''), flags, REVISION_GAP), flags);
}

/** Copies all objects of one store to another. */
export async function migrateStore(flags: StoreFlags): Promise<void> {
  const source = sourceOf(await namedStore(flags, 'from-'), { whileServed: false });
  await run('migrated', source, targetOf(await namedStore(flags, 'to-'), flags, 0), flags);
}

function sourceOf(store: NamedStore, { whileServed }: { readonly whileServed: boolean }): MoveSource {
  return store.kind === 'etcd' ? etcdSource(store) : folderSource({ dataDir: store.dataDir, whileServed });
}

/**
 * `gap` is the default of `--bump-revision` for a data folder. For etcd the default is 0, because etcd needs a write
 * for each revision.
 */
function targetOf(store: NamedStore, flags: StoreFlags, gap: number): MoveTarget {
  const replace = flags['replace'] === true;
  const bump = flags['bumpRevision'] === undefined ? undefined : revisions(String(flags['bumpRevision']));
  const restartRevisions = flags['restartRevisions'] === true;
  return store.kind === 'etcd'
    ? etcdTarget({ ...store, replace, bump: bump ?? 0, restartRevisions })
    : folderTarget({ dataDir: store.dataDir, replace, bump: bump ?? gap, clock });
}

/** The largest `--bump-revision`. It keeps revisions below the limit of a data folder, 2^46. */
const MOST_REVISIONS = 2 ** 40;

function revisions(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > MOST_REVISIONS)
    throw new ConfigError(`--bump-revision: ${JSON.stringify(text)} is not a number from 0 to ${MOST_REVISIONS}`);
  return number;
}

async function run(verb: string, source: MoveSource, target: MoveTarget, flags: StoreFlags): Promise<void> {
  const format = parseMoveFormat(String(flags['output']));
  const progress = new Progress({
    stream: flags['quiet'] === true ? { write: () => undefined } : process.stderr,
    now: () => clock.now(),
    delayMs: PROGRESS_MS,
    intervalMs: PROGRESS_MS,
  });
  try {
    const report = (step: string, done: number, total: number): void => progress.step(step, done, total);
    const result = await moveData({ source, target, clock, report });
    progress.end();
    console.log(format === 'json' ? moveJson(result) : moveLines(verb, result).join('\n'));
  } finally {
    progress.end();
  }
}
