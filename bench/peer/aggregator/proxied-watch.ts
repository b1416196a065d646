/**
 * One event to many watches, from the start of its write until the last of them has it. The watches of all sides are
 * open at the same time, each in a namespace of its own, and the events take turns: the load of the machine changes
 * within seconds.
 */
import { median } from '../../measure.ts';
import { cpuSeconds } from '../process-figures.ts';
import { ask, type Side } from '../side.ts';
import { connectClient, type H2Client, readBody } from './h2-client.ts';
import { flundersOf } from './sample.ts';
import { openWatches, type Watches } from './watch-client.ts';

const WATCHES = 1000;
const CONNECTIONS = 10;
/** Events of each side that do not count. */
const WARM_UP = 5;

/** Watches through one server, or directly at the server behind. */
export interface WatchedSide {
  readonly side: Side;
  /** Exists at the server behind. No other side may use it. */
  readonly namespace: string;
}

export interface WatchFigures {
  /** The median of the milliseconds until the last watch has an event, per round. */
  readonly lastMs: readonly number[];
  /** The median of the differences to an event of the first side, per round. */
  readonly addedMs: readonly number[];
  /** Server CPU per delivered event in microseconds, per round. */
  readonly cpuMicros: readonly number[];
}

export interface WatchOptions {
  readonly rounds: number;
  /** Events of each side in a round. */
  readonly events: number;
  /** Writes the objects. */
  readonly writer: Side;
}

/** Returns the figures of each side. Differences are those to the first one. */
export async function proxiedWatches(sides: readonly WatchedSide[], options: WatchOptions): Promise<WatchFigures[]> {
  const { rounds, events, writer } = options;
  const opened: Watches[] = [];
  const client = await connectClient({ url: writer.url, headers: { authorization: `Bearer ${writer.token}` } });
  try {
    for (const { side, namespace } of sides) {
      const collection = flundersOf(namespace);
      const list = JSON.parse(await ask(side, 'GET', `${collection}?limit=1`)) as Listed;
      const path = `${collection}?watch=true&resourceVersion=${list.metadata.resourceVersion}&timeoutSeconds=900`;
      opened.push(await openWatches(side, { path, connections: CONNECTIONS, watches: WATCHES / CONNECTIONS }));
    }
    const figures = sides.map(() => ({ lastMs: [] as number[], addedMs: [] as number[], cpuMicros: [] as number[] }));
    for (let i = 0; i < WARM_UP; i++)
      for (const [j, { namespace }] of sides.entries()) await deliver(client, opened[j]!, namespace);
    for (let round = 0; round < rounds; round++) {
      const last: number[][] = sides.map(() => []);
      const cpu = sides.map(() => 0);
      for (let event = 0; event < events; event++) {
        for (let i = 0; i < sides.length; i++) {
          const turn = (i + event) % sides.length;
          const { side, namespace } = sides[turn]!;
          const before = cpuSeconds(side.pids);
          last[turn]!.push(await deliver(client, opened[turn]!, namespace));
          cpu[turn]! += cpuSeconds(side.pids) - before;
        }
      }
      for (const [j, figure] of figures.entries()) {
        figure.lastMs.push(median(last[j]!));
        figure.addedMs.push(median(last[j]!.map((ms, i) => ms - last[0]![i]!)));
        figure.cpuMicros.push((cpu[j]! * 1e6) / (events * WATCHES));
      }
    }
    return figures;
  } finally {
    for (const watches of opened) watches.close();
    client.close();
  }
}

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
}

/** Writes an object. Returns the milliseconds until all watches have its event. */
async function deliver(client: H2Client, watches: Watches, namespace: string): Promise<number> {
  let missing = WATCHES;
  const delivered = new Promise<void>((resolve) => {
    watches.onEvent = () => {
      if (--missing === 0) resolve();
    };
  });
  const start = performance.now();
  const response = await client.send('POST', flundersOf(namespace), FLUNDER);
  await Promise.all([readBody(response), delivered]);
  return performance.now() - start;
}

const FLUNDER = new TextEncoder().encode(
  JSON.stringify({
    apiVersion: 'wardle.example.com/v1alpha1',
    kind: 'Flunder',
    metadata: { generateName: 'bench-', labels: { app: 'bench' } },
    spec: { reference: 'bench', referenceType: 'Flunder' },
  }),
);
