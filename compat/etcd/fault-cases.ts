/** Cases of the etcd driver on clusters with faults, and beside other processes. */
import { rmSync } from 'node:fs';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import { openGrpcChannel } from '../../src/node/grpc/grpc-channel.ts';
import { isStorageError } from '../../src/storage/errors.ts';
import type { EtcdStorage } from '../../src/storage/etcd/etcd-storage.ts';
import { openEtcdStorage } from '../../src/storage/etcd/open.ts';
import { overwrite, put, Recorder, readText } from '../../src/storage/suite/context.ts';
import { expectEqual, expectOutcome, expectTrue } from '../../src/storage/suite-assert.ts';
import type { Case } from '../rows/cases.ts';
import { Cluster, type ClusterOptions } from './cluster.ts';

const PREFIX = '/faults/';

async function withCluster(
  options: ClusterOptions,
  run: (cluster: Cluster, open: () => EtcdStorage) => Promise<void>,
): Promise<void> {
  const cluster = await Cluster.start(options);
  const stores: EtcdStorage[] = [];
  const open = (): EtcdStorage => {
    const storage = openEtcdStorage({
      openChannel: openGrpcChannel,
      endpoints: cluster.urls,
      prefix: PREFIX,
      scope: '',
    });
    stores.push(storage);
    return storage;
  };
  try {
    await run(cluster, open);
  } finally {
    await Promise.all(stores.map((storage) => storage.stop()));
    await cluster.stop();
  }
}

export function faultCases(program: string): readonly Case[] {
  return [
    {
      name: 'two stores see the writes of each other, and each is linearizable',
      run: () =>
        withCluster({ program, members: 1 }, async (_, open) => {
          const [one, two] = [open(), open()];
          const watcher = Recorder.start(two, '', { after: await two.revision() });
          for (let i = 0; i < 20; i++) {
            const revision = await put(one, `k/${i}`, `${i}`);
            expectEqual(await readText(two, `k/${i}`), `${i}`);
            expectTrue((await two.revision()) >= revision, 'the revision of the other store is not behind');
          }
          await watcher.caughtUp(two);
          expectEqual(watcher.seen.length, 20);
        }),
    },
    {
      name: 'a member that is killed: writes, reads and watches continue on another one, and nothing is lost',
      run: () =>
        withCluster({ program, members: 3 }, async (cluster, open) => {
          const storage = open();
          const watcher = Recorder.start(storage, '', { after: await storage.revision() });
          const revisions: number[] = [await put(storage, 'k', '0')];
          await cluster.kill(0);
          for (let i = 1; i <= 10; i++) revisions.push(await overwrite(storage, 'k', `${i}`));
          expectEqual(await readText(storage, 'k'), '10');
          await watcher.caughtUp(storage);
          expectEqual(
            watcher.seen.map((event) => event.revision),
            revisions,
          );
        }),
    },
    {
      name: 'the only member is killed and started again: a write waits for it, and watches continue',
      run: () =>
        withCluster({ program, members: 1 }, async (cluster, open) => {
          const storage = open();
          const first = await put(storage, 'a', 'x');
          const watcher = Recorder.start(storage, '', { after: first });
          await watcher.caughtUp(storage);
          await cluster.kill(0);
          const late = put(storage, 'b', 'x');
          cluster.launch(0);
          const second = await late;
          await watcher.caughtUp(storage);
          expectEqual(
            watcher.seen.map((event) => [event.key, event.revision]),
            [['b', second]],
          );
        }),
    },
    {
      name: 'a cluster that was replaced by an older one: watches end compacted, and reads show the new state',
      run: () =>
        withCluster({ program, members: 1 }, async (cluster, open) => {
          const storage = open();
          for (let i = 0; i < 30; i++) await overwrite(storage, 'k', `${i}`);
          const known = await storage.revision();
          const watcher = Recorder.start(storage, '', { after: known });
          await watcher.caughtUp(storage);
          await cluster.kill(0);
          rmSync(cluster.dataDir(0), { recursive: true });
          cluster.launch(0);
          await cluster.healthy(0);
          const end = await watcher.untilEnd();
          expectTrue(end.reason === 'compacted' && end.horizon < known, `the watch ends compacted: ${end.reason}`);
          expectEqual(await readText(storage, 'k'), undefined);
          const revision = await put(storage, 'k', 'new');
          expectTrue(revision < known, 'the revisions begin again');
          const again = Recorder.start(storage, '', 'state');
          await again.until((recorder) => recorder.progressed > 0);
          expectEqual(
            again.seen.map((event) => event.revision),
            [revision],
          );
        }),
    },
    {
      name: 'the compaction of another process: reads and watches below it are compacted',
      run: () =>
        withCluster({ program, members: 1 }, async (_, open) => {
          const [one, two] = [open(), open()];
          const revisions: number[] = [];
          for (let i = 0; i < 10; i++) revisions.push(await overwrite(one, 'k', `${i}`));
          await two.compact(revisions[8]!);
          expectOutcome(await one.get('k', { revision: revisions[3]! }), 'compacted');
          expectTrue(one.horizon() > revisions[3]! && one.horizon() <= revisions[8]!, 'the horizon is a lower bound');
          const watcher = Recorder.start(one, '', { after: revisions[5]! });
          expectEqual(await watcher.untilEnd(), { reason: 'compacted', horizon: revisions[8]! });
          expectEqual(one.horizon(), revisions[8]!);
        }),
    },
    {
      name: 'the compactors of two servers compact once per interval, to the revision of the interval before',
      run: () =>
        withCluster({ program, members: 1 }, async (_, open) => {
          const errors: Error[] = [];
          const clock = new VirtualClock();
          const stores = [open(), open()];
          const compactors = stores.map((storage) =>
            storage.startCompactor({ clock, intervalMs: 60_000, onError: (error) => errors.push(error) }),
          );
          const revisions: number[] = [];
          for (let round = 0; round < 4; round++) {
            revisions.push(await overwrite(stores[0]!, 'k', `${round}`));
            await clock.advance(60_000);
            // Stopping and starting would lose the state of the compactors, so their rounds are awaited by a write.
            await overwrite(stores[1]!, 'tick', `${round}`);
          }
          for (const compactor of compactors) await compactor.stop();
          expectEqual(errors, []);
          const horizon = Math.max(...stores.map((storage) => storage.horizon()));
          expectTrue(horizon >= revisions[0]! && horizon < revisions[3]!, `the horizon is ${horizon} of ${revisions}`);
        }),
    },
    {
      name: 'a full quota is NoSpace for writes, and reads work',
      run: () =>
        withCluster({ program, members: 1, flags: ['--quota-backend-bytes=4000000'] }, async (_, open) => {
          const storage = open();
          await put(storage, 'a', 'x');
          const large = new Uint8Array(1_000_000).fill(1);
          let failure: unknown;
          // etcd compares the quota with the size at its last commit of a batch, so some writes exceed it.
          for (let i = 0; i < 200 && failure === undefined; i++)
            await storage.create(`large/${i}`, large).catch((caught: unknown) => {
              failure = caught;
            });
          expectTrue(isStorageError(failure, 'NoSpace'), `the write fails with NoSpace: ${failure}`);
          expectEqual(await readText(storage, 'a'), 'x');
        }),
    },
  ];
}
