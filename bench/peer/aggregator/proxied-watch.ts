/** One event to many watches, from the answer to its write until the last of them has it. */
import { cpuSeconds } from '../process-figures.ts';
import { ask, type Side } from '../side.ts';
import { FLUNDERS } from './sample.ts';
import { openWatches } from './watch-client.ts';

const WATCHES = 1000;
const CONNECTIONS = 10;

export interface WatchFigures {
  /** Milliseconds from the start of the write to the event on the last watch, per write. */
  readonly lastMs: readonly number[];
  /** Server CPU per delivered event, in microseconds. */
  readonly cpuMicros: number;
}

export async function proxiedWatch(side: Side, writer: Side, writes: number): Promise<WatchFigures> {
  const list = JSON.parse(await ask(side, 'GET', `${FLUNDERS}?limit=1`)) as { metadata: { resourceVersion: string } };
  const path = `${FLUNDERS}?watch=true&resourceVersion=${list.metadata.resourceVersion}&timeoutSeconds=300`;
  const watches = await openWatches(side, { path, connections: CONNECTIONS, watches: WATCHES / CONNECTIONS });
  try {
    const lastMs: number[] = [];
    let cpu = 0;
    for (let write = 0; write < writes; write++) {
      let missing = WATCHES;
      const delivered = new Promise<void>((resolve) => {
        watches.onEvent = () => {
          if (--missing === 0) resolve();
        };
      });
      const before = cpuSeconds(side.pids);
      const start = performance.now();
      await Promise.all([ask(writer, 'POST', FLUNDERS, flunder()), delivered]);
      lastMs.push(performance.now() - start);
      cpu += cpuSeconds(side.pids) - before;
    }
    return { lastMs, cpuMicros: (cpu * 1e6) / (writes * WATCHES) };
  } finally {
    watches.close();
  }
}

function flunder(): object {
  return {
    apiVersion: 'wardle.example.com/v1alpha1',
    kind: 'Flunder',
    metadata: { generateName: 'bench-', labels: { app: 'bench' } },
    spec: { reference: 'bench', referenceType: 'Flunder' },
  };
}
