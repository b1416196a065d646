/** Servers with stored forms of kube-apiserver on one store: the writer shows its own bytes, others decode them. */
import { afterEach, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { createMemoryStorage } from '../storage/memory/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { completeOptions } from './complete-options.ts';
import type { ControlPlane } from './control-plane.ts';
import { nodePlatform } from './node/node-platform.ts';
import { serverOptions } from './options.ts';
import { startControlPlane } from './start.ts';

const planes: ControlPlane[] = [];
afterEach(async () => {
  for (const plane of planes.splice(0)) await plane.stop();
});

async function start(storage: Storage): Promise<ControlPlane> {
  const options = serverOptions({
    storage: 'etcd',
    etcd: { servers: ['http://127.0.0.1:1'] },
    dataDir: '',
    controllers: [],
    serving: { port: 0 },
  });
  const plane = await startControlPlane(await completeOptions(options, nodePlatform), { storage });
  planes.push(plane);
  await plane.ready;
  return plane;
}

async function ask(plane: ControlPlane, method: string, target: string, body?: object): Promise<string> {
  const answer = await plane.transport({
    method,
    target,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: encodeUtf8(JSON.stringify(body)) }),
  });
  return decodeUtf8(answer.body as Uint8Array);
}

it('the server that wrote an object and one that decodes it show the same bytes', async () => {
  const storage = createMemoryStorage();
  const [writer, reader] = [await start(storage), await start(storage)];
  const objects = {
    configmaps: { metadata: { name: 'a', labels: {}, annotations: { x: '' } }, data: {}, binaryData: { b: 'AAE=' } },
    services: { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }], selector: {} } },
    pods: { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i', env: [], args: [''] }] } },
  };
  for (const [plural, body] of Object.entries(objects)) {
    const collection = `/api/v1/namespaces/default/${plural}`;
    const created = await ask(writer, 'POST', collection, body);
    const shown = await ask(writer, 'GET', `${collection}/a`);
    expect(shown).toContain('"uid"');
    expect(JSON.parse(shown)).toEqual(JSON.parse(created));
    expect(JSON.parse(await ask(reader, 'GET', `${collection}/a`))).toEqual(JSON.parse(shown));
  }
});

it('a stored value that cannot be decoded is counted, and is a 500 also before its resource was used', async () => {
  const storage = createMemoryStorage();
  const plane = await start(storage);
  await storage.create('registry/limitranges/default/bad', encodeUtf8('{"kind":"LimitRange","apiVersion":"v7"}'));
  expect(await ask(plane, 'GET', '/api/v1/namespaces/default/limitranges/bad')).toContain('"code":500');
  expect(await ask(plane, 'GET', '/api/v1/namespaces/default/limitranges')).toContain('"code":500');
  const metrics = await ask(plane, 'GET', '/metrics');
  expect(metrics).toMatch(/apiserver_storage_decode_errors_total\{group="",resource="limitranges"\} [1-9]/);
});
