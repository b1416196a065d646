/**
 * Garbage collection and namespace deletion beside kube-apiserver with kube-controller-manager: the time from the
 * request until everything is gone, and the CPU of all processes together.
 *
 * kube-controller-manager waits 5 s before it looks at a deleted namespace, which no flag changes: that wait is taken off
 * its time. Its limits on requests per second are lifted.
 */
import { connect } from 'node:http2';
import { startControllerManager } from '../../compat/peers/controller-manager.ts';
import type { Peer } from '../../compat/peers/peer.ts';
import { ask, configMapBody, headersOf, type Side, withCpu } from './side.ts';
import type { Bar } from './table.ts';
import { create, fill, measure } from './work.ts';

export interface CollectionOptions {
  readonly short: boolean;
  startOurs(): Promise<Side>;
  startReference(): Promise<Peer>;
  sideOf(peer: Peer): Side;
  judge(bar: Bar): void;
}

interface Gone {
  readonly seconds: number;
  readonly cpu: number;
}

/** `namespaceDeletionGracePeriod` of kubernetes/pkg/controller/namespace. */
const FIXED_WAIT_SECONDS = 5;
const LOOPS = ['namespace-controller', 'garbage-collector-controller'];
const UNLIMITED = ['--kube-api-qps=10000', '--kube-api-burst=10000'];

export async function benchCollection(options: CollectionOptions): Promise<void> {
  const { short, judge } = options;
  const rounds = short ? 1 : 3;
  const [objects, dependents] = short ? [2000, 1000] : [10_000, 5000];
  const results: Record<'ours' | 'peer', Record<'namespace' | 'owner', Gone[]>> = {
    ours: { namespace: [], owner: [] },
    peer: { namespace: [], owner: [] },
  };
  const run = async (side: Side, into: Record<'namespace' | 'owner', Gone[]>, waited: number): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      const gone = await deleteNamespace(side, `full-${round}`, objects);
      into.namespace.push({ ...gone, seconds: gone.seconds - waited });
      into.owner.push(await deleteOwner(side, `owner-${round}`, dependents));
    }
  };
  const ours = await options.startOurs();
  try {
    await run(ours, results.ours, 0);
  } finally {
    await ours.stop();
  }
  const peer = await options.startReference();
  try {
    const manager = await startControllerManager(peer, LOOPS, UNLIMITED);
    try {
      const side = options.sideOf(peer);
      await run({ ...side, pids: [...side.pids, manager.pid] }, results.peer, FIXED_WAIT_SECONDS);
    } finally {
      await manager.stop();
    }
  } finally {
    await peer.stop();
  }
  const lines = [
    ['namespace', `namespace with ${objects} objects, deleted to gone`],
    ['owner', `owner with ${dependents} dependents, deleted to gone`],
  ] as const;
  for (const [key, name] of lines) {
    const of = (who: 'ours' | 'peer', what: keyof Gone): number[] => results[who][key].map((gone) => gone[what]);
    judge({
      name: `${name}: time`,
      unit: 's',
      ours: of('ours', 'seconds'),
      peer: of('peer', 'seconds'),
      better: 'less',
      atLeast: 3,
    });
    judge({
      name: `${name}: CPU of all processes`,
      unit: 's',
      ours: of('ours', 'cpu'),
      peer: of('peer', 'cpu'),
      better: 'less',
      atLeast: 4,
    });
  }
}

async function deleteNamespace(side: Side, name: string, objects: number): Promise<Gone> {
  await ask(side, 'POST', '/api/v1/namespaces', { metadata: { name } });
  await fill(side, objects, name);
  return timed(side, '/api/v1/namespaces', name, () => ask(side, 'DELETE', `/api/v1/namespaces/${name}`));
}

/** In the foreground: the owner goes when its last dependent has gone. */
async function deleteOwner(side: Side, name: string, dependents: number): Promise<Gone> {
  await ask(side, 'POST', '/api/v1/namespaces', { metadata: { name } });
  const collection = `/api/v1/namespaces/${name}/configmaps`;
  const owner = JSON.parse(await ask(side, 'POST', collection, { metadata: { name } })) as {
    metadata: { uid: string };
  };
  const body = JSON.parse(configMapBody()) as { metadata: object };
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: owner.metadata.uid, blockOwnerDeletion: true };
  const dependent = JSON.stringify({ ...body, metadata: { ...body.metadata, ownerReferences: [reference] } });
  await measure(side, { path: collection, requests: dependents, connections: 4, streams: 16, body: dependent });
  // Other objects of the kind are there, too, as in a cluster.
  await create(side, 100, name);
  return timed(side, collection, name, () =>
    ask(side, 'DELETE', `${collection}/${name}`, { propagationPolicy: 'Foreground' }),
  );
}

/** The time and CPU from the request until a watch reports that the object is gone. */
async function timed(side: Side, collection: string, name: string, work: () => Promise<unknown>): Promise<Gone> {
  await settle(side);
  const watch = await watchDeletion(side, collection, name);
  const began = performance.now();
  try {
    const { cpu } = await withCpu(side, async () => {
      await work();
      await watch.deleted;
    });
    return { seconds: (performance.now() - began) / 1000, cpu };
  } finally {
    watch.close();
  }
}

/** Waits until the processes no longer work on what was created. */
async function settle(side: Side): Promise<void> {
  for (let calm = 0; calm < 3; ) {
    const { cpu } = await withCpu(side, () => new Promise((resolve) => setTimeout(resolve, 500)));
    calm = cpu < 0.05 ? calm + 1 : 0;
  }
}

async function watchDeletion(
  side: Side,
  collection: string,
  name: string,
): Promise<{ readonly deleted: Promise<void>; close(): void }> {
  const session = connect(side.url, { rejectUnauthorized: false });
  const headers = Object.fromEntries(headersOf(side).map((line) => line.split(': ') as [string, string]));
  const stream = session.request({
    ...headers,
    ':path': `${collection}?watch=true&fieldSelector=metadata.name%3D${name}`,
  });
  const deleted = new Promise<void>((resolve, reject) => {
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('"type":"DELETED"')) resolve();
    });
    stream.on('error', reject);
    stream.on('end', () => reject(new Error(`${side.name}: the watch of ${name} ended`)));
  });
  await new Promise<void>((resolve, reject) => {
    stream.once('response', () => resolve());
    stream.once('error', reject);
  });
  return { deleted, close: () => session.destroy() };
}
