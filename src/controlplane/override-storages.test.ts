/** A server whose resources are in several storages. The memory driver stands for each etcd cluster. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { Logger } from '../base/logger.ts';
import type { ForkableStorage } from '../storage/embedded-storage.ts';
import { createMemoryStorage } from '../storage/memory/memory-storage.ts';
import { completeOptions } from './complete-options.ts';
import type { ControlPlane } from './control-plane.ts';
import { nodePlatform } from './node/node-platform.ts';
import { serverOptions } from './options.ts';
import { startControlPlane } from './start.ts';

let plane: ControlPlane | undefined;
afterEach(async () => {
  await plane?.stop();
  plane = undefined;
});

interface Started {
  readonly plane: ControlPlane;
  readonly clusters: ReadonlyMap<string, ForkableStorage>;
  readonly warnings: readonly string[];
}

async function start(overrides: readonly string[]): Promise<Started> {
  const clusters = new Map<string, ForkableStorage>();
  const warnings: string[] = [];
  const options = serverOptions({
    storage: 'etcd',
    etcd: { servers: ['http://main:1'], serversOverrides: overrides, mediaType: 'application/json' },
    dataDir: '',
    serving: { port: 0 },
  });
  const completed = await completeOptions(options, {
    ...nodePlatform,
    openEtcd: async ({ servers }) => {
      const storage = createMemoryStorage();
      clusters.set(servers.join(), storage);
      return storage;
    },
  });
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message) => void warnings.push(message),
    error: () => undefined,
  };
  plane = await startControlPlane(completed, { logger });
  await plane.ready;
  return { plane, clusters, warnings };
}

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly object: JsonObject;
}

async function ask(on: ControlPlane, method: string, target: string, body?: object): Promise<Asked> {
  const answer = await on.transport({
    method,
    target,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: encodeUtf8(JSON.stringify(body)) }),
  });
  const text = decodeUtf8(answer.body as Uint8Array);
  return { status: answer.status, text, object: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {} };
}

async function keysIn(storage: ForkableStorage | undefined, prefix: string): Promise<readonly string[]> {
  const listed = await storage?.list({ prefix });
  return listed?.outcome === 'ok' ? listed.items.map(({ key }) => key) : [];
}

const EVENT = {
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { namespace: 'default' },
  reason: 'Test',
};
const EVENTS = '/api/v1/namespaces/default/events';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('resources of --etcd-servers-overrides', () => {
  it('are in the other storage only, with its revisions; both groups of events are the same resource', async () => {
    const { plane: server, clusters } = await start(['/events#http://events:1']);
    expect((await ask(server, 'POST', EVENTS, EVENT)).status).toBe(201);
    expect((await ask(server, 'POST', CONFIG_MAPS, { metadata: { name: 'c' } })).status).toBe(201);
    const [main, events] = [clusters.get('http://main:1'), clusters.get('http://events:1')];
    expect(await keysIn(events, 'registry/')).toEqual(['registry/events/default/e']);
    expect(await keysIn(main, 'registry/events/')).toEqual([]);
    expect(await keysIn(main, 'registry/configmaps/default/c')).toHaveLength(1);
    const listed = await ask(server, 'GET', EVENTS);
    expect(listed.object['metadata']).toMatchObject({ resourceVersion: String(await events?.revision()) });
    const other = await ask(server, 'GET', '/apis/events.k8s.io/v1/namespaces/default/events/e');
    expect([other.status, other.object['metadata']]).toMatchObject([200, { resourceVersion: '2' }]);
  });

  it('have checks by the names of the reference, in its groups', async () => {
    const { plane: server } = await start(['/events#http://a:1', 'apps/deployments#http://b:1']);
    const names = async (endpoint: string): Promise<readonly string[]> =>
      (await ask(server, 'GET', `${endpoint}?verbose`)).text.match(/etcd[\w-]*/g) ?? [];
    expect(await names('/livez')).toEqual(['etcd', 'etcd-override-0', 'etcd-override-1']);
    expect(await names('/readyz')).toEqual([
      'etcd',
      'etcd-readiness',
      'etcd-override-0',
      'etcd-override-readiness-0',
      'etcd-override-1',
      'etcd-override-readiness-1',
    ]);
    const { text } = await ask(server, 'GET', '/readyz?verbose&exclude=etcd&exclude=etcd-readiness');
    expect(text.match(/etcd[\w-]* excluded/g)).toHaveLength(6);
    expect((await ask(server, 'GET', '/readyz/etcd-override-readiness-1')).text).toBe('ok');
    const components = await ask(server, 'GET', '/api/v1/componentstatuses');
    expect(components.text.match(/etcd-\d/g)).toEqual(['etcd-0', 'etcd-1', 'etcd-2']);
  });

  it('fail alone when their storage fails, and make the server not ready', async () => {
    const { plane: server, clusters } = await start(['/events#http://events:1']);
    await clusters.get('http://events:1')?.stop();
    expect((await ask(server, 'GET', EVENTS)).status).toBeGreaterThanOrEqual(500);
    expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(200);
    const { status, text } = await ask(server, 'GET', '/readyz');
    expect(status).toBe(500);
    expect(text).toContain('[-]etcd-override-readiness-0 failed: reason withheld');
  });

  it('are collected with their owners, which are in another storage', async () => {
    const { plane: server, clusters } = await start(['/secrets#http://secrets:1']);
    const owner = await ask(server, 'POST', CONFIG_MAPS, { metadata: { name: 'owner' } });
    const { uid } = owner.object['metadata'] as { uid: string };
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    const secrets = '/api/v1/namespaces/default/secrets';
    expect((await ask(server, 'POST', secrets, { metadata: { name: 'owned', ownerReferences } })).status).toBe(201);
    const storage = clusters.get('http://secrets:1') as ForkableStorage;
    const deleted = new Promise<string>((resolve) => {
      storage.watch(
        { ranges: [{ prefix: 'registry/secrets/' }], from: { after: storage.revision() as number } },
        {
          events: (events) => {
            for (const { type, key } of events) if (type === 'delete') resolve(key);
          },
          progress: () => undefined,
          end: () => undefined,
        },
      );
    });
    await ask(server, 'DELETE', `${CONFIG_MAPS}/owner`);
    expect(await deleted).toBe('registry/secrets/default/owned');
  });

  it('are warned about if no built-in resource has the name', async () => {
    const { warnings } = await start([
      '/evnets#http://a:1',
      'apiregistration.k8s.io/apiservices#http://a:1',
      'apps/*#http://a:1',
    ]);
    expect(warnings.filter((message) => message.includes('overrides'))).toEqual([
      '--etcd-servers-overrides: /evnets has no effect: only built-in resources can be in another cluster',
      '--etcd-servers-overrides: apiregistration.k8s.io/apiservices has no effect: only built-in resources can be in another cluster',
    ]);
  });

  it('count in the metrics of objects', async () => {
    const { plane: server } = await start(['/events#http://events:1']);
    // Objects are counted after the server is ready.
    let text = '';
    for (let turns = 0; turns < 1000 && !text.includes('apiserver_resource_objects'); turns++) {
      await setImmediate();
      ({ text } = await ask(server, 'GET', '/metrics'));
    }
    expect(text).toContain('apiserver_resource_objects{group="",resource="events"} 0');
    expect(text).toContain('apiserver_storage_objects{resource="clusterroles.rbac.authorization.k8s.io"} 69');
    expect(text).toContain(
      'apiserver_resource_objects{group="apiextensions.k8s.io",resource="customresourcedefinitions"} 0',
    );
  });
});
