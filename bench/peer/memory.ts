/**
 * The memory of both servers with some thousand objects, at rest. LMDB and bbolt map their files, and pages of mapped files
 * are the cache of the kernel, which takes them back when it needs memory: the bar is on the memory without them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from './process-figures.ts';
import type { Side } from './side.ts';
import type { Bar } from './table.ts';
import { fill, prepare } from './work.ts';

export interface MemoryOptions {
  startOurs(): Promise<Side>;
  startReference(): Promise<Side>;
  judge(bar: Bar): void;
}

const OBJECTS = 11_000;
/** V8 and Go give memory back in the first seconds without load. */
const REST_MS = 45_000;

export async function benchMemory({ startOurs, startReference, judge }: MemoryOptions): Promise<void> {
  const started: Side[] = [];
  try {
    for (const start of [startOurs, startReference]) {
      const side = await start();
      started.push(side);
      await prepare(side);
      await fill(side, OBJECTS);
    }
    await sleep(REST_MS);
    const figures = started.map(({ pids }) => memoryOf(pids));
    const line = (reading: string, key: 'anonymous' | 'resident', atLeast?: number): void => {
      const [ours, peer] = figures.map((of) => [of[key] / 1e6]);
      if (ours === undefined || peer === undefined) throw new Error('two servers were started');
      const name = `memory with ${OBJECTS.toLocaleString('en')} objects, ${reading}`;
      judge({ name, unit: 'MB', ours, peer, better: 'less', ...(atLeast !== undefined && { atLeast }) });
    };
    line('without mapped files', 'anonymous', 4);
    line('resident', 'resident');
  } finally {
    for (const side of started) await side.stop();
  }
}
