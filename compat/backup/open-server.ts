/** A server of `keelson open` in a comparison. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../peers/free-port.ts';
import { type Credentials, commonFlags, kubeconfigs, type Peer, TOKEN_USERS } from '../peers/peer.ts';
import { probe, startChild, waitUntilReady } from '../peers/process.ts';
import { keelsonCli } from '../peers/programs.ts';

export interface OpenedBackup extends Peer {
  /** From the start of the process until /readyz answers 200. */
  readonly readyMs: number;
  /** The output so far. */
  output(): string;
}

/** Opens a snapshot. Throws with the end of its output if the server does not become ready. */
export async function openBackup(
  path: string,
  credentials: Credentials,
  flags: readonly string[] = [],
): Promise<OpenedBackup> {
  const folder = mkdtempSync(join(tmpdir(), 'compat-open-'));
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const logFile = join(folder, 'keelson.log');
  mkdirSync(join(folder, 'certs'));
  const started = performance.now();
  const child = startChild(
    process.execPath,
    [keelsonCli(), 'open', path, ...commonFlags(credentials, port, join(folder, 'certs')), ...flags],
    logFile,
  );
  const stop = async (): Promise<void> => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady({
      what: 'keelson open',
      child,
      logFile,
      check: async () => (await probe(`${url}/readyz`, credentials.caPem, TOKEN_USERS.admin.token)).status === 200,
      tries: 1200,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name: 'keelson open',
    url,
    credentials,
    pids: [child.pid],
    kubeconfig: kubeconfigs(folder, url, credentials),
    logFile,
    readyMs: performance.now() - started,
    output: () => readFileSync(logFile, 'utf8'),
    stop,
  };
}
