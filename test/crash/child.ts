/**
 * The child process of the crash test, which is killed. It verifies the folder, opens the store, reports the state,
 * resumes the watch, waits for a line on stdin, and then writes until it is killed. It reports by lines on stdout. The
 * line of an acknowledged operation is written before the next operation of that writer begins:
 *
 *   v <keys> <records>              the folder is clean
 *   s <revision> <json>             the state: [key, revision, checksum] of each item
 *   e <revision> <json>             the events of one whole revision
 *   p <revision>                    the watch has caught up
 *   a <writer> <n> <revision>       an acknowledged write
 *   c <key> <writer> <n> <revision> an acknowledged increment of a counter
 *   x <text>                        a violation that the child has found
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { EmbeddedStorage } from '../../src/storage/embedded-storage.ts';
import { checksumOf } from '../../src/storage/lmdb/checksum.ts';
import { openLmdbStorage, verifyFolder } from '../../src/storage/lmdb/index.ts';
import type { Revision, Storage, StorageEvent } from '../../src/storage/storage.ts';
import { seenAt } from '../../src/storage/suite/context.ts';
import { type CrashOperation, WriterModel } from './model.ts';

export interface ChildStart {
  readonly folder: string;
  readonly seed: number;
  readonly writers: number;
  readonly after: Revision;
}

/** An event as the parent gets it. */
export type EventLine = readonly [key: string, type: 'put' | 'delete', previous: Revision, checksum: number];

let waiting: string[] = [];

function say(line: string): void {
  if (waiting.length === 0) setImmediate(flush);
  waiting.push(line);
}

// One write per turn. A pipe is written synchronously, so all lines are in the pipe when this returns.
function flush(): void {
  let bytes = Buffer.from(`${waiting.join('\n')}\n`);
  waiting = [];
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (caught) {
      if ((caught as { code?: string }).code !== 'EAGAIN') throw caught;
    }
  }
}

export async function runChild(start: ChildStart): Promise<void> {
  const input = createInterface({ input: process.stdin });
  const lines = input[Symbol.asyncIterator]();
  if (start.after > 1) {
    const report = await verifyFolder(start.folder);
    for (const problem of report.problems) say(`x verify: ${problem}`);
    say(`v ${report.keys} ${report.records}`);
  }
  const storage = await openLmdbStorage({
    folder: start.folder,
    retention: { ageMs: 60_000, bytes: 8 * 2 ** 20 },
    onProblem: (error) => say(`x ${error.message}`),
  });
  const revision = await storage.revision();
  const listed = await storage.list({ prefix: '' }, { revision });
  if (listed.outcome !== 'ok') throw new Error(`list: ${listed.outcome}`);
  const revisions = new Map(listed.items.map((item) => [item.key, item.revision]));
  say(`s ${revision} ${JSON.stringify(listed.items.map((item) => [item.key, item.revision, checksumOf(item.value)]))}`);
  watch(storage, start.after, revision);
  const go = await lines.next();
  const done = JSON.parse(String(go.value)) as number[] | 'stop';
  if (done === 'stop') {
    await storage.stop();
    input.close();
    return;
  }
  for (let writer = 0; writer < start.writers; writer++) {
    const model = new WriterModel(start.seed, writer);
    while (model.done < (done[writer] as number)) model.apply(model.next());
    void write(storage, writer, model, revisions).catch((error: unknown) =>
      say(`x writer ${writer}: ${String(error)}`),
    );
  }
}

function watch(storage: Storage, after: Revision, until: Revision): void {
  let caughtUp = false;
  const watcher = storage.watch(
    { ranges: [{ prefix: '' }], from: { after } },
    {
      events: (events) => {
        for (let i = 0; i < events.length; ) {
          const revision = (events[i] as StorageEvent).revision;
          const group: EventLine[] = [];
          for (; events[i]?.revision === revision; i++) group.push(eventLine(events[i] as StorageEvent));
          say(`e ${revision} ${JSON.stringify(group)}`);
        }
      },
      progress: (revision) => {
        if (caughtUp || revision < until) return;
        caughtUp = true;
        say(`p ${revision}`);
      },
      end: (end) => {
        if (end.reason !== 'closed') say(`x the watch ended: ${JSON.stringify(end)}`);
      },
    },
  );
  watcher.requestProgress();
}

function eventLine(event: StorageEvent): EventLine {
  return [event.key, event.type, event.previous?.revision ?? 0, event.type === 'put' ? checksumOf(event.value) : 0];
}

async function write(
  storage: EmbeddedStorage,
  writer: number,
  model: WriterModel,
  revisions: Map<string, Revision>,
): Promise<never> {
  for (;;) {
    const operation = model.next();
    const revision = await perform(storage, operation, revisions);
    say(
      operation.kind === 'count'
        ? `c ${operation.key} ${writer} ${model.done} ${revision}`
        : `a ${writer} ${model.done} ${revision}`,
    );
    model.apply(operation);
  }
}

async function perform(
  storage: EmbeddedStorage,
  operation: CrashOperation,
  revisions: Map<string, Revision>,
): Promise<Revision> {
  if (operation.kind === 'expire') {
    const created = await storage.create(operation.key, operation.value, { ttlMs: operation.ttlMs });
    // The same key may be left from an attempt before the crash.
    return created.revision;
  }
  if (operation.kind === 'count') return count(storage, operation.key);
  const { writes } = operation;
  const [first] = writes;
  let revision: Revision;
  if (writes.length === 1 && first !== undefined) {
    const known = revisions.get(first.key) ?? 0;
    const result =
      first.value === undefined
        ? await storage.delete(first.key, { expected: known })
        : known === 0
          ? await storage.create(first.key, first.value)
          : await storage.compareAndWrite(first.key, seenAt(known), first.value);
    if (result.outcome !== 'ok')
      throw new Error(`${first.key}: ${result.outcome}, although no other writer has this key`);
    revision = result.revision;
  } else {
    const result = await storage.transact({
      checks: writes.map(({ key }) => ({ key, revision: revisions.get(key) ?? 0 })),
      writes: writes.map(({ key, value }) =>
        value === undefined ? { type: 'delete', key } : { type: 'put', key, value },
      ),
    });
    if (result.outcome !== 'ok') throw new Error(`${writes.map(({ key }) => key).join()}: ${result.outcome}`);
    revision = result.revision;
  }
  for (const { key, value } of writes) {
    if (value === undefined) revisions.delete(key);
    else revisions.set(key, revision);
  }
  return revision;
}

async function count(storage: Storage, key: string): Promise<Revision> {
  for (;;) {
    const now = await storage.get(key);
    const value = Buffer.alloc(4);
    value.writeUInt32LE(now.outcome === 'found' ? Buffer.from(now.item.value).readUInt32LE(0) + 1 : 1);
    const result = await storage.compareAndWrite(key, now.outcome === 'found' ? now.item : undefined, value);
    if (result.outcome === 'ok') return result.revision;
  }
}
