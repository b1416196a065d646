/**
 * A server of `keelson/extension` behind both servers: registered with the objects of `manifests()`, used, stopped and
 * back. It runs in this process, with the rights of its ServiceAccount only.
 */
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json-value.ts';
import {
  createExtensionServer,
  defineResource,
  type ExtensionServer,
  listMap,
  manifests,
  type ResourceDefinition,
  rule,
} from '../../src/extension/index.ts';
import type { StepResult } from '../kubectl/run.ts';
import type { Pair } from '../peers/pair.ts';
import type { Child } from '../peers/process.ts';
import { type ServingCertificates, serviceAccountKubeconfig, writePair } from './backend.ts';
import { sdkAdmission, startGuard } from './sdk-admission.ts';
import { sdkBack, sdkDead, sdkGone, sdkRegistered, sdkServed } from './sdk-server-scripts.ts';
import { type Side, Sides } from './sides.ts';

const NAMES = { namespace: 'bank', name: 'bank' };

const ACCOUNT: ResourceDefinition = defineResource({
  group: 'bank.example.com',
  version: 'v1',
  kind: 'Account',
  description: 'An account of a bank.',
  shortNames: ['acc'],
  categories: ['all'],
  spec: {
    type: 'object',
    required: ['owner'],
    properties: {
      owner: { type: 'string', minLength: 1, description: 'The name of the owner.' },
      currency: { type: 'string', enum: ['EUR', 'CHF'], default: 'EUR', description: 'The currency of the balance.' },
      cards: {
        type: 'array',
        description: 'The cards of the account.',
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, limit: { type: 'integer' } },
        },
        ...listMap('name'),
      },
    },
    ...rule('self.owner == oldSelf.owner', 'the owner of an account never changes'),
  },
  status: { type: 'object', properties: { balance: { type: 'integer', description: 'In cents.' } } },
  columns: [
    { name: 'Owner', jsonPath: '.spec.owner' },
    { name: 'Balance', jsonPath: '.status.balance', type: 'integer' },
    { name: 'Currency', jsonPath: '.spec.currency', priority: 1 },
  ],
  selectableFields: ['spec.owner'],
});

export async function runSdkServer(
  pair: Pair,
  folder: string,
  certificates: ServingCertificates,
): Promise<readonly StepResult[]> {
  const keyed = await certificates.issue(NAMES.name, NAMES.namespace);
  const [certFile, keyFile] = writePair(join(folder, 'serving'), keyed);
  const sides = await Sides.open(pair, folder, () => ({}));
  const start = async ({ peer, folder: own, port }: Side): Promise<Child> => {
    const kubeconfig = await serviceAccountKubeconfig(peer, own, NAMES);
    const server = createServer(own, kubeconfig);
    await server.listen({ host: '127.0.0.1', port, certFile, keyFile });
    return { pid: process.pid, ended: () => undefined, stop: () => server.stop() };
  };
  const guard = await startGuard();
  try {
    await sides.run(sdkRegistered(await registration(folder, certificates.caPem)));
    await sides.start(start);
    await sides.run(sdkServed());
    await sides.run(sdkAdmission(guard));
    await sides.stop();
    await sides.run(sdkDead());
    await sides.start(start);
    await sides.run(sdkBack());
    await sides.run(sdkGone());
  } finally {
    await sides.stop();
    await guard.stop();
  }
  return sides.results;
}

function createServer(folder: string, kubeconfig: string): ExtensionServer {
  return createExtensionServer({
    resources: [ACCOUNT],
    storage: { folder: join(folder, 'data') },
    parent: { kubeconfig },
    version: '1.2.3',
  });
}

/** The manifests as one List, with the port of the side as a variable. */
async function registration(folder: string, ca: string): Promise<string> {
  const placeholder = 4711;
  const server = createServer(folder, '');
  const items = await manifests(server, { namespace: NAMES.namespace, address: `localhost:${placeholder}`, ca });
  const list: JsonObject = { apiVersion: 'v1', kind: 'List', items: [...items] };
  return JSON.stringify(list, undefined, 2).replaceAll(`"port": ${placeholder}`, '"port": {{port}}');
}
