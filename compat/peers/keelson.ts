/** Our server in a comparison: the built command, with the flags that kube-apiserver gets, in a folder of its own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type Credentials, commonFlags, kubeconfigs, type Peer, TOKEN_USERS } from './peer.ts';
import { probe, startChild, waitUntilReady } from './process.ts';
import { keelsonCli } from './programs.ts';

export interface KeelsonOptions {
  readonly credentials: Credentials;
  /** Default `memory`. */
  readonly storage?: 'memory' | 'lmdb' | 'etcd';
  readonly flags?: readonly string[];
  /** `--controllers`; null leaves it to the server. Default '': kube-apiserver has no control loops either. */
  readonly controllers?: string | null;
  /** The command of another build. Default: the one of this repository. */
  readonly cli?: string;
}

/** Starts the server and resolves when /readyz answers 200. Throws with the end of its log if it does not. */
export async function startKeelson(options: KeelsonOptions): Promise<Peer> {
  const { credentials, storage = 'memory' } = options;
  const cli = options.cli ?? keelsonCli();
  const folder = mkdtempSync(join(tmpdir(), 'compat-keelson-'));
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const logFile = join(folder, 'keelson.log');
  mkdirSync(join(folder, 'certs'));
  const child = startChild(
    process.execPath,
    [
      cli,
      `--data-dir=${join(folder, 'data')}`,
      `--storage=${storage}`,
      ...commonFlags(credentials, port, join(folder, 'certs')),
      '--advertise-address=127.0.0.1',
      ...(options.controllers === null ? [] : [`--controllers=${options.controllers ?? ''}`]),
      ...(options.flags ?? []),
    ],
    logFile,
  );
  const stop = async (): Promise<void> => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady({
      what: 'keelson',
      child,
      logFile,
      check: async () => (await probe(`${url}/readyz`, credentials.caPem, TOKEN_USERS.admin.token)).status === 200,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name: 'keelson',
    url,
    credentials,
    pids: [child.pid],
    kubeconfig: kubeconfigs(folder, url, credentials),
    logFile,
    stop,
  };
}
