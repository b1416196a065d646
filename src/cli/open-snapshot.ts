/**
 * The action of `keelson open`: serves an etcd snapshot read-only until a signal, or prints the differences to another.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { SILENT } from '../base/logger.ts';
import type { ControlPlane } from '../controlplane/control-plane.ts';
import { parseEncryptionConfig } from '../controlplane/encryption-config.ts';
import { readFlagFile } from '../controlplane/flag-file.ts';
import { nodePlatform } from '../controlplane/node/node-platform.ts';
import { mergeOptions } from '../controlplane/options.ts';
import type { ProviderSet } from '../controlplane/provider-set.ts';
import { SnapshotStore } from '../controlplane/snapshot-store.ts';
import { IGNORING_OBSERVER } from '../storage/encryption/kms/kms-observer.ts';
import type { SnapshotState } from '../storage/snapshot-file/read-snapshot.ts';
import { loadNamedSnapshot } from './load-snapshot.ts';
import { printDiff } from './open-diff.ts';
import { reportLines } from './open-report.ts';
import { serveUntilSignal } from './serve.ts';
import { parseServerCommandLine, type ServerCommandLine } from './server-command-line.ts';
import { shellQuote } from './start-message.ts';

export interface OpenFlags {
  readonly etcdPrefix: string;
  readonly encryptionProviderConfig?: string;
  readonly diff?: string;
}

/**
 * Server flags of this command. They precede those of the caller, which override them. All API versions are served,
 * because a backup may contain objects of any version.
 */
const FLAGS = [
  '--storage=memory',
  '--secure-port=0',
  '--controllers=',
  '--runtime-config=api/all=true',
  '--logging-format=text',
];

/**
 * Resolves with the exit code. Throws ConfigError for a path or a flag that cannot be used, StorageError for a damaged
 * file.
 */
export async function openSnapshot(path: string, flags: OpenFlags, serverFlags: readonly string[]): Promise<number> {
  const line = parseServerCommandLine([...FLAGS, ...serverFlags]);
  const providers = await readProviders(flags.encryptionProviderConfig);
  try {
    const { diff, etcdPrefix: prefix } = flags;
    const rules = providers?.rules;
    if (diff !== undefined) return await printDiff({ older: path, newer: diff, prefix, rules });
    const store = new SnapshotStore({ prefix, rules, reason: readOnlyReason(path) });
    return await serveSnapshot(path, store, (kubeconfig) => withKubeconfig(line, serverFlags, kubeconfig));
  } finally {
    await providers?.stop();
  }
}

/** `lineOf` returns the command line of a server with the given path of its kubeconfig. */
async function serveSnapshot(
  path: string,
  store: SnapshotStore,
  lineOf: (kubeconfigFile: string) => ServerCommandLine,
): Promise<number> {
  let state: SnapshotState | undefined = loadNamedSnapshot(path);
  const folder = mkdtempSync(join(tmpdir(), 'keelson-open-'));
  let shown: readonly string[] = [];
  try {
    return await serveUntilSignal(lineOf(join(folder, 'kubeconfig')), {
      snapshot: {
        store,
        takeState: () => {
          const taken = state as SnapshotState;
          state = undefined;
          return taken;
        },
        onReport: (report) => {
          shown = reportLines(report);
        },
      },
      readyLines: (plane) => readyLines(path, plane, shown),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Reads the file of `--encryption-provider-config`. The providers are not started, because this server only decrypts.
 * Throws ConfigError for a file that cannot be read or is invalid.
 */
async function readProviders(path: string | undefined): Promise<ProviderSet | undefined> {
  if (path === undefined) return undefined;
  const factory = nodePlatform.createProviderFactory({
    clock: systemClock,
    logger: SILENT,
    observer: IGNORING_OBSERVER,
  });
  const text = await readFlagFile(nodePlatform, '--encryption-provider-config', path);
  return parseEncryptionConfig({ path, text }, factory);
}

function readOnlyReason(path: string): string {
  return `the store is read-only: this server shows the backup ${basename(path)}`;
}

/** Unless `--data-dir` is given, keeps keys and certificates in memory and the kubeconfig in a temporary folder. */
function withKubeconfig(line: ServerCommandLine, given: readonly string[], kubeconfigFile: string): ServerCommandLine {
  if (given.some((flag) => /^--data-dir(=|$)/.test(flag))) return line;
  return { ...line, options: mergeOptions(line.options, { server: { dataDir: '', kubeconfigFile } }) };
}

function readyLines(path: string, { url, kubeconfig }: ControlPlane, report: readonly string[]): readonly string[] {
  const next =
    kubeconfig === undefined
      ? []
      : ['In another terminal:', '', `  export KUBECONFIG=${shellQuote(kubeconfig)}`, '  kubectl get pods -A', ''];
  return [
    `Keelson shows ${path} at ${url} (read-only, ready in ${Math.round(performance.now())} ms).`,
    ...report,
    ...next,
    'Press Ctrl-C to stop it. The file is not changed.',
  ];
}
