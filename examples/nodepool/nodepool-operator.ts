// A small operator in the manner of Cluster API: a NodePool has machines, each machine has a Node, and a new version
// replaces the machines one after the other.
import type { Client, Stored } from 'keelson/client';
import { after, done, type Operator, operator, type ReconcileContext } from 'keelson/controller';
import { Node } from 'keelson/kinds/core/v1';
import { Machines } from './machines.ts';
import { NodePool } from './nodepool.ts';

const POOL = 'pools.example.com/pool';
const VERSION = 'pools.example.com/version';
const MANAGER = 'nodepool';

export function nodePoolOperator(machines: Machines = new Machines()): Operator<NodePool> {
  return operator(MANAGER)
    .for(NodePool, { when: 'generation' })
    .owns(Node)
    .finalizer('pools.example.com/machines', async (context) => {
      const nodes = await nodesOf(context);
      for (const node of nodes) await removeNode(context.client, machines, node);
      return nodes.length === 0 ? done : after('100ms');
    })
    .reconcile(async (context) => {
      const { object: pool, apply, client, status, event } = context;
      const { replicas, version } = pool.spec;
      const before = await nodesOf(context);

      // Too many: outdated ones go first. Too few: the free names are used. One outdated one is replaced at a time.
      const [surplus, kept] = split(before, pool);
      for (const node of surplus) await removeNode(client, machines, node);
      const names = new Set(kept.map(({ metadata }) => metadata.name));
      for (let i = 0; names.size < replicas; i++) {
        const name = `${pool.metadata.name}-${i}`;
        if (names.has(name)) continue;
        names.add(name);
        const labels = { [POOL]: pool.metadata.name, [VERSION]: version };
        await apply(Node, { metadata: { name, labels }, spec: { providerID: `example://${name}` } });
      }

      let ready = 0;
      for (const node of await nodesOf(context)) {
        const machine = await machines.ensure(node.metadata.name);
        if (machine.ready) ready++;
        if (machine.ready && !isReady(node)) await markReady(client, node);
      }
      const nodes = await nodesOf(context);
      const updated = nodes.filter((node) => versionOf(node) === version).length;
      const settled = ready === replicas && updated === replicas && nodes.length === replicas;
      status({
        replicas: nodes.length,
        readyReplicas: ready,
        updatedReplicas: updated,
        selector: `${POOL}=${pool.metadata.name}`,
      })
        .condition('Ready', ready === replicas, 'Machines', `${ready} of ${replicas} machines are ready`)
        .condition(
          'Progressing',
          !settled,
          settled ? 'Complete' : 'RollingOut',
          `${updated} of ${replicas} have ${version}`,
        );
      const wasSettled = pool.status?.conditions?.some(
        ({ type, status }) => type === 'Progressing' && status === 'False',
      );
      if (settled && wasSettled !== true) event('Complete', `${replicas} machines have version ${version}`);
      return settled ? done : after('100ms');
    });
}

type Context = Pick<ReconcileContext<NodePool>, 'object' | 'cache'>;

async function nodesOf({ object, cache }: Context): Promise<readonly Stored<Node>[]> {
  const nodes = await cache.list(Node, { labelSelector: `${POOL}=${object.metadata.name}` });
  return nodes
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** The nodes to remove and the nodes to keep. An outdated node is removed only while all others are ready. */
function split(nodes: readonly Stored<Node>[], { spec }: Stored<NodePool>): [Stored<Node>[], Stored<Node>[]] {
  const outdatedLast = nodes.toSorted((a, b) => Number(isOutdated(a, spec)) - Number(isOutdated(b, spec)));
  const surplus = outdatedLast.slice(spec.replicas);
  const kept = outdatedLast.slice(0, spec.replicas);
  const outdated = kept.find((node) => isOutdated(node, spec));
  const rolls = surplus.length === 0 && nodes.length === spec.replicas && nodes.every(isReady);
  if (outdated === undefined || !rolls) return [surplus, kept];
  return [[outdated], kept.filter((node) => node !== outdated)];
}

function isOutdated(node: Stored<Node>, spec: Stored<NodePool>['spec']): boolean {
  return versionOf(node) !== spec.version;
}

function versionOf(node: Stored<Node>): string | undefined {
  return node.metadata.labels?.[VERSION];
}

function isReady(node: Stored<Node>): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

async function markReady(client: Client, { metadata: { name } }: Stored<Node>): Promise<void> {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'Booted', message: '', lastHeartbeatTime: now, lastTransitionTime: now },
  ] as const;
  await client
    .api(Node)
    .apply(
      { metadata: { name }, status: { conditions } },
      { fieldManager: MANAGER, force: true, subresource: 'status' },
    );
}

async function removeNode(
  client: Client,
  machines: Machines,
  { metadata: { name, uid } }: Stored<Node>,
): Promise<void> {
  await machines.remove(name);
  await client.api(Node).delete(name, { preconditions: { uid } });
}
