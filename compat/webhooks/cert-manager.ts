/** cert-manager's webhook: installed, asked about its own kinds, stopped. */
import { join } from 'node:path';
import { type ServingCertificates, startBackend, writePair } from '../aggregation/backend.ts';
import { Sides } from '../aggregation/sides.ts';
import type { StepResult } from '../kubectl/run.ts';
import { freePort } from '../peers/free-port.ts';
import type { Pair } from '../peers/pair.ts';
import { PEERS, program } from '../peers/programs.ts';
import { CERT_MANAGER, installed, stopped, used } from './cert-manager-scripts.ts';

export async function runCertManager(
  pair: Pair,
  folder: string,
  certificates: ServingCertificates,
): Promise<readonly StepResult[]> {
  const executable = program('cert-manager-webhook');
  const { namespace, service } = CERT_MANAGER;
  const [certificate, key] = writePair(join(folder, 'serving'), await certificates.issue(service, namespace));
  const crds = join(PEERS, 'cert-manager-crds');
  const sides = await Sides.open(pair, folder, () => ({ caBundle: certificates.caBundle, crds }));
  try {
    await sides.start(async ({ peer, folder: own, port }) => {
      const healthPort = await freePort();
      return startBackend({
        what: `cert-manager's webhook of ${peer.name}`,
        program: executable,
        folder: own,
        ready: { url: `http://127.0.0.1:${healthPort}/healthz` },
        args: [
          `--kubeconfig=${peer.kubeconfig('admin')}`,
          `--secure-port=${port}`,
          `--healthz-port=${healthPort}`,
          '--metrics-listen-address=0',
          `--tls-cert-file=${certificate}`,
          `--tls-private-key-file=${key}`,
        ],
      });
    });
    await sides.run(installed());
    await sides.run(used());
    await sides.stop();
    await sides.run(stopped());
  } finally {
    await sides.stop();
  }
  return sides.results;
}
