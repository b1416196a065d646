/** Amounts that servers share: quotas, ports and addresses of Services, and namespaces as the place of new objects. */
import type { JsonObject } from '../../src/base/json-value.ts';
import { expectEqual } from '../../src/storage/suite-assert.ts';
import { expectStatus, must, nameOf, send } from '../common/json-requests.ts';
import { readKeys } from './etcd-keys.ts';
import { eventOf, type ServerCase, type Servers, watching } from './servers.ts';
import { checkServices } from './services.ts';

const LIMIT = 20;
const CREATES_PER_SERVER = 30;
const NAMESPACE_ROUNDS = 30;
const CONFIG_MAPS = 10;

/** A namespace can be used through the other server as soon as its create was answered. */
async function newNamespaces(servers: Servers): Promise<void> {
  for (let i = 0; i < NAMESPACE_ROUNDS; i++) {
    const namespace = await servers.namespace();
    const path = `/api/v1/namespaces/${namespace}`;
    await expectStatus(
      servers.b,
      { method: 'POST', path: `${path}/configmaps`, body: { metadata: { name: 'at-once' } } },
      201,
    );
    const pod = { metadata: { name: 'at-once' }, spec: { containers: [{ name: 'main', image: 'none' }] } };
    await expectStatus(servers.b, { method: 'POST', path: `${path}/pods`, body: pod }, 201);
  }
}

/** A LimitRange counts through the other server as soon as its create was answered. */
async function newLimitRanges(servers: Servers): Promise<void> {
  for (let i = 0; i < NAMESPACE_ROUNDS; i++) {
    const path = `/api/v1/namespaces/${await servers.namespace()}`;
    const limits = [{ type: 'Container', default: { cpu: '2' } }];
    const body = { metadata: { name: 'at-once' }, spec: { limits } };
    await must(servers.a, { method: 'POST', path: `${path}/limitranges`, body });
    const pod = { metadata: { name: 'limited' }, spec: { containers: [{ name: 'main', image: 'none' }] } };
    const created = await must(servers.b, { method: 'POST', path: `${path}/pods`, body: pod });
    expectEqual(JSON.stringify(created).includes('"limits":{"cpu":"2"}'), true, 'the limit of a new pod');
  }
}

/** Both servers create objects at the same time, of which a quota allows fewer. */
async function quotas(servers: Servers): Promise<void> {
  const { a, b } = servers;
  const namespace = await servers.namespace();
  const collection = `/api/v1/namespaces/${namespace}/resourcequotas`;
  const isCounted = (object: JsonObject): boolean =>
    ((object['status'] ?? {}) as { used?: JsonObject }).used?.['count/secrets'] !== undefined;
  const body = { metadata: { name: 'few' }, spec: { hard: { 'count/secrets': String(LIMIT) } } };
  await watching(b, collection, async (stream) => {
    await watching(a, collection, async (own) => {
      await must(a, { method: 'POST', path: collection, body });
      for (const each of [own, stream]) await each.until('counted quota', ({ object }) => isCounted(object));
    });
  });
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  const answers = await Promise.all(
    [a, b].flatMap((client) =>
      Array.from({ length: CREATES_PER_SERVER }, (_, i) =>
        send(client, { method: 'POST', path, body: { metadata: { name: `${client.peer.name}-${i}` } } }),
      ),
    ),
  );
  const statuses = new Map<number, number>();
  for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const counts = [...statuses].sort(([x], [y]) => x - y).map(([status, count]) => `${count} × ${status}`);
  expectEqual(counts, [`${LIMIT} × 201`, `${2 * CREATES_PER_SERVER - LIMIT} × 403`], 'the answers');
  const { items } = (await must(b, { method: 'GET', path })) as unknown as { items: JsonObject[] };
  expectEqual(items.length, LIMIT, 'the Secrets');
}

/** A namespace is deleted through one server while the other one creates objects in it. */
async function deletedNamespace(servers: Servers): Promise<void> {
  const { a, b, etcdUrl } = servers;
  const namespace = await servers.namespace();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  for (let i = 0; i < CONFIG_MAPS; i++)
    await must(a, { method: 'POST', path, body: { metadata: { name: `before-${i}` } } });
  let isGone = false;
  const create = async (creator: number): Promise<void> => {
    for (let i = 0; !isGone; i++) {
      const { status } = await send(b, {
        method: 'POST',
        path,
        body: { metadata: { name: `during-${creator}-${i}` } },
      });
      if (status !== 201) return;
    }
  };
  const creators = [0, 1, 2, 3].map(create);
  await watching(b, '/api/v1/namespaces', async (stream) => {
    await must(a, { method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    await stream.until('deletion', eventOf('DELETED', namespace));
  });
  isGone = true;
  await Promise.all(creators);
  const { keys } = await readKeys(etcdUrl, '/registry/');
  const left = keys.filter(({ key }) => key.includes(`/${namespace}/`)).map(({ key }) => key);
  expectEqual(left, [], 'the objects that are left');
}

/** The owner is deleted through one server; its dependent was created through the other. */
async function garbage(servers: Servers): Promise<void> {
  const { a, b } = servers;
  const namespace = await servers.namespace();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const owner = await must(a, { method: 'POST', path, body: { metadata: { name: 'owner' } } });
  const { uid } = owner['metadata'] as { uid: string };
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: nameOf(owner), uid }];
  await must(b, { method: 'POST', path, body: { metadata: { name: 'dependent', ownerReferences } } });
  await watching(b, path, async (stream) => {
    await must(a, { method: 'DELETE', path: `${path}/owner` });
    await stream.until('deletion of the dependent', eventOf('DELETED', 'dependent'));
  });
}

/** The server that runs the loops is killed. The other one takes over. Only one of them runs after this case. */
async function killedLeader(servers: Servers): Promise<void> {
  const { a, b } = servers;
  const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const lease = await must(a, { method: 'GET', path: `${path}/keelson-controllers` });
  const { holderIdentity } = lease['spec'] as { holderIdentity: string };
  const namespace = await servers.namespace();
  // The first server to start is the leader, because nothing has stopped it since.
  await watching(b, path, async (stream) => {
    servers.kill(a);
    await stream.until('other holder', ({ object }) => {
      const spec = (object['spec'] ?? {}) as { holderIdentity?: string };
      return nameOf(object) === 'keelson-controllers' && spec.holderIdentity !== holderIdentity;
    });
  });
  await watching(b, '/api/v1/namespaces', async (stream) => {
    await must(b, { method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    await stream.until('deletion', eventOf('DELETED', namespace));
  });
}

async function services({ a, b, etcdUrl }: Servers): Promise<void> {
  expectEqual(await checkServices({ etcdUrl, clients: [a, b] }), [], 'differences');
}

export const CLAIM_CASES: readonly ServerCase[] = [
  ['a namespace of one server can be used at once through the other', newNamespaces],
  ['a LimitRange of one server counts at once on the other', newLimitRanges],
  ['two servers do not exceed a quota', quotas],
  ['two servers share ports and addresses of Services', services],
  ['a deleted namespace leaves nothing', deletedNamespace],
  ['dependents of a deleted owner are deleted', garbage],
  ['the loops continue when their server is killed', killedLeader],
];
