/** The changes that etcd itself reports, read by a watch that goes past the servers and the proxies. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openGrpcChannel } from '../../src/node/grpc/grpc-channel.ts';
import type { EtcdStorage } from '../../src/storage/etcd/etcd-storage.ts';
import { openEtcdStorage } from '../../src/storage/etcd/open.ts';
import type { StorageEvent, Watch } from '../../src/storage/storage.ts';
import type { Change } from './history.ts';

const RANGE = 'registry/configmaps/default/';
const PROGRESS_MS = 100;
const VALUE = /v\d+-\d+/;

export class Truth {
  readonly changes: Change[] = [];
  readonly #storage: EtcdStorage;
  #position: number;
  #current: Watch | undefined;

  private constructor(storage: EtcdStorage, position: number) {
    this.#storage = storage;
    this.#position = position;
  }

  static async start(endpoints: readonly string[]): Promise<Truth> {
    const storage = openEtcdStorage({ openChannel: openGrpcChannel, endpoints });
    const truth = new Truth(storage, await storage.revision());
    truth.#watch();
    return truth;
  }

  /** The history below the last changes is compacted. */
  async compact(keep: number): Promise<void> {
    const to = Math.min(this.#position, this.changes.at(-keep)?.rv ?? 0);
    if (to > 0) await this.#storage.compact(to);
  }

  /** Waits until all changes up to this revision are known. */
  async reach(revision: number): Promise<void> {
    while (this.#position < revision) {
      // Progress reaches the highest revision that the driver knows.
      await this.#storage.revision();
      this.#current?.requestProgress();
      await sleep(PROGRESS_MS);
    }
  }

  async stop(): Promise<void> {
    await this.#storage.stop();
  }

  #watch(): void {
    this.#current = this.#storage.watch(
      { ranges: [{ prefix: RANGE }], from: { after: this.#position } },
      {
        events: (events) => {
          for (const event of events) this.#take(event);
        },
        progress: (revision) => {
          this.#position = Math.max(this.#position, revision);
        },
        end: ({ reason }) => {
          if (reason === 'compacted') throw new Error('the watch of etcd itself has lost its history');
          if (reason === 'failed') this.#watch();
        },
      },
    );
  }

  #take(event: StorageEvent): void {
    this.#position = event.revision;
    const key = event.key.slice(RANGE.length);
    if (!key.startsWith('k')) return;
    const value = event.type === 'put' ? (VALUE.exec(Buffer.from(event.value).toString('latin1'))?.[0] ?? '') : '';
    this.changes.push({ type: event.type, key, value, rv: event.revision });
  }
}
