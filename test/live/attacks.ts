/**
 * Bad input against a running server: requests that must be refused with a Status, then floods. While a flood lasts,
 * all requests of another client must succeed. Prints that client's p99 latency next to that without a flood (medians
 * of the runs), and the server's memory. usage: run-ts.mjs test/live/attacks.ts [--runs 5] [--seconds 2]
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { BAD_REQUESTS, type BadRequest } from './bad-requests.ts';
import { LiveClient } from './client.ts';
import { FLOODS, type Flood } from './floods.ts';
import { ADMIN_TOKEN, LiveServer } from './server.ts';

const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, seconds: { type: 'string', default: '2' } },
});
const runs = Number(options.runs);
const milliseconds = Number(options.seconds) * 1000;
const MEMORY_MB = 300;
const COLLECTION = '/api/v1/namespaces/default/configmaps';
const problems: string[] = [];

let server: LiveServer;
if (isMainThread) await main();
else {
  // The flood runs on another thread, so that its CPU time does not count as latency of the measuring client.
  const { name, port, url, ms } = workerData as FloodOrder;
  const flood = FLOODS.find((one) => one.name === name);
  parentPort?.postMessage(await flood?.run({ port, url }, during(ms)));
}

interface FloodOrder {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  readonly ms: number;
}

async function main(): Promise<void> {
  server = await LiveServer.create();
  server.start();
  try {
    await server.ready();
    await badRequests();
    await floods();
  } finally {
    const code = await server.end('SIGTERM');
    if (code !== 0) problems.push(`SIGTERM ended with ${code}:\n${server.log()}`);
    server.remove();
  }
  for (const problem of problems.slice(0, 20)) console.error(`PROBLEM: ${problem}`);
  console.log(`${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function runFlood(flood: Flood): Promise<string> {
  const order: FloodOrder = { name: flood.name, port: server.port, url: server.url, ms: milliseconds };
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: order, argv: process.argv.slice(2) });
    worker.once('message', (did: string) => resolve(did));
    worker.once('error', reject);
  });
}

async function badRequests(): Promise<void> {
  for (const request of BAD_REQUESTS) {
    const answer = await send(request);
    const status = parse(answer.body);
    const said = `${status.message ?? ''}\n${answer.warning}`;
    const right =
      answer.status === request.status &&
      (request.reason === undefined || status.reason === request.reason) &&
      (request.says === undefined || said.includes(request.says));
    if (!right) problems.push(`${request.name}: ${answer.status} ${answer.warning} ${answer.body.slice(0, 300)}`);
  }
  console.log(`${BAD_REQUESTS.length} bad requests answered, memory ${anonymousMegabytes().toFixed(0)} MB`);
}

interface FloodFigures {
  readonly p99: number;
  readonly requests: number;
  readonly memory: number;
  readonly did: string;
}

async function floods(): Promise<void> {
  const client = new LiveClient(server.url);
  for (let i = 0; i < 500; i++)
    await client.request('POST', COLLECTION, { metadata: { name: `stored-${i}` }, data: { a: 'x'.repeat(1000) } });
  // Warm-up: the first requests run unoptimised code.
  await bystander(client, () => false, 300);
  const quiet = await Promise.all([bystander(client, during(milliseconds))]);
  console.log(`quiet: p99 ${quiet[0].p99.toFixed(1)} ms`);
  for (const flood of FLOODS) {
    const all: FloodFigures[] = [];
    for (let run = 0; run < runs; run++) all.push(await oneRun(client, flood));
    const of = (key: 'p99' | 'requests' | 'memory'): number => median(all.map((figures) => figures[key]));
    console.log(
      `${flood.name}: ${all.at(-1)?.did}; meanwhile ${of('requests')} requests, p99 ${of('p99').toFixed(1)} ms, memory at most ${Math.max(...all.map((f) => f.memory)).toFixed(0)} MB`,
    );
  }
  client.close();
  await sleep(500);
  console.log(`memory at the end ${anonymousMegabytes().toFixed(0)} MB`);
}

async function oneRun(client: LiveClient, flood: Flood): Promise<FloodFigures> {
  const goesOn = during(milliseconds);
  let memory = 0;
  const sampling = (async () => {
    while (goesOn()) {
      memory = Math.max(memory, anonymousMegabytes());
      await sleep(50);
    }
  })();
  const [did, figures] = await Promise.all([runFlood(flood), bystander(client, goesOn), sampling]);
  if (memory > MEMORY_MB) problems.push(`${flood.name}: memory grew to ${memory.toFixed(0)} MB`);
  return { ...figures, memory, did };
}

/** The measuring client: sequential requests, reads and writes. */
async function bystander(
  client: LiveClient,
  goesOn: () => boolean,
  atLeast = 20,
): Promise<{ p99: number; requests: number }> {
  const latencies: number[] = [];
  for (let i = 0; i < atLeast || goesOn(); i++) {
    const begin = performance.now();
    const name = `stored-${i % 500}`;
    const answer =
      i % 4 === 0
        ? await client.request(
            'PATCH',
            `${COLLECTION}/${name}`,
            { data: { i: String(i) } },
            'application/merge-patch+json',
          )
        : await client.request('GET', `${COLLECTION}/${name}`);
    latencies.push(performance.now() - begin);
    if (answer.status !== 200) problems.push(`the other client's request was answered ${answer.status} ${answer.body}`);
  }
  latencies.sort((a, b) => a - b);
  return { p99: latencies[Math.floor(latencies.length * 0.99)] as number, requests: latencies.length };
}

function during(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() < end;
}

/** Uses a new connection, because the server may close it after a refusal. */
function send(request: BadRequest): Promise<{ status: number; warning: string; body: string }> {
  return new Promise((resolve, reject) => {
    const session = connect(server.url, { rejectUnauthorized: false });
    session.on('error', reject);
    const stream = session.request({
      ':method': request.method,
      ':path': request.path,
      authorization: `Bearer ${ADMIN_TOKEN}`,
      ...request.headers,
    });
    let body = '';
    let status = 0;
    let warning = '';
    stream.setEncoding('utf8');
    stream.on('response', (headers) => {
      status = Number(headers[':status']);
      warning = String(headers['warning'] ?? '');
    });
    stream.on('data', (chunk: string) => {
      body += chunk;
    });
    // The server need not read the body of a refused request.
    stream.on('error', () => undefined);
    stream.on('close', () => {
      session.destroy();
      resolve({ status, warning, body });
    });
    stream.end(request.body);
  });
}

function parse(body: string): { readonly message?: string; readonly reason?: string } {
  return body.startsWith('{') ? (JSON.parse(body) as { message?: string; reason?: string }) : {};
}

function anonymousMegabytes(): number {
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'));
  return Number(found?.[1]) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
