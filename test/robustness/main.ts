/**
 * The robustness run, in the manner of etcd's own: three servers on an etcd cluster of three members, random clients and
 * watchers, and faults from a seeded schedule. Afterwards the history is judged. Exits with 1 after a violation.
 *
 * usage: main.ts [--seconds 1800] [--seed N] [--without FAULT]... [--defect NAME|all]
 * --without leaves out the faults whose name contains the text. With a defect (broken-server.ts), the storage of the
 * servers is broken on purpose, and the run fails unless the judges find it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomFrom } from '../crash/model.ts';
import { DEFECTS, type Defect } from './broken-server.ts';
import { RandomClient } from './clients.ts';
import { FAULT_NAMES, runFaults } from './faults.ts';
import { History } from './history.ts';
import { compare } from './judge.ts';
import { Servers } from './servers.ts';
import { Truth } from './truth.ts';
import { prepareValidators, validate } from './validators.ts';
import { RobustWatcher } from './watcher.ts';

const CLIENTS = 6;
/** Watchers of each server. */
const WATCHERS = 2;
/** The longest time until every watcher has the last change after the faults. */
const SETTLE_MS = 120_000;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1800' },
    seed: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
    defect: { type: 'string' },
  },
});
const seed = options.seed === undefined ? Date.now() % 0x7fffffff : Number(options.seed);
const seconds = Number(options.seconds);
const allDefects = Object.keys(DEFECTS) as Defect[];
const defects = options.defect === 'all' ? allDefects : allDefects.filter((name) => name === options.defect);
if (options.defect !== undefined && defects.length === 0)
  throw new Error(`--defect is all or one of ${allDefects.join(', ')}`);

function faultsFor(defect: Defect | undefined): readonly string[] {
  const shown = defect === undefined ? undefined : DEFECTS[defect].faults;
  return (shown ?? FAULT_NAMES).filter((name) => !options.without.some((text) => name.includes(text)));
}

/** Runs clients, watchers and faults. Returns the violations. */
async function run(defect: Defect | undefined): Promise<readonly string[]> {
  console.log(`seed ${seed}, ${seconds} s${defect === undefined ? '' : `, defect: ${defect}`}`);
  const history = new History();
  const servers = await Servers.start(defect);
  const truth = await Truth.start(servers.cluster.urls);
  try {
    const client = (id: number, isOver: () => boolean): RandomClient =>
      new RandomClient({ id, servers, history, isOver, random: randomFrom(seed ^ Math.imul(id + 1, 0x9e3779b1)) });
    // The validators of etcd demand that the first and the last write of a history succeed.
    const marker = client(CLIENTS, () => true);
    if ((await marker.create('k-first')) === 0) throw new Error('a write before the faults fails');
    const end = performance.now() + seconds * 1000;
    const areFaultsOver = (): boolean => performance.now() >= end;
    let isOver = false;
    const watchers = servers.servers.flatMap(({ url }, server) =>
      Array.from({ length: WATCHERS }, (_, i) => {
        const id = server * WATCHERS + i;
        const random = randomFrom(seed ^ Math.imul(id + 1, 0x85ebca6b));
        return new RobustWatcher({ id, server, url, history, random, isOver: () => isOver });
      }),
    );
    const watching = watchers.map((watcher) => watcher.run());
    const faults = runFaults({
      servers,
      truth,
      random: randomFrom(seed),
      names: faultsFor(defect),
      isOver: areFaultsOver,
    });
    const clients = Array.from({ length: CLIENTS }, (_, id) => client(id, areFaultsOver).run());
    const [counts] = await Promise.all([faults, ...clients]);
    const problems = await settle(marker, watchers, truth);
    isOver = true;
    for (const watcher of watchers) watcher.stop();
    await Promise.all(watching);
    report(history, counts, watchers);
    const name = defect ?? `seed-${seed}`;
    return [...problems, ...compare(history, truth.changes), ...validate(history, truth.changes, name)];
  } finally {
    await truth.stop();
    await servers.stop();
  }
}

/** Writes one more object and waits until every watcher has passed it. */
async function settle(marker: RandomClient, watchers: readonly RobustWatcher[], truth: Truth): Promise<string[]> {
  const deadline = performance.now() + SETTLE_MS;
  let last = 0;
  for (let i = 0; last === 0 && performance.now() < deadline; i++) last = await marker.create(`k-last-${i}`);
  if (last === 0) return ['no write succeeds after the faults'];
  await truth.reach(last);
  const late = (): readonly RobustWatcher[] => watchers.filter(({ position = 0 }) => position < last);
  while (late().length > 0 && performance.now() < deadline) await sleep(100);
  return late().map(
    ({ position }) => `a watcher is at ${position} two minutes after the faults, and the last change is at ${last}`,
  );
}

function report(history: History, counts: ReadonlyMap<string, number>, watchers: readonly RobustWatcher[]): void {
  const { operations, streams } = history;
  const writes = operations.filter((operation) => 'outcome' in operation);
  const of = (outcome: string): number => writes.filter((write) => write.outcome === outcome).length;
  const changes = streams.flatMap((stream) => stream.changes);
  const bookmarks = changes.filter(({ type }) => type === 'BOOKMARK').length;
  const expired = watchers.reduce((sum, watcher) => sum + watcher.expired, 0);
  console.log(
    `${operations.length - writes.length} reads, ${writes.length} writes ` +
      `(${of('ok')} ok, ${of('conflict')} conflicts, ${of('missing')} missing, ${of('unknown')} unknown)`,
  );
  console.log(
    `${streams.length} watch streams, ${changes.length - bookmarks} events, ${bookmarks} bookmarks, ${expired} times 410`,
  );
  console.log(`faults: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`);
}

const SHOWN = 20;
let failed = false;
prepareValidators();
for (const defect of defects.length === 0 ? [undefined] : defects) {
  const violations = await run(defect);
  for (const violation of violations.slice(0, SHOWN)) console.log(`  ${violation}`);
  console.log(`${violations.length} violations`);
  if (violations.length > 0 === (defect === undefined)) failed = true;
  if (defect !== undefined) console.log(violations.length > 0 ? `${defect}: found` : `${defect}: NOT found`);
}
process.exit(failed ? 1 : 0);
