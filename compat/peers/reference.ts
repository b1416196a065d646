/**
 * The reference: etcd and kube-apiserver as upstream builds them, with the default admission plugins, RBAC, and no
 * controllers. Invariant: when `startReference` resolves, everything that the server creates at its start exists
 * (namespaces, bootstrap policy, authentication ConfigMap).
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Etcd, startEtcd } from './etcd.ts';
import { freePort } from './free-port.ts';
import { type Credentials, commonFlags, kubeconfigs, type ListenAddress, type Peer, TOKEN_USERS } from './peer.ts';
import { type Child, probe, startChild, waitUntilReady } from './process.ts';
import { program } from './programs.ts';

export interface ReferenceOptions {
  readonly credentials: Credentials;
  /** Default `reference`. */
  readonly name?: string;
  readonly flags?: readonly string[];
  /** Default false: etcd does not sync to disk, because comparisons need no durability. */
  readonly fsync?: boolean;
  /** Called with the address of etcd before kube-apiserver starts. Default: etcd is empty then. */
  readonly fill?: (etcdUrl: string) => Promise<void>;
  /** The address of an etcd of the caller, which runs on when this server is stopped. Default: one of its own. */
  readonly etcdUrl?: string;
  /** Default: a free port of 127.0.0.1. */
  readonly listen?: ListenAddress;
}

export interface Reference extends Peer {
  /** The address of its etcd. */
  readonly etcdUrl: string;
}

/**
 * Starts both programs on free loopback ports in a folder of their own. Throws if one of them does not become ready.
 */
export async function startReference(options: ReferenceOptions): Promise<Reference> {
  const { credentials, name = 'reference' } = options;
  const apiserverProgram = program('kube-apiserver');
  const folder = mkdtempSync(join(tmpdir(), 'compat-reference-'));
  const children: Child[] = [];
  const stop = async (): Promise<void> => {
    for (const child of [...children].reverse()) await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const etcd = options.etcdUrl === undefined ? await startEtcd({ folder, fsync: options.fsync === true }) : undefined;
    if (etcd !== undefined) children.push(etcd);
    const etcdUrl = options.etcdUrl ?? (etcd as Etcd).url;

    await options.fill?.(etcdUrl);
    const { address, port } = options.listen ?? { address: '127.0.0.1', port: await freePort() };
    const url = `https://${address}:${port}`;
    const logFile = join(folder, 'kube-apiserver.log');
    mkdirSync(join(folder, 'certs'));
    const apiserver = startChild(
      apiserverProgram,
      [
        `--etcd-servers=${etcdUrl}`,
        ...commonFlags(credentials, port, join(folder, 'certs')),
        `--bind-address=${address}`,
        '--advertise-address=127.0.0.1',
        '--endpoint-reconciler-type=none',
        ...(options.flags ?? []),
      ],
      logFile,
    );
    children.push(apiserver);
    const made = [
      '/readyz',
      ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((ns) => `/api/v1/namespaces/${ns}`),
      '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
    ];
    await waitUntilReady({
      what: 'kube-apiserver',
      child: apiserver,
      logFile,
      check: async () => {
        for (const path of made)
          if ((await probe(url + path, credentials.caPem, TOKEN_USERS.admin.token)).status !== 200) return false;
        return true;
      },
    });
    return {
      name,
      url,
      etcdUrl,
      credentials,
      pids: children.map((child) => child.pid),
      kubeconfig: kubeconfigs(folder, url, credentials),
      logFile,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
