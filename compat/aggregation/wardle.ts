/** The original k8s.io/sample-apiserver with etcd: registered, used, dead, back, unregistered. */
import { join } from 'node:path';
import type { StepResult } from '../kubectl/run.ts';
import { startEtcd } from '../peers/etcd.ts';
import type { Pair } from '../peers/pair.ts';
import type { Child } from '../peers/process.ts';
import { program } from '../peers/programs.ts';
import {
  delegationFlags,
  type ServingCertificates,
  serviceAccountKubeconfig,
  startBackend,
  writePair,
} from './backend.ts';
import { type Side, Sides } from './sides.ts';
import { wardleBack, wardleDead, wardleGone, wardleRegistered, wardleServed } from './wardle-scripts.ts';

const ACCOUNT = { namespace: 'wardle', name: 'apiserver' };

export async function runWardle(
  pair: Pair,
  folder: string,
  certificates: ServingCertificates,
): Promise<readonly StepResult[]> {
  const [certificate, key] = writePair(join(folder, 'serving'), await certificates.issue('api', 'wardle'));
  const sides = await Sides.open(pair, folder, () => ({ caBundle: certificates.caBundle, certificate, key }));
  const etcd = await startEtcd({ folder });
  const start = async ({ peer, folder: own, port }: Side): Promise<Child> => {
    const kubeconfig = await serviceAccountKubeconfig(peer, own, ACCOUNT);
    return startBackend({
      what: `sample-apiserver of ${peer.name}`,
      program: program('sample-apiserver'),
      folder: own,
      ready: { port, caPem: certificates.caPem },
      args: [
        `--etcd-servers=${etcd.url}`,
        `--etcd-prefix=/registry/${peer.name}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
        `--tls-cert-file=${certificate}`,
        `--tls-private-key-file=${key}`,
        ...delegationFlags(kubeconfig),
      ],
    });
  };
  try {
    await sides.run(wardleRegistered());
    await sides.start(start);
    await sides.run(wardleServed());
    await sides.stop();
    await sides.run(wardleDead());
    await sides.start(start);
    await sides.run(wardleBack());
    await sides.run(wardleGone());
  } finally {
    await sides.stop();
    await etcd.stop();
  }
  return sides.results;
}
