import { afterEach, describe, expect, it } from 'vitest';
import { encodeObject } from '../apimachinery/protobuf/encode.ts';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import type { JsonObject } from '../base/json-value.ts';
import { kindView } from '../kinds/views.ts';
import type { KeyValue } from '../storage/storage.ts';
import { completeOptions } from './complete-options.ts';
import type { ControlPlane } from './control-plane.ts';
import { nodePlatform } from './node/node-platform.ts';
import { serverOptions } from './options.ts';
import { type SnapshotReport, SnapshotStore } from './snapshot-store.ts';
import { startControlPlane } from './start.ts';

const REVISION = 90;
let plane: ControlPlane | undefined;

afterEach(async () => {
  await plane?.stop();
  plane = undefined;
});

function item(key: string, value: Uint8Array | string, revision = 7): KeyValue {
  return { key, value: typeof value === 'string' ? encodeUtf8(value) : value, revision, created: revision };
}

function protobuf(group: string, object: JsonObject): Uint8Array {
  const version = String(object['apiVersion']).split('/').at(-1) as string;
  const encoded = encodeObject(kindView(group, version, String(object['kind'])), object);
  if (!encoded.ok) throw new Error(encoded.error.message);
  return encoded.bytes;
}

async function open(items: readonly KeyValue[]): Promise<SnapshotReport> {
  const options = serverOptions({ storage: 'memory', dataDir: '', controllers: [], serving: { port: 0 } });
  const completed = await completeOptions(options, nodePlatform);
  const store = new SnapshotStore({ prefix: '/registry', reason: 'the store is read-only' });
  let report: SnapshotReport | undefined;
  plane = await startControlPlane(completed, {
    snapshot: {
      store,
      takeState: () => ({ revision: REVISION, items }),
      onReport: (given) => {
        report = given;
      },
    },
  });
  await plane.ready;
  return report as SnapshotReport;
}

async function send(method: string, target: string, body?: JsonObject): Promise<[number, JsonObject]> {
  const { status, body: answer } = await plane!.transport({
    method,
    target,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: encodeUtf8(JSON.stringify(body)) }),
  });
  const chunks: Uint8Array[] = [];
  if (answer instanceof Uint8Array) chunks.push(answer);
  else for await (const chunk of answer) chunks.push(chunk);
  return [status, JSON.parse(decodeUtf8(concatBytes(chunks))) as JsonObject];
}

const CONFIG = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'shop' }, data: { k: 'v' } };

