/**
 * Custom resources compared with kube-apiserver: definitions, their cost, and their objects; then a large set on our
 * side only.
 */
import { type MemoryFigures, memoryOf, peakMemoryOf } from '../process-figures.ts';
import { ask, type Side } from '../side.ts';
import { type Bar, format } from '../table.ts';
import { type Measured, measure } from '../work.ts';
import { type ApplyFigures, applyDefinitions } from './apply.ts';
import { type CustomKind, customKind, largeDefinition, smallDefinition, smallObject } from './definitions.ts';
import { type FirstOf, firstOf } from './first-object.ts';

const SET = 'gadget';
const LARGE_SET = 'provider';
/** The limit in megabytes for the server with the large set. */
const MOST_MEGABYTES = 400;

export interface PeerBenchOptions {
  readonly short: boolean;
  startOurs(): Promise<Side>;
  startReference(): Promise<Side>;
  /** Runs both sides in turns; see the other lines of the table. */
  inTurns<T>(ours: Side, peer: Side, work: (side: Side) => Promise<T>): Promise<[T[], T[]]>;
  judge(bar: Bar): void;
  judgeWork(name: string, results: [Measured[], Measured[]], bars: { readonly perCpu: number }): void;
}

/** Returns false if the large set exceeds its limit. */
export async function benchCrds(options: PeerBenchOptions): Promise<boolean> {
  const count = options.short ? 100 : 500;
  // Ours runs in rounds, each on a new server. kube-apiserver takes half a minute, so it runs once.
  const applied: ApplyFigures[] = [];
  for (let round = 0; round < (options.short ? 1 : 3); round++) {
    const side = await options.startOurs();
    try {
      applied.push(await applyDefinitions(side, SET, count, smallDefinition));
    } finally {
      await side.stop();
    }
  }
  const [ours, peer] = [await options.startOurs(), await options.startReference()];
  try {
    await benchFirst(options, ours, peer);
    applied.push(await applyDefinitions(ours, SET, count, smallDefinition));
    const theirs = await applyDefinitions(peer, SET, count, smallDefinition);
    judgeApplied(options, count, applied, theirs);
    await benchObjects(options, ours, peer);
  } finally {
    await peer.stop();
    await ours.stop();
  }
  return benchLargeSet(options);
}

async function benchFirst({ short, judge }: PeerBenchOptions, ours: Side, peer: Side): Promise<void> {
  const timesOf = async (what: FirstOf): Promise<{ ours: number[]; peer: number[] }> => {
    const times = { ours: [] as number[], peer: [] as number[] };
    for (let i = 0; i < (short ? 5 : 20); i++) {
      const first = i % 2;
      for (const isOurs of [first === 0, first !== 0])
        (isOurs ? times.ours : times.peer).push(await firstOf(what, isOurs ? ours : peer, i));
    }
    return times;
  };
  const accepted = await timesOf('accepted');
  const served = await timesOf('served');
  const line = { unit: 'ms', better: 'less' } as const;
  judge({ name: 'definition created to its first object accepted', ...line, ...accepted, atLeast: 4 });
  judge({ name: 'definition created to its kind served', ...line, ...served, atLeast: 4 });
  // No bar: it compares our stored object with kube-apiserver's first answer.
  judge({ name: 'first object accepted beside kind served', ...line, ours: accepted.ours, peer: served.peer });
}

function judgeApplied(
  { judge }: PeerBenchOptions,
  count: number,
  applied: readonly ApplyFigures[],
  theirs: ApplyFigures,
): void {
  const line = (name: string, unit: string, of: (figures: ApplyFigures) => number): void =>
    judge({
      name,
      unit,
      ours: applied.map(of),
      peer: applied.map(() => of(theirs)),
      better: 'less',
      atLeast: 15,
    });
  line(`${count} definitions, created to served and in OpenAPI`, 's', ({ seconds }) => seconds);
  line('definition: memory, at rest', 'kB', ({ residentBytes }) => residentBytes / 1000);
  line('definition: server CPU, until at rest', 'ms', ({ cpuMillis }) => cpuMillis);
}

const CONNECTIONS = { connections: 4, streams: 16 };

async function benchObjects({ short, inTurns, judgeWork }: PeerBenchOptions, ours: Side, peer: Side): Promise<void> {
  const kind = customKind(SET, 7);
  const body = JSON.stringify(smallObject(kind));
  const target = { ...smallObject(kind), metadata: { name: 'target', labels: { app: 'bench' } } };
  for (const side of [ours, peer]) await ask(side, 'POST', kind.collection, target);
  const share = (side: Side, [mine, theirs]: readonly [number, number]): number => (side === ours ? mine : theirs);
  const creates = await inTurns(ours, peer, (side) =>
    measure(side, {
      ...CONNECTIONS,
      path: kind.collection,
      requests: share(side, short ? [2000, 500] : [8000, 2000]),
      body,
    }),
  );
  judgeWork('create of a custom resource, 64 in flight', creates, { perCpu: 5 });
  const gets = await inTurns(ours, peer, (side) =>
    measure(side, {
      ...CONNECTIONS,
      path: `${kind.collection}/target`,
      requests: share(side, short ? [6000, 1500] : [30_000, 6000]),
    }),
  );
  judgeWork('GET of a custom resource, 64 in flight', gets, { perCpu: 5 });
}

async function benchLargeSet({ short, startOurs }: PeerBenchOptions): Promise<boolean> {
  const count = short ? 200 : 1000;
  const side = await startOurs();
  try {
    const { seconds } = await applyDefinitions(side, LARGE_SET, count, largeDefinition, 'one listed');
    const kind = customKind(LARGE_SET, count - 1);
    await createAndList(side, kind);
    const mega = (bytes: number): number => bytes / 1e6;
    const { resident, anonymous }: MemoryFigures = memoryOf(side.pids);
    const peak = mega(peakMemoryOf(side.pids));
    const holds = mega(resident) <= MOST_MEGABYTES;
    console.log(
      `${count.toLocaleString('en')} definitions of 200 fields, all created and one kind listed: ${format(seconds)} s; resident ${format(mega(resident))} MB (${format(mega(anonymous))} MB without mapped files), at most ${format(peak)} MB   at most ${MOST_MEGABYTES} MB   ${holds ? 'pass' : 'FAIL'}`,
    );
    return holds;
  } finally {
    await side.stop();
  }
}

async function createAndList(side: Side, kind: CustomKind): Promise<void> {
  const made = { apiVersion: `${kind.group}/v1`, kind: kind.kind, metadata: { name: 'one' }, spec: { section0: {} } };
  await ask(side, 'POST', kind.collection, made);
  const { items } = JSON.parse(await ask(side, 'GET', kind.collection)) as { items: readonly unknown[] };
  if (items.length !== 1) throw new Error(`the list has ${items.length} objects`);
}
