/**
 * The process that `strace.sh` traces. It writes a few hundred keys, first one by one, then from several writers, and
 * writes marks to a file: BEGIN before each commit; EVENT, SEEN and ACK, each with a revision, when a watcher, a reader
 * and a writer learn of that revision.
 */
import { openSync, writeSync } from 'node:fs';
import { openLmdbStorage } from '../../src/storage/lmdb/index.ts';

const [folder, marks] = process.argv.slice(2) as [string, string];
const file = openSync(marks, 'w');
const say = (what: string): void => void writeSync(file, `${what}\n`);

const storage = await openLmdbStorage({ folder, beforeCommit: () => say('BEGIN') });
let seen = await storage.revision();
storage.watch(
  { ranges: [{ prefix: '' }], from: 'now' },
  {
    events: (events) => say(`EVENT ${events.at(-1)?.revision}`),
    progress: () => {},
    end: () => {},
  },
);
// A reader that reads the revision in every turn of the event loop.
const look = (): void => {
  if (!writing) return;
  const now = storage.revision() as number;
  if (now !== seen) say(`SEEN ${now}`);
  seen = now;
  setImmediate(look);
};
let writing = true;
setImmediate(look);
const writer = async (id: number): Promise<void> => {
  for (let i = 0; i < 50; i++) {
    const result = await storage.create(`w/${id}/${i}`, Buffer.alloc(1024, 'v'));
    say(`ACK ${result.revision}`);
  }
};
await writer(0);
await Promise.all(Array.from({ length: 8 }, (_, id) => writer(id + 1)));
writing = false;
await storage.stop();
