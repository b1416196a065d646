/** The real kube-controller-manager beside a server of a comparison, with some of its loops. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Peer } from './peer.ts';
import { startChild, waitUntilReady } from './process.ts';
import { program } from './programs.ts';

export interface ControllerManager {
  readonly pid: number;
  /** Undefined while it runs, otherwise its exit code or signal. */
  ended(): string | undefined;
  stop(): Promise<void>;
}

/**
 * Starts the loops, by default all. Resolves when the first of them has read its objects; throws with the end of the log
 * if none does.
 */
export async function startControllerManager(
  peer: Peer,
  loops: readonly string[] = ['*'],
  flags: readonly string[] = [],
): Promise<ControllerManager> {
  const folder = mkdtempSync(join(tmpdir(), 'compat-controllers-'));
  const logFile = join(folder, 'kube-controller-manager.log');
  const child = startChild(
    program('kube-controller-manager'),
    [
      `--kubeconfig=${peer.kubeconfig('admin')}`,
      `--controllers=${loops.join(',')}`,
      `--service-account-private-key-file=${peer.credentials.signingKeyFile}`,
      `--root-ca-file=${peer.credentials.caFile}`,
      '--use-service-account-credentials',
      '--leader-elect=false',
      '--secure-port=0',
      ...flags,
    ],
    logFile,
  );
  const stop = async (): Promise<void> => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady({
      what: `kube-controller-manager beside ${peer.name}`,
      child,
      logFile,
      check: async () => readFileSync(logFile, 'utf8').includes('"Caches are synced"'),
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid, ended: child.ended, stop };
}