describe('the store over an etcd snapshot', () => {
  it('shows the empty lists of JSON values, which protobuf does not have', async () => {
    const slice = {
      kind: 'EndpointSlice',
      apiVersion: 'discovery.k8s.io/v1',
      metadata: { name: 'a', namespace: 'shop' },
      addressType: 'IPv4',
      endpoints: [],
    };
    await open([
      item('/registry/endpointslices/shop/a', JSON.stringify(slice)),
      item('/registry/endpointslices/shop/b', protobuf('discovery.k8s.io', { ...slice, metadata: { name: 'b' } })),
    ]);
    const path = '/apis/discovery.k8s.io/v1/endpointslices';
    const [, list] = await send('GET', path);
    expect((list['items'] as JsonObject[]).map(({ endpoints }) => endpoints)).toEqual([[], null]);
  });

  it('shows protobuf and JSON values with their revisions and the defaults of their versions', async () => {
    const service = { kind: 'Service', apiVersion: 'v1', metadata: { name: 'web', namespace: 'shop' }, spec: {} };
    const report = await open([
      item('/registry/configmaps/shop/a', protobuf('', CONFIG), 40),
      item(
        '/registry/configmaps/shop/b',
        `${JSON.stringify({ ...CONFIG, metadata: { name: 'b', namespace: 'shop' } })}\n`,
      ),
      item('/registry/services/specs/shop/web', protobuf('', service)),
      item('/registry/ranges/serviceips', 'not an object of an API'),
      item('compact_rev_key', '80'),
    ]);
    expect(report).toEqual({ revision: REVISION, objects: 3, undecodable: [], unserved: [], foreignKeys: 1 });
    const [, list] = await send('GET', '/api/v1/namespaces/shop/configmaps');
    expect(list).toMatchObject({
      metadata: { resourceVersion: String(REVISION) },
      items: [{ metadata: { name: 'a', resourceVersion: '40' }, data: { k: 'v' } }, { metadata: { name: 'b' } }],
    });
    const [, web] = await send('GET', '/api/v1/namespaces/shop/services/web');
    expect(web).toMatchObject({ spec: { type: 'ClusterIP', sessionAffinity: 'None' } });
  });

  it('serves the custom resources of its definitions, which kube-apiserver stores as v1beta1', async () => {
    const names = { plural: 'sails', singular: 'sail', kind: 'Sail', listKind: 'SailList' };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const definition = {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      metadata: { name: 'sails.example.com', uid: 'u', generation: 1 },
      spec: {
        group: 'example.com',
        version: 'v1',
        names,
        scope: 'Namespaced',
        validation: schema,
        versions: [{ name: 'v1', served: true, storage: true }],
        preserveUnknownFields: false,
      },
      status: {
        conditions: [
          { type: 'Established', status: 'True' },
          { type: 'NamesAccepted', status: 'True' },
        ],
        acceptedNames: names,
        storedVersions: ['v1'],
      },
    };
    const sail = { apiVersion: 'example.com/v1', kind: 'Sail', metadata: { name: 'gaff', namespace: 'shop' }, area: 3 };
    const report = await open([
      item(
        '/registry/apiextensions.k8s.io/customresourcedefinitions/sails.example.com',
        `${JSON.stringify(definition)}\n`,
      ),
      item('/registry/example.com/sails/shop/gaff', `${JSON.stringify(sail)}\n`, 50),
      item('/registry/example.com/oars/shop/left', `${JSON.stringify({ ...sail, kind: 'Oar' })}\n`),
    ]);
    expect(report).toMatchObject({ undecodable: [], unserved: [{ resource: 'example.com/oars', objects: 1 }] });
    expect(await send('GET', '/apis/example.com/v1/namespaces/shop/sails/gaff')).toEqual([
      200,
      { ...sail, metadata: { ...sail.metadata, generation: 1, resourceVersion: '50' } },
    ]);
    const [, shown] = await send('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/sails.example.com');
    expect(shown).toMatchObject({ apiVersion: 'apiextensions.k8s.io/v1', spec: { versions: [{ schema }] } });
  });

  it('leaves out values that cannot be decoded, with the reason', async () => {
    const old = { kind: 'PodSecurityPolicy', apiVersion: 'policy/v1beta1', metadata: { name: 'x' } };
    const report = await open([
      item('/registry/configmaps/shop/a', protobuf('', CONFIG)),
      item('/registry/configmaps/shop/b', 'k8s:enc:aescbc:v1:key1:0123456789abcdef'),
      item('/registry/configmaps/shop/c', Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x12, 0xff)),
      item('/registry/configmaps/shop/d', JSON.stringify(old)),
    ]);
    expect(report.undecodable).toEqual([
      {
        key: '/registry/configmaps/shop/b',
        reason: 'it is encrypted by aescbc with the key "key1" (give --encryption-provider-config)',
      },
      { key: '/registry/configmaps/shop/c', reason: 'unexpected EOF (offset 6)' },
      { key: '/registry/configmaps/shop/d', reason: 'no type is known for "policy/v1beta1", "PodSecurityPolicy"' },
    ]);
    const [, list] = await send('GET', '/api/v1/configmaps');
    expect(list['items']).toHaveLength(1);
  });

  it('refuses writes with a Status and writes no objects of its own', async () => {
    await open([
      item(
        '/registry/namespaces/shop',
        protobuf('', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'shop' } }),
      ),
    ]);
    const [code, status] = await send('POST', '/api/v1/namespaces/shop/configmaps', CONFIG);
    expect([code, status]).toMatchObject([
      403,
      { reason: 'Forbidden', message: 'configmaps is forbidden: the store is read-only' },
    ]);
    const [dry] = await send('POST', '/api/v1/namespaces/shop/configmaps?dryRun=All', CONFIG);
    expect(dry).toBe(201);
    for (const path of [
      '/api/v1/namespaces',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      '/apis/apiregistration.k8s.io/v1/apiservices',
    ]) {
      const [, list] = await send('GET', path);
      expect(list['items']).toHaveLength(path === '/api/v1/namespaces' ? 1 : 0);
    }
  });
});
