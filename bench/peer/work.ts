/** The same work for both servers. Each run is measured as throughput and as server CPU per request. */
import { load, percentile } from './h2load.ts';
import { ask, configMapBody, headersOf, type Side, withCpu } from './side.ts';

export interface Measured {
  readonly perSecond: number;
  readonly cpuMicros: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const CONNECTIONS = 4;
const STREAMS = 16;
export const NAMESPACE = 'bench';
const COLLECTION = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const TARGET = 'bench-target';

/** Makes a namespace with one object to get. */
export async function prepare(side: Side): Promise<void> {
  await ask(side, 'POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const target = { ...(JSON.parse(configMapBody()) as object), metadata: { name: TARGET, labels: { app: 'target' } } };
  await ask(side, 'POST', COLLECTION, target);
}

/** Prepares a side for the table of requests, whose creates and watches have namespaces of their own. */
export async function prepareRequests(side: Side): Promise<void> {
  await prepare(side);
  for (const name of ['filler', 'watched']) await ask(side, 'POST', '/api/v1/namespaces', { metadata: { name } });
}

export async function get(side: Side, requests: number, query: string = ''): Promise<Measured> {
  const path = `${COLLECTION}/${TARGET}${query && `?${query}`}`;
  return measure(side, { path, requests, connections: CONNECTIONS, streams: STREAMS });
}

export async function create(side: Side, requests: number, namespace: string = NAMESPACE): Promise<Measured> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  return measure(side, { path, requests, connections: CONNECTIONS, streams: STREAMS, body: configMapBody() });
}

/** The rounds of creates in the full form. They are many, because a disk and a shared machine are not equally fast for long. */
export const CREATE_ROUNDS = 15;

/** V8 optimizes functions that run once per create after up to 10,000 creates. Go has nothing to warm up. */
const WARM_CREATES = 20_000;

/** Creates objects on our servers before creates are measured, and prints what they cost: compilation is a part of it. */
export async function warmCreates(sides: readonly Side[], namespace: string): Promise<void> {
  for (const side of sides.filter(({ name }) => name === 'keelson')) {
    const { cpuMicros } = await create(side, WARM_CREATES, namespace);
    const count = WARM_CREATES.toLocaleString('en');
    console.log(
      `    ${side.name}, the first ${count} creates after its start: ${Math.round(cpuMicros)} µs of CPU each`,
    );
  }
}

export interface ListWork {
  readonly namespace?: string;
  readonly query?: string;
}

/** One request at a time: a list takes long enough to be measured alone. */
export async function list(
  side: Side,
  requests: number,
  { namespace = NAMESPACE, query = '' }: ListWork = {},
): Promise<Measured> {
  const path = `/api/v1/namespaces/${namespace}/configmaps${query && `?${query}`}`;
  return measure(side, { path, requests, connections: 1, streams: 1 });
}

export async function page(side: Side, requests: number): Promise<Measured> {
  return measure(side, { path: `${COLLECTION}?limit=500`, requests, connections: 1, streams: 1 });
}

export async function countObjects(side: Side, namespace: string = NAMESPACE): Promise<number> {
  const text = await ask(side, 'GET', `/api/v1/namespaces/${namespace}/configmaps?limit=1`);
  const { items, metadata } = JSON.parse(text) as {
    items: readonly unknown[];
    metadata: { remainingItemCount?: number };
  };
  return items.length + (metadata.remainingItemCount ?? 0);
}

/** Creates objects until the namespace has `count`. */
export async function fill(side: Side, count: number, namespace: string = NAMESPACE): Promise<void> {
  const missing = count - (await countObjects(side, namespace));
  if (missing > 0) await create(side, missing, namespace);
}

export interface Work {
  readonly path: string;
  readonly requests: number;
  readonly connections: number;
  readonly streams: number;
  readonly body?: string | Uint8Array;
  /** The media type of request and answer. Default JSON. */
  readonly mediaType?: string;
}

export async function measure(side: Side, work: Work): Promise<Measured> {
  const { path, body, mediaType, ...rest } = work;
  const options = { ...rest, url: `${side.url}${path}`, headers: headersOf(side, mediaType), latencies: true };
  const { cpu, result } = await withCpu(side, () => load(body === undefined ? options : { ...options, body }));
  return {
    perSecond: result.perSecond,
    cpuMicros: (cpu * 1e6) / work.requests,
    p50: percentile(result.latencies, 0.5) / 1000,
    p99: percentile(result.latencies, 0.99) / 1000,
  };
}
