/** Servers whose storage has a defect. The judges must find it; otherwise they prove nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeOptions } from '../../src/controlplane/complete-options.ts';
import { nodePlatform } from '../../src/controlplane/node/node-platform.ts';
import { serverOptions } from '../../src/controlplane/options.ts';
import { startControlPlane } from '../../src/controlplane/start.ts';
import { nodeBuildInfo } from '../../src/node/platform.ts';
import type { EtcdStorage } from '../../src/storage/etcd/etcd-storage.ts';
import { openEtcdStorage } from '../../src/storage/etcd/open.ts';
import type { StorageEvent, WatchSink } from '../../src/storage/storage.ts';
import { ADMIN_TOKEN } from '../live/server.ts';
import type { Server } from './servers.ts';

/**
 * `stale-reads`: the revision of the store is up to half a second old. `lost-events`: watches miss some changes.
 * `lost-updates`: a write does not compare the revision.
 */
export type Defect = 'stale-reads' | 'lost-events' | 'lost-updates';
export const DEFECTS: readonly Defect[] = ['stale-reads', 'lost-events', 'lost-updates'];

const STALE_MS = 500;
/** One of this many events of ConfigMaps is lost. */
const LOST = 40;

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
    const storage = withDefect(openEtcdStorage({ endpoints: etcdUrls }), defect);
    const plane = await startControlPlane(completed, { storage });
    await plane.ready;
    return {
      url: plane.url,
      process: undefined,
      async stop() {
        await plane.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

/** Replaces methods of the storage itself, so that everything else is the driver's. */
function withDefect(storage: EtcdStorage, defect: Defect): EtcdStorage {
  if (defect === 'stale-reads') {
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
  } else if (defect === 'lost-events') {
    const watch = storage.watch.bind(storage);
    let count = 0;
    const isKept = ({ key }: StorageEvent): boolean => !key.includes('/configmaps/') || ++count % LOST !== 0;
    storage.watch = (options, sink) => {
      const lossy: WatchSink = {
        events: (events) => sink.events(events.filter(isKept)),
        progress: (revision) => sink.progress(revision),
        end: (reason) => sink.end(reason),
      };
      return watch(options, lossy);
    };
  } else {
    const write = storage.compareAndWrite.bind(storage);
    storage.compareAndWrite = async (key, seen, value, options) => {
      const present = await storage.get(key);
      return write(key, seen !== undefined && present.outcome === 'found' ? present.item : seen, value, options);
    };
  }
  return storage;
}
