/** Gatekeeper with its webhooks and the controllers that they need: templates, constraints and mutators. */
import { join } from 'node:path';
import { type ServingCertificates, startBackend, writePair } from '../aggregation/backend.ts';
import { Sides } from '../aggregation/sides.ts';
import type { StepResult } from '../kubectl/run.ts';
import { freePort } from '../peers/free-port.ts';
import type { Pair } from '../peers/pair.ts';
import { PEERS, program } from '../peers/programs.ts';
import { constrained, GATEKEEPER, installed, mutated, registered } from './gatekeeper-scripts.ts';

const OPERATIONS = ['webhook', 'mutation-webhook', 'mutation-controller', 'status', 'mutation-status', 'generate'];

export async function runGatekeeper(
  pair: Pair,
  folder: string,
  certificates: ServingCertificates,
): Promise<readonly StepResult[]> {
  const executable = program('gatekeeper');
  const { namespace, service } = GATEKEEPER;
  const serving = join(folder, 'serving');
  writePair(serving, await certificates.issue(service, namespace));
  const crds = join(PEERS, 'gatekeeper-crds');
  const sides = await Sides.open(pair, folder, () => ({ caBundle: certificates.caBundle, crds }));
  try {
    await sides.run(installed());
    await sides.start(async ({ peer, folder: own, port }) => {
      const healthPort = await freePort();
      return startBackend({
        what: `Gatekeeper of ${peer.name}`,
        program: executable,
        folder: own,
        ready: { url: `http://127.0.0.1:${healthPort}/readyz` },
        place: { env: { POD_NAME: 'gatekeeper', POD_NAMESPACE: namespace } },
        args: [
          `--kubeconfig=${peer.kubeconfig('admin')}`,
          `--port=${port}`,
          `--cert-dir=${serving}`,
          '--disable-cert-rotation',
          '--debug-use-fake-pod',
          '--shutdown-delay=0',
          `--exempt-namespace=${namespace}`,
          `--health-addr=127.0.0.1:${healthPort}`,
          `--prometheus-port=${await freePort()}`,
          ...OPERATIONS.map((operation) => `--operation=${operation}`),
        ],
      });
    });
    await sides.run(registered());
    await sides.run(constrained());
    await sides.run(mutated());
  } finally {
    await sides.stop();
  }
  return sides.results;
}
