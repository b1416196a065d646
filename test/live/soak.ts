/**
 * The soak test: writers, readers, and 500 watchers that come and go. One watch is the witness; every other watcher's
 * revisions must be a gapless slice of its record, which must contain every acknowledged revision. Memory must be flat
 * after the warm-up, and no handle may stay open at the end. usage: run-ts.mjs test/live/soak.ts --seconds N
 * [--watchers 500]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DEFAULT_WINDOW } from '../../src/cache/event-window.ts';
import { randomFrom } from '../crash/model.ts';
import { LiveClient } from './client.ts';
import { LiveServer } from './server.ts';
import { SoakWatchers } from './soak-watchers.ts';

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, watchers: { type: 'string', default: '500' } },
});
const seconds = Number(options.seconds);
const random = randomFrom(7);
const COLLECTION = '/api/v1/namespaces/default/configmaps';
const NAMES = 300;
const WRITERS = 4;
const PAUSE_MS = 80;
const SLOPE_MB_PER_MINUTE = 2;
/** Shorter runs are too short to measure the slope. */
const LONG_SECONDS = 300;
/** Allowed growth of open files, sockets and pipes. */
const HANDLES = 3;

const problems: string[] = [];
let writes = 0;
let reads = 0;

const server = await LiveServer.create();
server.start();
try {
  await server.ready();
  await soak();
} finally {
  const code = await server.end('SIGTERM');
  if (code !== 0) problems.push(`SIGTERM ended with ${code}:\n${server.log()}`);
  server.remove();
}
for (const problem of problems.slice(0, 20)) console.error(`PROBLEM: ${problem}`);
console.log(`${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function soak(): Promise<void> {
  const client = new LiveClient(server.url);
  for (let i = 0; i < NAMES; i++) await write(client, i);
  if (seconds >= LONG_SECONDS) await fillWindow(client);
  const handles = openHandles();
  const watchers = new SoakWatchers(server.url, Number(options.watchers), random, COLLECTION);
  const start = JSON.parse((await client.request('GET', `${COLLECTION}?limit=1`)).body) as {
    metadata: { resourceVersion: string };
  };
  watchers.begin(start.metadata.resourceVersion);

  const begin = performance.now();
  const elapsed = (): number => (performance.now() - begin) / 1000;
  const samples: { at: number; megabytes: number }[] = [];
  const running = (): boolean => elapsed() < seconds;
  const work = [
    ...Array.from({ length: WRITERS }, async (_, writer) => {
      while (running()) {
        const revision = await write(client, writer + WRITERS * random(Math.floor(NAMES / WRITERS)));
        if (revision !== undefined) watchers.acknowledge(revision);
        await sleep(PAUSE_MS);
      }
    }),
    (async () => {
      while (running()) {
        for (const path of ['?limit=50', '?limit=100&labelSelector=half%3D0', `/name-${random(NAMES)}`]) {
          const { status } = await client.request('GET', COLLECTION + path);
          if (status !== 200 && status !== 404) problems.push(`GET ${path}: ${status}`);
          reads++;
        }
        await sleep(20);
      }
    })(),
    (async () => {
      while (running()) {
        watchers.churn(5);
        await sleep(100);
      }
    })(),
    (async () => {
      while (running()) {
        samples.push({ at: elapsed() / 60, megabytes: anonymousMegabytes() });
        await sleep(Math.min(5000, seconds * 20));
      }
    })(),
  ];
  await Promise.all(work);
  problems.push(...(await watchers.finish()));
  client.close();
  for (let i = 0; i < 50 && openHandles() > handles; i++) await sleep(100);

  const settled = samples.filter(({ at }) => at * 60 > seconds * 0.4);
  const slope = slopeOf(settled);
  const [low, high] = [Math.min(...settled.map((s) => s.megabytes)), Math.max(...settled.map((s) => s.megabytes))];
  console.log(`${seconds} s: ${writes} writes, ${reads} reads, ${watchers.summary()}`);
  console.log(
    `anonymous memory: ${samples[0]?.megabytes.toFixed(0)} MB at the start, ${low.toFixed(0)} to ${high.toFixed(0)} MB in the last 60 %, slope ${slope.toFixed(2)} MB/minute`,
  );
  console.log(`open handles: ${handles} before, ${openHandles()} after`);
  if (seconds >= LONG_SECONDS && slope > SLOPE_MB_PER_MINUTE)
    problems.push(`memory grows by ${slope.toFixed(2)} MB a minute`);
  if (openHandles() > handles + HANDLES) problems.push(`${openHandles() - handles} handles were left open`);
}

/** The warm-up includes the time until the cache's event window has reached its bound. */
async function fillWindow(client: LiveClient): Promise<void> {
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    while (writes < DEFAULT_WINDOW.events) await write(client, writer + WRITERS * random(Math.floor(NAMES / WRITERS)));
  });
  await Promise.all(writers);
}

/** Creates, updates or deletes one object. Returns its new revision, if it has one. */
async function write(client: LiveClient, index: number): Promise<string | undefined> {
  const path = `${COLLECTION}/name-${index}`;
  const body = {
    metadata: { name: `name-${index}`, labels: { half: String(index % 2) } },
    data: { value: 'x'.repeat(500 + random(500)), write: String(++writes) },
  };
  const patch = await client.request('PATCH', path, body, 'application/merge-patch+json');
  if (patch.status === 200 && random(5) > 0) return revisionOf(patch.body);
  const answer =
    patch.status === 404
      ? await client.request('POST', COLLECTION, body)
      : await client.request('DELETE', path, { preconditions: { uid: uidOf(patch.body) } });
  if (answer.status === 201) return revisionOf(answer.body);
  if (answer.status !== 200) problems.push(`a write was answered ${answer.status}: ${answer.body.slice(0, 200)}`);
  return patch.status === 200 ? revisionOf(patch.body) : undefined;
}

function revisionOf(body: string): string {
  return (JSON.parse(body) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

function uidOf(body: string): string {
  return (JSON.parse(body) as { metadata: { uid: string } }).metadata.uid;
}

function anonymousMegabytes(): number {
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'));
  return Number(found?.[1]) / 1000;
}

function openHandles(): number {
  return readdirSync(`/proc/${server.pid}/fd`).length;
}

/** Returns the least-squares slope in megabytes per minute. */
function slopeOf(samples: readonly { at: number; megabytes: number }[]): number {
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  const [x, y] = [mean(samples.map((s) => s.at)), mean(samples.map((s) => s.megabytes))];
  const covariance = mean(samples.map((s) => (s.at - x) * (s.megabytes - y)));
  const variance = mean(samples.map((s) => (s.at - x) ** 2));
  return covariance / variance;
}
