/** Conformance: snapshots and forks. */
import { expectEqual, expectOutcome, expectStorageError } from '../suite-assert.ts';
import {
  bytes,
  embedded,
  forkable,
  keysOf,
  lines,
  overwrite,
  put,
  Recorder,
  readText,
  remove,
  type SuiteCase,
  seenAt,
  text,
} from './context.ts';

export const snapshotCases: readonly SuiteCase[] = [
  {
    name: 'a snapshot shows the state of its revision, whatever is written or compacted later',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      for (let i = 0; i < 12; i++) await put(storage, `p/${String(i).padStart(2, '0')}`, `v${i}`);
      const state = expectOutcome(await storage.list({ prefix: '' }), 'ok');
      const snapshot = await storage.snapshot();
      expectEqual(snapshot.revision, state.revision);
      for (let i = 0; i < 12; i += 2) await overwrite(storage, `p/${String(i).padStart(2, '0')}`, 'changed');
      await remove(storage, 'p/03');
      const last = await put(storage, 'p/000', 'new');
      await storage.compact(last);
      expectEqual(lines((await snapshot.list({ prefix: '' })).items), lines(state.items));
      expectEqual(text((await snapshot.get('p/03'))!.value), 'v3');
      expectEqual(await snapshot.get('p/000'), undefined);
      const page = await snapshot.list({ prefix: 'p/', start: 'p/04' }, { limit: 3 });
      expectEqual(
        [page.items.map((item) => item.key), page.next, page.remaining],
        [['p/04', 'p/05', 'p/06'], 'p/07', 5],
      );
      expectEqual((await snapshot.list({ prefix: 'q/' })).items, []);
      await snapshot.stop();
    },
  },
  {
    name: 'a snapshot shows every write acknowledged before it, and after its stop() only it is Closed',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const revision = await put(storage, 'a', 'x');
      const first = await storage.snapshot();
      const second = await storage.snapshot();
      expectEqual(first.revision, revision);
      await first.stop();
      await first.stop();
      await expectStorageError(() => first.get('a'), 'Closed');
      await expectStorageError(() => first.list({ prefix: '' }), 'Closed');
      expectEqual(text((await second.get('a'))!.value), 'x');
      await second.stop();
      expectEqual(await readText(storage, 'a'), 'x');
    },
  },
  {
    name: 'a snapshot is Closed once its store is stopped',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      await put(storage, 'a', 'x');
      const snapshot = await storage.snapshot();
      await storage.stop();
      await expectStorageError(() => snapshot.get('a'), 'Closed');
      await snapshot.stop();
    },
  },
  {
    name: 'a fork has the contents, revision and history of its origin, and both are independent',
    needs: 'fork',
    async run(context) {
      const storage = forkable(await context.open());
      const base = await storage.revision();
      const a = await put(storage, 'p/a', 'one');
      const b = await overwrite(storage, 'p/a', 'two');
      const origin = Recorder.start(storage, 'p/', { after: b });
      const fork = storage.fork();
      expectEqual(await fork.revision(), b);
      expectEqual(text(expectOutcome(await fork.get('p/a', { revision: a }), 'found').item.value), 'one');
      const watcher = Recorder.start(fork, 'p/', { after: base });
      const c = await put(fork, 'p/fork', 'x');
      await remove(fork, 'p/a');
      const d = await put(storage, 'p/origin', 'y');
      expectEqual(await keysOf(fork, ''), ['p/fork']);
      expectEqual(await keysOf(storage, ''), ['p/a', 'p/origin']);
      expectEqual(c, d, 'both took the next revision');
      await watcher.caughtUp(fork);
      await origin.caughtUp(storage);
      expectEqual(
        watcher.seen.map((event) => `${event.type} ${event.key}`),
        ['put p/a', 'put p/a', 'put p/fork', 'delete p/a'],
      );
      expectEqual(origin.lines, [`put p/origin=y@${d}/${d} was -`]);
      await storage.compact(d);
      expectEqual(fork.horizon(), 1);
      await storage.stop();
      expectEqual(await keysOf(fork, ''), ['p/fork']);
      const again = fork.fork();
      await fork.stop();
      expectEqual(await keysOf(again, ''), ['p/fork']);
      await again.stop();
    },
  },
  {
    name: 'a fork from a snapshot has the history before the snapshot and nothing after it',
    needs: 'fork',
    async run(context) {
      const storage = forkable(await context.open());
      const a = await put(storage, 'a', 'one');
      const b = await overwrite(storage, 'a', 'two');
      const snapshot = await storage.snapshot();
      await overwrite(storage, 'a', 'three');
      await put(storage, 'late', 'x');
      const fork = storage.fork(snapshot);
      expectEqual(await fork.revision(), b);
      expectEqual(await keysOf(fork, ''), ['a']);
      expectEqual(await readText(fork, 'a'), 'two');
      expectEqual(text(expectOutcome(await fork.get('a', { revision: a }), 'found').item.value), 'one');
      expectOutcome(await fork.get('a', { revision: b + 1 }), 'future');
      await snapshot.stop();
      expectEqual(expectOutcome(await fork.compareAndWrite('a', seenAt(b), bytes('forked')), 'ok').changed, true);
      expectEqual(await readText(storage, 'a'), 'three');
      await expectStorageError(async () => storage.fork(snapshot), 'Closed');
      await fork.stop();
    },
  },
  {
    name: 'a fork expires its own keys',
    needs: 'fork',
    async run(context) {
      const storage = forkable(await context.open());
      await put(storage, 'a', 'x', 10_000);
      const fork = storage.fork();
      const kept = expectOutcome(await storage.get('a'), 'found').item;
      await storage.compareAndWrite('a', kept, bytes('kept'));
      const watcher = Recorder.start(fork, '', 'now');
      await context.clock.advance(15_000);
      await watcher.until((recorder) => recorder.seen.length > 0);
      expectEqual(watcher.seen[0]!.type, 'delete');
      expectEqual(await readText(storage, 'a'), 'kept');
      await fork.stop();
    },
  },
];
