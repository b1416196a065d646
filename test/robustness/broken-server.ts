/** Servers whose storage has a defect. The judges must find it; otherwise they prove nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { completeOptions } from '../../src/controlplane/complete-options.ts';
import { nodePlatform } from '../../src/controlplane/node/node-platform.ts';
import { serverOptions } from '../../src/controlplane/options.ts';
import { startControlPlane } from '../../src/controlplane/start.ts';
import { openGrpcChannel } from '../../src/node/grpc/grpc-channel.ts';
import { nodeBuildInfo } from '../../src/node/platform.ts';
import type { EtcdStorage } from '../../src/storage/etcd/etcd-storage.ts';
import { openEtcdStorage } from '../../src/storage/etcd/open.ts';
import type { StorageEvent, WatchSink, WriteResult } from '../../src/storage/storage.ts';
import { ADMIN_TOKEN } from '../live/server.ts';
import type { Server } from './servers.ts';

export type Defect =
  | 'stale-reads'
  | 'stale-reads-without-quorum'
  | 'lost-events'
  | 'lost-deletes'
  | 'lost-updates'
  | 'unknown-as-conflict';

/** One of this many events of ConfigMaps is lost. */
const LOST_EVENTS = 40;
const LOST_DELETES = 4;
const STALE_MS = 500;
/** Longer than a quorum read without a fault. */
const LATE_MS = 300;

interface DefectKind {
  /** The faults that show it. Default: all of them. */
  readonly faults?: readonly string[];
  /** Replaces methods of the storage itself, so that everything else is the driver's. */
  apply(storage: EtcdStorage): void;
}

/** Drivers that are broken on purpose. */
export const DEFECTS: Readonly<Record<Defect, DefectKind>> = {
  /** The revision of the store is up to half a second old. */
  'stale-reads': {
    apply(storage) {
      const read = storage.revision.bind(storage);
      let known: Promise<number> | undefined;
      storage.revision = () => {
        if (known === undefined) {
          known = read();
          setTimeout(() => {
            known = undefined;
          }, STALE_MS);
        }
        return known;
      };
    },
  },
  /** A quorum read that is not answered in time is replaced by the revision that the server knows. */
  'stale-reads-without-quorum': {
    faults: ['cut a server off from etcd', 'swallow the answers of etcd'],
    apply(storage) {
      const read = storage.revision.bind(storage);
      let last = 0;
      storage.revision = async () => {
        const fresh = read();
        // The late answer is not used, and its failure is that of the request that was answered already.
        fresh.catch(() => undefined);
        const revision = await Promise.race([fresh.catch(() => last), sleep(LATE_MS, last)]);
        last = Math.max(last, revision);
        return last === 0 ? fresh : last;
      };
    },
  },
  /** Watches miss some changes. */
  'lost-events': { apply: (storage) => loseEvents(storage, LOST_EVENTS, () => true) },
  /** Watches miss some deletions. */
  'lost-deletes': { apply: (storage) => loseEvents(storage, LOST_DELETES, ({ type }) => type === 'delete') },
  /** A write does not compare the revision. */
  'lost-updates': {
    apply(storage) {
      const write = storage.compareAndWrite.bind(storage);
      storage.compareAndWrite = async (key, seen, value, options) => {
        const present = await storage.get(key);
        return write(key, seen !== undefined && present.outcome === 'found' ? present.item : seen, value, options);
      };
    },
  },
  /** A write whose outcome is not known is answered with a conflict. */
  'unknown-as-conflict': {
    faults: ['swallow the answers of etcd'],
    apply(storage) {
      const write = storage.compareAndWrite.bind(storage);
      const create = storage.create.bind(storage);
      const answer = async (late: Promise<WriteResult>): Promise<WriteResult> => {
        const result = await Promise.race([late.catch(() => undefined), sleep(LATE_MS, undefined)]);
        return result ?? { outcome: 'conflict', current: undefined, revision: 1 };
      };
      storage.compareAndWrite = (key, seen, value, options) => answer(write(key, seen, value, options));
      storage.create = (key, value, options) => answer(create(key, value, options));
    },
  },
};

function loseEvents(storage: EtcdStorage, oneOf: number, isCounted: (event: StorageEvent) => boolean): void {
  const watch = storage.watch.bind(storage);
  let count = 0;
  const isKept = (event: StorageEvent): boolean =>
    !event.key.includes('/configmaps/') || !isCounted(event) || ++count % oneOf !== 0;
  storage.watch = (options, sink) => {
    const lossy: WatchSink = {
      events: (events) => sink.events(events.filter(isKept)),
      progress: (revision) => sink.progress(revision),
      end: (reason) => sink.end(reason),
    };
    return watch(options, lossy);
  };
}

export const BrokenServer = {
  async start(etcdUrls: readonly string[], defect: Defect): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-broken-'));
    const tokenFile = join(folder, 'tokens.csv');
    writeFileSync(tokenFile, `${ADMIN_TOKEN},admin,1,"system:masters"\n`, { mode: 0o600 });
    const options = serverOptions({
      storage: 'etcd',
      etcd: { servers: etcdUrls },
      dataDir: join(folder, 'data'),
      controllers: [],
      serving: { port: 0, bindAddress: '127.0.0.1' },
      authentication: { tokenFile },
    });
    const completed = await completeOptions(options, { ...nodePlatform, buildInfo: () => nodeBuildInfo('0.0.0') });
    const storage = openEtcdStorage({ openChannel: openGrpcChannel, endpoints: etcdUrls });
    DEFECTS[defect].apply(storage);
    const plane = await startControlPlane(completed, { storage });
    await plane.ready;
    return {
      url: plane.url,
      process: undefined,
      clock: undefined,
      async stop() {
        await plane.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};
