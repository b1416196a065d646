/**
 * Durable creates of 1 KB with 256 in flight: the driver compared with raw lmdb transactions that write the same keys
 * and bytes (index entry and log record) with the same durability. The raw side has no checks, no checksums and no
 * watchers.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { openLmdbStorage } from '../src/storage/lmdb/index.ts';
import { type BenchLine, median } from './measure.ts';

const WRITES = 20_000;
const IN_FLIGHT = 256;
const WARM_UP = 4;
const ROUNDS = 21;
const VALUE_BYTES = 1024;
// The bytes that the driver stores besides key and value: the header of a record, an index entry.
const HEADER_BYTES = 48;
const INDEX_BYTES = 13;

export async function benchLmdbCreate(): Promise<BenchLine> {
  const sides = [driverCreates, rawTransactions];
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (let i = 0; i < 2; i++) {
      // The sides take turns at being first. The first rounds warm up and do not count.
      const side = (i + round) % 2;
      const rate = await inFreshFolder(sides[side] as (folder: string) => Promise<number>);
      if (round >= WARM_UP) rates[side]?.push(rate);
    }
  }
  const ours = median(rates[0]);
  const peer = median(rates[1]);
  // The two runs of a round are close in time, so other load on the machine affects their ratio little.
  const ratio = median(rates[0].map((rate, i) => rate / (rates[1][i] as number)));
  return {
    name: 'LMDB driver: durable creates of 1 KB, 256 in flight / raw lmdb transactions',
    ours: Math.round(ours),
    peer: Math.round(peer),
    unit: 'creates/s',
    ratio,
    atLeast: 1,
  };
}

async function driverCreates(folder: string): Promise<number> {
  const storage = await openLmdbStorage({ folder });
  const rate = await measure((key, value) => storage.create(key, value));
  await storage.stop();
  return rate;
}

async function rawTransactions(folder: string): Promise<number> {
  const root = open({ path: join(folder, 'data.mdb'), overlappingSync: false, encoding: 'binary', mapSize: 2 ** 30 });
  const keys = root.openDB({ name: 'keys', encoding: 'binary' });
  const log = root.openDB({ name: 'log', encoding: 'binary' });
  const index = Buffer.alloc(INDEX_BYTES);
  let revision = 1;
  const rate = await measure((key, value) =>
    root.transaction(() => {
      const record = Buffer.allocUnsafeSlow(HEADER_BYTES + key.length + value.byteLength);
      record.write(key, HEADER_BYTES, 'latin1');
      record.set(value, HEADER_BYTES + key.length);
      void keys.put(key, index);
      void log.put(++revision, record);
    }),
  );
  await root.close();
  return rate;
}

async function measure(create: (key: string, value: Uint8Array) => Promise<unknown>): Promise<number> {
  const value = Buffer.alloc(VALUE_BYTES, 'v');
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < WRITES) await create(`registry/configmaps/default/object-${String(next++).padStart(7, '0')}`, value);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, writer));
  return (WRITES / (performance.now() - start)) * 1000;
}

async function inFreshFolder(run: (folder: string) => Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
