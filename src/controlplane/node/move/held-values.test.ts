import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { folderSource, folderTarget } from './folder-end.ts';
import { moveData } from './move-data.ts';
import {
  BATCH_BYTES,
  inBatches,
  type MovedItem,
  type MovedKey,
  type MoveSource,
  type MoveTarget,
} from './moved-state.ts';
import { snapshotSource, snapshotTarget } from './snapshot-end.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const KEYS = 64;
const VALUE_BYTES = BATCH_BYTES / 4;
/** The batch that is passed on, the one before it, and what is being encoded. */
const MOST_HELD = 12;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-held-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Counts the values that are in memory whenever another batch is passed on. */
class Held {
  most = 0;
  passed = 0;
  #values: WeakRef<Uint8Array>[] = [];

  async *count(batches: AsyncIterable<readonly MovedItem[]>): AsyncIterable<readonly MovedItem[]> {
    for await (const batch of batches) {
      for (const { value } of batch) this.#values.push(new WeakRef(value));
      this.passed += batch.length;
      await new Promise((next) => setImmediate(next));
      collect();
      this.#values = this.#values.filter((each) => each.deref() !== undefined);
      this.most = Math.max(this.most, this.#values.length);
      yield batch;
    }
  }

  ofSource(source: MoveSource): MoveSource {
    return {
      ...source,
      read: async (report) => {
        const state = await source.read(report);
        return { ...state, items: (keys) => this.count(state.items(keys)) };
      },
    };
  }

  ofTarget(target: MoveTarget): MoveTarget {
    return {
      ...target,
      readBack: async (report) => {
        const state = await target.readBack(report);
        return { ...state, items: (keys) => this.count(state.items(keys)) };
      },
    };
  }
}

/** Values that are made when they are read. */
function generated(): MoveSource {
  const keys = Array.from({ length: KEYS }, (_, i): MovedKey => {
    return { path: `configmaps/default/c${i + 100}`, revision: 500 - i, created: 500 - i, expires: 0 };
  });
  const read = ({ revision }: MovedKey): Uint8Array => new Uint8Array(VALUE_BYTES).fill(revision % 251);
  return {
    name: 'generated',
    prefix: '/registry',
    read: async () => ({
      revision: 600,
      keys,
      imported: true,
      notes: [],
      items: (wanted) => inBatches(wanted, read),
      close: async () => undefined,
    }),
  };
}

it('a move holds a few values at a time, of the source as well as of the target', async () => {
  const now = (): number => Date.now();
  const file = { path: join(folder, 'a.db'), prefix: '/registry', now };
  const dataDir = join(folder, 'data');
  const data = folderTarget({ dataDir, replace: false, bump: 1000, clock: systemClock });
  const moves: readonly (readonly [MoveSource, MoveTarget])[] = [
    [generated(), snapshotTarget(file)],
    [snapshotSource(file), data],
    [folderSource({ dataDir, whileServed: false }), snapshotTarget({ ...file, path: join(folder, 'b.db') })],
  ];
  const hashes: string[] = [];
  for (const [source, target] of moves) {
    const [read, verified] = [new Held(), new Held()];
    const result = await moveData({
      source: read.ofSource(source),
      target: verified.ofTarget(target),
      clock: systemClock,
      report: () => undefined,
    });
    expect([result.objects, result.bytes]).toEqual([KEYS, KEYS * VALUE_BYTES]);
    expect([read.passed, verified.passed]).toEqual([KEYS, KEYS]);
    expect(read.most).toBeLessThanOrEqual(MOST_HELD);
    expect(verified.most).toBeLessThanOrEqual(MOST_HELD);
    hashes.push(result.resources[0]?.sha256 ?? '');
  }
  expect(new Set(hashes).size).toBe(1);
});
