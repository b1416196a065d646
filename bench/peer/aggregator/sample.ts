/** The Go sample-apiserver with an etcd of its own, registered behind both servers of the benchmark. */
import { type ServingCertificates, startBackend, writePair } from '../../../compat/aggregation/backend.ts';
import { startEtcd } from '../../../compat/peers/etcd.ts';
import { freePort } from '../../../compat/peers/free-port.ts';
import type { Peer } from '../../../compat/peers/peer.ts';
import { program } from '../../../compat/peers/programs.ts';
import { ask, type Side, send } from '../side.ts';

export const NAMESPACE = 'wardle';
export const FLUNDERS: string = flundersOf(NAMESPACE);

export function flundersOf(namespace: string): string {
  return `/apis/wardle.example.com/v1alpha1/namespaces/${namespace}/flunders`;
}

export interface Sample {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** `parent` answers its reviews of tokens. */
export async function startSample(folder: string, certificates: ServingCertificates, parent: Peer): Promise<Sample> {
  const etcd = await startEtcd({ folder });
  const port = await freePort();
  const [certificate, key] = writePair(folder, await certificates.issue('api', NAMESPACE));
  const kubeconfig = parent.kubeconfig('admin');
  const server = await startBackend({
    what: 'sample-apiserver',
    program: program('sample-apiserver'),
    folder,
    ready: { port, caPem: certificates.caPem },
    args: [
      `--etcd-servers=${etcd.url}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${certificate}`,
      `--tls-private-key-file=${key}`,
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
    ],
  });
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    stop: async () => {
      await server.stop();
      await etcd.stop();
    },
  };
}

export interface Registration {
  readonly group: string;
  readonly version: string;
  readonly service: string;
  readonly port: number;
  readonly caBundle: string;
}

/** Registers a server on the loopback address, and waits until it is available. */
export async function register(side: Side, registration: Registration): Promise<void> {
  const { group, version, service, port, caBundle } = registration;
  await send(side, 'POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await ask(side, 'POST', `/api/v1/namespaces/${NAMESPACE}/services`, {
    metadata: { name: service },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  const name = `${version}.${group}`;
  const path = '/apis/apiregistration.k8s.io/v1/apiservices';
  await ask(side, 'POST', path, {
    metadata: { name },
    spec: {
      group,
      version,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: NAMESPACE, name: service, port },
      caBundle,
    },
  });
  for (let tries = 0; tries < 300; tries++) {
    const text = await ask(side, 'GET', `${path}/${name}`);
    const { status } = JSON.parse(text) as { status?: { conditions?: { type: string; status: string }[] } };
    if (status?.conditions?.some((one) => one.type === 'Available' && one.status === 'True')) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${side.name}: ${name} does not become available`);
}
