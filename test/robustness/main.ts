/**
 * The robustness run, in the manner of etcd's own: three servers on an etcd cluster of three members, random clients and
 * watchers, and faults from a seeded schedule. Afterwards the history is judged. Exits with 1 after a violation.
 *
 * usage: main.ts [--seconds 1800] [--seed N] [--defect stale-reads|lost-events|lost-updates|all]
 * With a defect, the storage of the servers is broken on purpose, and the run fails unless the judges find it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomFrom } from '../crash/model.ts';
import { LiveClient, type LiveObject } from '../live/client.ts';
import { DEFECTS, type Defect } from './broken-server.ts';
import { COLLECTION, objectOf, RandomClient, stateOf } from './clients.ts';
import { runFaults } from './faults.ts';
import { History } from './history.ts';
import { judge } from './judge.ts';
import { Servers } from './servers.ts';
import { Truth } from './truth.ts';
import { RobustWatcher } from './watcher.ts';

const CLIENTS = 6;
/** Watchers of each server. */
const WATCHERS = 2;
/** The longest time until every watcher has the last change after the faults. */
const SETTLE_MS = 60_000;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1800' },
    seed: { type: 'string' },
    defect: { type: 'string' },
  },
});
const seed = options.seed === undefined ? Date.now() % 0x7fffffff : Number(options.seed);
const seconds = Number(options.seconds);
const defects = options.defect === 'all' ? DEFECTS : DEFECTS.filter((name) => name === options.defect);
if (options.defect !== undefined && defects.length === 0) throw new Error(`--defect is all or one of ${DEFECTS}`);

/** Runs clients, watchers and faults. Returns the violations. */
async function run(defect: Defect | undefined): Promise<readonly string[]> {
  console.log(`seed ${seed}, ${seconds} s${defect === undefined ? '' : `, defect: ${defect}`}`);
  const history = new History();
  const servers = await Servers.start(defect);
  const truth = await Truth.start(servers.cluster.urls);
  try {
    const end = performance.now() + seconds * 1000;
    const areFaultsOver = (): boolean => performance.now() >= end;
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, (_, id) => {
      const random = randomFrom(seed ^ Math.imul(id + 1, 0x9e3779b1));
      return new RandomClient({ id, servers, history, random, isOver: areFaultsOver });
    });
    const watchers = servers.servers.flatMap(({ url }, server) =>
      Array.from({ length: WATCHERS }, (_, i) => {
        const random = randomFrom(seed ^ Math.imul(server * WATCHERS + i + 1, 0x85ebca6b));
        return new RobustWatcher({ server, url, history, random, isOver: () => isOver });
      }),
    );
    const watching = watchers.map((watcher) => watcher.run());
    const faults = runFaults({ servers, truth, random: randomFrom(seed) }, areFaultsOver);
    await Promise.all(clients.map((client) => client.run()));
    const counts = await faults;
    const problems = await settle(servers, watchers);
    isOver = true;
    for (const watcher of watchers) watcher.stop();
    await Promise.all(watching);
    report(history, counts, watchers);
    return [...problems, ...judge(history, truth.changes)];
  } finally {
    await truth.stop();
    await servers.stop();
  }
}

/** Writes one more object through the first server and waits until every watcher has passed it. */
async function settle(servers: Servers, watchers: readonly RobustWatcher[]): Promise<string[]> {
  const deadline = performance.now() + SETTLE_MS;
  let last: number | undefined;
  while (performance.now() < deadline) {
    if (last === undefined) {
      const client = new LiveClient(servers.servers[0]!.url);
      const answer = await client.request('POST', COLLECTION, objectOf(`k-last-${seed}-${Date.now()}`, 'v999-1'));
      if (answer.status === 201) last = stateOf(JSON.parse(answer.body) as LiveObject).rv;
      client.close();
    } else if (watchers.every(({ position = 0 }) => position >= (last as number))) return [];
    await sleep(100);
  }
  if (last === undefined) return ['no write succeeds after the faults'];
  return watchers
    .filter(({ position = 0 }) => position < (last as number))
    .map(({ position }) => `a watcher is at ${position} a minute after the faults, and the last change is at ${last}`);
}

function report(history: History, counts: ReadonlyMap<string, number>, watchers: readonly RobustWatcher[]): void {
  const { operations, streams } = history;
  const of = (outcome: string): number => operations.filter((operation) => operation.outcome === outcome).length;
  const changes = streams.flatMap((stream) => stream.changes);
  const bookmarks = changes.filter(({ type }) => type === 'BOOKMARK').length;
  const expired = watchers.reduce((sum, watcher) => sum + watcher.expired, 0);
  console.log(
    `${operations.length} operations (${of('ok')} ok, ${of('conflict')} conflicts, ${of('missing')} missing, ${of('unknown')} unknown)`,
  );
  console.log(
    `${streams.length} watch streams, ${changes.length - bookmarks} events, ${bookmarks} bookmarks, ${expired} times 410`,
  );
  console.log(`faults: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`);
}

const SHOWN = 20;
let failed = false;
for (const defect of defects.length === 0 ? [undefined] : defects) {
  const violations = await run(defect);
  for (const violation of violations.slice(0, SHOWN)) console.log(`  ${violation}`);
  console.log(`${violations.length} violations`);
  if (violations.length > 0 === (defect === undefined)) failed = true;
  if (defect !== undefined) console.log(violations.length > 0 ? `${defect}: found` : `${defect}: NOT found`);
}
process.exit(failed ? 1 : 0);
