/**
 * Definitions from their creation until they are served and documented. Time ends when every kind can be listed and
 * both OpenAPI versions have it. CPU and memory are read when the server is idle again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../src/base/json-value.ts';
import { cpuSeconds, memoryOf } from '../process-figures.ts';
import type { Side } from '../side.ts';
import { Client, inParallel } from './client.ts';
import { type CustomKind, customKind } from './definitions.ts';

/** As in the other lines of the table. */
const AT_ONCE = 64;
/**
 * The number of concurrent requests of clients that poll or fetch documents, so that the server's time goes to its
 * work.
 */
const FEW_AT_ONCE = 8;
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** The interval of requests for a document, which may be large. */
const LOOK_MS = 100;
const LONGEST_MS = 180_000;

export interface ApplyFigures {
  readonly seconds: number;
  /** Per definition. */
  readonly cpuMillis: number;
  readonly residentBytes: number;
}

export async function applyDefinitions(
  side: Side,
  set: string,
  count: number,
  make: (of: CustomKind) => JsonObject,
  until: 'documented' | 'one listed' = 'documented',
): Promise<ApplyFigures> {
  const kinds = Array.from({ length: count }, (_, i) => customKind(set, i));
  const bodies = kinds.map((kind) => JSON.stringify(make(kind)));
  await atRest(side);
  const before = { cpu: cpuSeconds(side.pids), memory: memoryOf(side.pids) };
  const client = new Client(side);
  try {
    const begin = performance.now();
    await inParallel(count, AT_ONCE, async (i) => {
      await client.ask('POST', DEFINITIONS, bodies[i]);
    });
    const listed = until === 'documented' ? kinds : kinds.slice(-1);
    await untilServed(client, listed);
    const end = until === 'documented' ? await untilDocumented(client, kinds) : performance.now();
    const seconds = (end - begin) / 1000;
    await atRest(side);
    const cpu = cpuSeconds(side.pids) - before.cpu;
    await sleep(TIDY_MS);
    const resident = memoryOf(side.pids).resident - before.memory.resident;
    return { seconds, cpuMillis: (cpu * 1000) / count, residentBytes: resident / count };
  } finally {
    client.close();
  }
}

/** A request that comes too early gets a 404. */
async function untilServed(client: Client, kinds: readonly CustomKind[]): Promise<void> {
  const isServed = async ({ collection }: CustomKind): Promise<boolean> =>
    (await client.send('GET', collection)).status === 200;
  const missing: CustomKind[] = [];
  await inParallel(kinds.length, AT_ONCE, async (i) => {
    const kind = kinds[i] as CustomKind;
    if (!(await isServed(kind))) missing.push(kind);
  });
  await inParallel(missing.length, FEW_AT_ONCE, async (i) => {
    const kind = missing[i] as CustomKind;
    await repeat(`${kind.collection} is not served`, 20, () => isServed(kind));
  });
}

/** Returns when the last document arrived. Its parsing by the client does not count. */
async function untilDocumented(client: Client, kinds: readonly CustomKind[]): Promise<number> {
  let arrived = 0;
  const ask = async (path: string): Promise<string> => {
    const { status, text } = await client.send('GET', path);
    arrived = performance.now();
    return status === 200 ? text : '';
  };
  const groups = [...new Set(kinds.map((kind) => kind.group))];
  await inParallel(groups.length, FEW_AT_ONCE, async (i) => {
    const members = kinds.filter(({ group }) => group === groups[i]);
    await repeat(`OpenAPI v3 of ${groups[i]} lacks a kind`, LOOK_MS, async () => {
      const text = await ask(`/openapi/v3/apis/${groups[i]}/v1`);
      return members.every((kind) => text.includes(`.v1.${kind.kind}"`));
    });
  });
  await repeat('OpenAPI v2 lacks a kind', LOOK_MS, async () => {
    const text = await ask('/openapi/v2');
    if (text === '') return false;
    const { definitions } = JSON.parse(text) as { definitions: Readonly<Record<string, unknown>> };
    return kinds.every(
      ({ group, kind }) => definitions[`${group.split('.').reverse().join('.')}.v1.${kind}`] !== undefined,
    );
  });
  return arrived;
}

async function repeat(trouble: string, pauseMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${trouble} after ${LONGEST_MS / 1000} s`);
    await sleep(pauseMs);
  }
}

/** Both servers return memory some time after their work. */
const TIDY_MS = 15_000;

/** Waits until the server uses less than 8 % of a core in two seconds, twice in a row, but at most a minute. */
async function atRest(side: Side): Promise<void> {
  let quiet = 0;
  for (let i = 0; i < 30 && quiet < 2; i++) {
    const before = cpuSeconds(side.pids);
    await sleep(2000);
    quiet = cpuSeconds(side.pids) - before < 0.16 ? quiet + 1 : 0;
  }
}
