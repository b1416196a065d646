/** The original k8s.io/sample-apiserver with etcd: registered, used, dead, back, unregistered. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runScripts, type StepResult } from '../kubectl/run.ts';
import { freePort } from '../peers/free-port.ts';
import type { Pair } from '../peers/pair.ts';
import type { Peer } from '../peers/peer.ts';
import { type Child, startChild, waitUntilReady } from '../peers/process.ts';
import { program } from '../peers/programs.ts';
import { type ServingCertificates, serviceAccountKubeconfig, startBackend, writePair } from './backend.ts';
import { wardleBack, wardleDead, wardleGone, wardleRegistered, wardleServed } from './wardle-scripts.ts';

const ACCOUNT = { namespace: 'wardle', name: 'apiserver' };

interface Side {
  readonly peer: Peer;
  readonly folder: string;
  readonly port: number;
}

export async function runWardle(
  pair: Pair,
  folder: string,
  certificates: ServingCertificates,
): Promise<readonly StepResult[]> {
  const sides: Side[] = [];
  for (const peer of [pair.reference, pair.candidate])
    sides.push({ peer, folder: join(folder, peer.name), port: await freePort() });
  const serving = await certificates.issue('api', 'wardle');
  const [certificate, key] = writePair(join(folder, 'serving'), serving);
  const variables = (peer: Peer): Record<string, string> => ({
    port: String(sides.find((side) => side.peer === peer)?.port),
    caBundle: certificates.caBundle,
    certificate,
    key,
  });
  const results: StepResult[] = [];
  const run = async (...scripts: Parameters<typeof runScripts>[1]): Promise<void> => {
    for (const script of scripts) results.push(...(await runScripts(pair, [script], variables)));
  };

  const etcd = await startEtcd(folder);
  let servers: Child[] = [];
  const start = async (): Promise<void> => {
    servers = await Promise.all(
      sides.map(async ({ peer, folder: own, port }) => {
        const kubeconfig = await serviceAccountKubeconfig(peer, own, ACCOUNT);
        return startBackend({
          what: `sample-apiserver of ${peer.name}`,
          program: program('sample-apiserver'),
          folder: own,
          port,
          caPem: certificates.caPem,
          args: [
            `--etcd-servers=${etcd.url}`,
            `--etcd-prefix=/registry/${peer.name}`,
            '--bind-address=127.0.0.1',
            `--secure-port=${port}`,
            `--tls-cert-file=${certificate}`,
            `--tls-private-key-file=${key}`,
            ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
              (flag) => `--${flag}=${kubeconfig}`,
            ),
          ],
        });
      }),
    );
  };
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    await run(wardleRegistered());
    await start();
    await run(wardleServed());
    await stop();
    await run(wardleDead());
    await start();
    await run(wardleBack(), wardleGone());
  } finally {
    await stop();
    await etcd.stop();
  }
  return results;
}

/** One etcd for the extension servers of both sides. */
async function startEtcd(folder: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  mkdirSync(folder, { recursive: true });
  const [url, peerUrl] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const logFile = join(folder, 'etcd.log');
  const child = startChild(
    program('etcd'),
    [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--unsafe-no-fsync',
    ],
    logFile,
  );
  const check = async (): Promise<boolean> => (await fetch(`${url}/health`)).ok;
  await waitUntilReady({ what: 'etcd of sample-apiserver', child, logFile, check });
  return { url, stop: () => child.stop() };
}
