/**
 * Built-in kinds compared with kube-apiserver: a Deployment in protobuf as typed clients send it, lists of pods in both
 * forms, the OpenAPI documents.
 */
import { encodeObject } from '../../src/apimachinery/protobuf/encode.ts';
import type { JsonObject } from '../../src/base/json-value.ts';
import { kindView } from '../../src/kinds/views.ts';
import { Client } from './crds/client.ts';
import type { PeerBenchOptions } from './crds/main.ts';
import { memoryOf } from './process-figures.ts';
import { ask, type Side, send } from './side.ts';
import { format } from './table.ts';
import { measure } from './work.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const NAMESPACE = 'kinds';
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const IN_FLIGHT = { connections: 4, streams: 16 };
const ALONE = { connections: 1, streams: 1 };

/** Returns false if a document takes too long. */
export async function benchKinds(options: PeerBenchOptions): Promise<boolean> {
  const { short, inTurns, judgeWork } = options;
  const [ours, peer] = [await options.startOurs(), await options.startReference()];
  try {
    const documents = await benchDocuments(ours);
    for (const side of [ours, peer]) await prepare(side);
    const share = (side: Side, [mine, theirs]: readonly [number, number]): number => (side === ours ? mine : theirs);
    const body = bytesOf('apps', 'v1', deployment('bench-'));
    const creates = await inTurns(ours, peer, (side) =>
      measure(side, {
        ...IN_FLIGHT,
        path: DEPLOYMENTS,
        requests: share(side, short ? [2000, 400] : [6000, 1500]),
        body,
        mediaType: PROTOBUF,
      }),
    );
    judgeWork('create of a Deployment in protobuf, 64 in flight', creates, { perCpu: 3 });
    const gets = await inTurns(ours, peer, (side) =>
      measure(side, {
        ...IN_FLIGHT,
        path: `${DEPLOYMENTS}/target`,
        requests: share(side, short ? [6000, 1500] : [30_000, 6000]),
        mediaType: PROTOBUF,
      }),
    );
    judgeWork('GET of a Deployment in protobuf, 64 in flight', gets, { perCpu: 3 });
    const count = short ? 1000 : 5000;
    for (const side of [ours, peer])
      await measure(side, {
        ...IN_FLIGHT,
        path: PODS,
        requests: count,
        body: bytesOf('', 'v1', pod()),
        mediaType: PROTOBUF,
      });
    for (const [mediaType, name, perCpu] of [
      [PROTOBUF, 'protobuf', 3],
      ['application/json', 'JSON', 10],
    ] as const) {
      const lists = await inTurns(ours, peer, (side) =>
        measure(side, { ...ALONE, path: PODS, requests: share(side, short ? [10, 3] : [40, 5]), mediaType }),
      );
      judgeWork(`list of ${count.toLocaleString('en')} pods of 5 KB in ${name}`, lists, { perCpu });
    }
    return documents;
  } finally {
    await peer.stop();
    await ours.stop();
  }
}

async function prepare(side: Side): Promise<void> {
  await ask(side, 'POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  // Ours creates it with its namespace. No controller creates it for the reference here.
  await send(side, 'POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  const target = deployment('');
  await ask(side, 'POST', DEPLOYMENTS, { ...target, metadata: { name: 'target' } });
}

/**
 * For our side only: milliseconds of wall time of a client on an open connection, on a server without earlier requests.
 */
async function benchDocuments(ours: Side): Promise<boolean> {
  const client = new Client(ours);
  const timed = async (path: string): Promise<number> => {
    const begin = performance.now();
    await client.ask('GET', path);
    return performance.now() - begin;
  };
  await timed('/version');
  const before = memoryOf(ours.pids).resident;
  const v2 = await timed('/openapi/v2');
  await timed('/openapi/v3');
  const warm = [];
  for (let i = 0; i < 5; i++) warm.push(await timed('/openapi/v3'));
  const index = Math.min(...warm);
  client.close();
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  const kept = memoryOf(ours.pids).resident - before;
  const holds = v2 < 300 && index < 5;
  console.log(
    `${holds ? 'ok  ' : 'FAIL'} OpenAPI of all kinds: v2, cold ${format(v2)} ms (at most 300); v3 index, warm ${format(index)} ms (at most 5); memory 15 s later ${format(kept / 1e6)} MB more than before`,
  );
  return holds;
}

function bytesOf(group: string, version: string, object: JsonObject): Uint8Array {
  const encoded = encodeObject(kindView(group, version, object['kind'] as string), object);
  if (!encoded.ok) throw new Error(`no protobuf of a ${String(object['kind'])}`);
  return encoded.bytes;
}

function deployment(generateName: string): JsonObject {
  const labels = { app: 'cart', tier: 'backend' };
  return {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { generateName, labels },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'cart' } },
      template: { metadata: { labels }, spec: podSpec(1) },
    },
  };
}

/** About 5 KB as JSON. */
function pod(): JsonObject {
  const annotations = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [
      `example.com/note-${i}`,
      `what somebody wanted to say about it ${'x'.repeat(60)}`,
    ]),
  );
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { generateName: 'bench-', labels: { app: 'cart', tier: 'backend' }, annotations },
    spec: podSpec(3),
  };
}

function podSpec(containers: number): JsonObject {
  return {
    containers: Array.from({ length: containers }, (_, i) => ({
      name: `main-${i}`,
      image: 'registry.example.com/shop/cart:1.2.3',
      args: ['--level=info', '--listen=:8080'],
      ports: [{ name: `http-${i}`, containerPort: 8080 + i }],
      env: [
        { name: 'REGION', value: 'north' },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ],
      resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
      readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 },
      volumeMounts: [{ name: 'settings', mountPath: '/etc/cart' }],
    })),
    volumes: [{ name: 'settings', configMap: { name: 'cart' } }],
    securityContext: { runAsNonRoot: true },
  };
}
