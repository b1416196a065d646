/**
 * The memory of 100,000 cached objects of 1 KB, in a process of its own (`node --expose-gc`). Prints one line of JSON.
 * With `own-labels` each object has a label value of its own, so that no facts are shared. Counted is all memory of the
 * process beyond its state just before loading (cache, keys, facts, event window, V8's own growth), compared with the
 * bytes of all objects as sent. The stub store keeps no value; every event has a new key and value, as from a disk.
 */
import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { CacheList } from '../src/cache/cache.ts';
import { loadedCache, putEvent } from './loaded-cache.ts';
import { objectBytes, PREFIX } from './objects.ts';

const OBJECTS = 100_000;
const PER_TURN = 64;

export interface MemoryFigures {
  /** The bytes of all objects as sent. */
  readonly bytes: number;
  readonly heapAndExternal: number;
  readonly anonymous: number;
  readonly updates: number;
  readonly anonymousAfterUpdates: number;
}

function collect(): void {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error('run with --expose-gc');
  for (let i = 0; i < 4; i++) gc();
}

function heapAndExternal(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function anonymous(): number {
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  if (found === null) throw new Error('/proc/self/status has no RssAnon');
  return Number(found[1]) * 1024;
}

async function main(updates: number, ownLabels: boolean): Promise<MemoryFigures> {
  // Code that runs once is compiled, and its garbage is collected, before the baseline is taken.
  const { cache, store } = await loadedCache(1000);
  for (let i = 0; i < 1000; i++) {
    const revision = store.next();
    store.deliver([{ ...putEvent(store, i, objectBytes(i)), revision, type: 'delete', previous: undefined as never }]);
  }
  collect();
  await turn();
  collect();
  const heapBefore = heapAndExternal();
  const anonymousBefore = anonymous();

  const write = (index: number, version: number): void => {
    const own: Record<string, string> = ownLabels ? { instance: `widget-${index}` } : {};
    store.deliver([putEvent(store, index, objectBytes(index, 1024, version, own))]);
  };
  for (let i = 0; i < OBJECTS; i++) {
    write(i, 0);
    if (i % PER_TURN === 0) await turn();
  }
  collect();
  await turn();
  collect();
  const loaded = heapAndExternal() - heapBefore;
  const anonymousLoaded = anonymous() - anonymousBefore;
  let bytes = 0;
  for (const item of (cache.list({ prefix: PREFIX }) as CacheList).items) bytes += item.byteLength;

  let random = 12_345;
  for (let i = 0; i < updates; i++) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff;
    write(random % OBJECTS, 1 + (i % 9));
    if (i % PER_TURN === 0) await turn();
  }
  collect();
  await turn();
  collect();
  const anonymousAfterUpdates = anonymous() - anonymousBefore;
  if (cache.snapshot().count({ prefix: PREFIX }) !== OBJECTS) throw new Error('objects were lost');
  return { bytes, heapAndExternal: loaded, anonymous: anonymousLoaded, updates, anonymousAfterUpdates };
}

console.log(JSON.stringify(await main(Number(process.argv[2] ?? 300_000), process.argv[3] === 'own-labels')));
