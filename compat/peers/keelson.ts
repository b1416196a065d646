/** Our server in a comparison: the built command, with the flags that kube-apiserver gets, in a folder of its own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type Credentials, commonFlags, kubeconfigs, type ListenAddress, type Peer, TOKEN_USERS } from './peer.ts';
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
  /** Default: a free port of 127.0.0.1. */
  readonly listen?: ListenAddress;
}

/** Starts the server and resolves when /readyz answers 200. Throws with the end of its log if it does not. */
export async function startKeelson(options: KeelsonOptions): Promise<Peer> {
  const { credentials, storage = 'memory' } = options;
  return startCommand({
    name: 'keelson',
    credentials,
    command: (folder) => [options.cli ?? keelsonCli(), `--data-dir=${join(folder, 'data')}`, `--storage=${storage}`],
    flags: [
      '--advertise-address=127.0.0.1',
      ...(options.controllers === null ? [] : [`--controllers=${options.controllers ?? ''}`]),
      ...(options.flags ?? []),
    ],
    ...(options.listen !== undefined && { listen: options.listen }),
  });
}

export interface CommandOptions {
  readonly name: string;
  readonly credentials: Credentials;
  /** The script and its first arguments. `folder` is the one of this server. */
  command(folder: string): readonly string[];
  /** Follow the flags that all servers of comparisons have. */
  readonly flags: readonly string[];
  /** How often /readyz is asked. Default: that of `waitUntilReady`. */
  readonly tries?: number;
  /** Default: a free port of 127.0.0.1. */
  readonly listen?: ListenAddress;
}

/** Starts a command that serves, in a folder of its own. Resolves and throws as `startKeelson`. */
export async function startCommand(options: CommandOptions): Promise<Peer> {
  const { name, credentials, command, flags, tries } = options;
  const folder = mkdtempSync(join(tmpdir(), 'compat-keelson-'));
  const { address, port } = options.listen ?? { address: '127.0.0.1', port: await freePort() };
  const url = `https://${address}:${port}`;
  const logFile = join(folder, 'keelson.log');
  mkdirSync(join(folder, 'certs'));
  const common = [...commonFlags(credentials, port, join(folder, 'certs')), `--bind-address=${address}`];
  const args = [...command(folder), ...common, ...flags];
  const child = startChild(process.execPath, args, logFile);
  const stop = async (): Promise<void> => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady({
      what: name,
      child,
      logFile,
      check: async () => (await probe(`${url}/readyz`, credentials.caPem, TOKEN_USERS.admin.token)).status === 200,
      ...(tries !== undefined && { tries }),
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name,
    url,
    credentials,
    pids: [child.pid],
    kubeconfig: kubeconfigs(folder, url, credentials),
    logFile,
    stop,
  };
}
