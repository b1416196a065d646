/**
 * The etcd driver: `Storage` over an etcd cluster that other processes share. It composes the reads, writes and watches
 * of this folder.
 */
import { decodeUtf8 } from '../../base/bytes.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Stoppable } from '../../base/lifetime.ts';
import { checkLimit, checkRange, checkRevision, checkWatch, checkWrite } from '../checks.ts';
import { StorageError } from '../errors.ts';
import { InFlight } from '../in-flight.ts';
import { checkKey, type KeyRange } from '../keys.ts';
import type { SizedStorage } from '../sized-storage.ts';
import type {
  CompactorOptions,
  CreateOptions,
  DeleteResult,
  GetResult,
  KeyValue,
  ListOptions,
  ListResult,
  ReadOptions,
  Revision,
  SeenState,
  StorageEvent,
  StorageLimits,
  Watch,
  WatchOptions,
  WatchSink,
  WriteOptions,
  WriteResult,
} from '../storage.ts';
import { EtcdCalls, withStorageError } from './etcd-calls.ts';
import { EtcdClient, type EtcdClientOptions } from './etcd-client.ts';
import { EtcdCompactor } from './etcd-compactor.ts';
import type { EtcdObserver } from './etcd-observer.ts';
import { EtcdReads } from './etcd-reads.ts';
import { EtcdWatch, type WatchHost } from './etcd-watch.ts';
import { EtcdWrites } from './etcd-writes.ts';
import { isCompacted, isFuture, toStorageError } from './grpc-error.ts';
import { HistoryGuard } from './history-guard.ts';
import { importMarkerKey } from './import-marker.ts';
import { createKeyMap, type KeyMap } from './key-map.ts';
import { DEFAULT_LEASE_REUSE_SECONDS, Leases } from './leases.ts';
import type { EtcdEvent, EtcdKeyValue, Header, RangeResponse } from './messages.ts';
import { markerKey, ordersProgress, type ProgressMarker } from './progress-marker.ts';
import { WatchHub } from './watch-hub.ts';

/** The longest time for which stop() waits for watches to deliver the last writes. */
const STOP_MS = 2_000;
/** The time limit of a status request, which asks for the release and the database size of a member. */
const STATUS_MS = 2_000;

export interface EtcdStorageOptions extends EtcdClientOptions {
  readonly clock: Clock;
  /** The first part of etcd's keys. Default `/registry`, as in kube-apiserver. */
  readonly prefix?: string;
  /** The first segment of the store's keys, which `prefix` replaces in etcd. Default `registry`. */
  readonly scope?: string;
  /** The longest time for which keys share a lease. Default 60 seconds. */
  readonly leaseReuseSeconds?: number;
  /** Called when the cluster was restored from a backup, before its watches end `compacted`. */
  readonly onRestored?: ((revision: Revision) => void) | undefined;
  /** Default: none. */
  readonly observer?: EtcdObserver | undefined;
}

export class EtcdStorage implements SizedStorage {
  readonly driver = 'etcd';
  readonly embedded = false;
  /** etcd's `--max-request-bytes` is 1.5 MiB by default and counts the whole request, with the key. */
  readonly limits: StorageLimits = { valueBytes: 1_500_000 };
  readonly #options: EtcdStorageOptions;
  readonly #client: EtcdClient;
  readonly #history: HistoryGuard;
  readonly #keys: KeyMap;
  readonly #calls: EtcdCalls;
  readonly #reads: EtcdReads;
  readonly #writes: EtcdWrites;
  readonly #hub: WatchHub;
  readonly #watches = new Set<EtcdWatch>();
  readonly #inFlight = new InFlight();
  readonly #host: WatchHost;
  /**
   * How watchers learn about progress. `ordered`: by progress requests. `marker`: by a marker key, for good, because a
   * member was found whose answers to progress requests may overtake events. `unknown`: by a marker key, until a member
   * has answered.
   */
  #progress: 'unknown' | 'ordered' | 'marker' = 'unknown';
  #stopping: Promise<void> | undefined;

  constructor(options: EtcdStorageOptions) {
    const { clock, prefix = '/registry', scope = 'registry', observer } = options;
    this.#options = options;
    this.#client = new EtcdClient(options);
    this.#keys = createKeyMap(prefix, scope);
    this.#history = new HistoryGuard((revision) => this.#restored(revision));
    const { keys, history } = { keys: this.#keys, history: this.#history };
    this.#calls = new EtcdCalls({ client: this.#client, clock, history, observer });
    const toItem = (item: EtcdKeyValue): KeyValue => toKeyValue(keys, item);
    this.#reads = new EtcdReads({ calls: this.#calls, keys, history, observer, toItem });
    const leases = new Leases({
      clock,
      reuseSeconds: options.leaseReuseSeconds ?? DEFAULT_LEASE_REUSE_SECONDS,
      grant: (seconds) => this.#calls.grantLease(seconds),
      observer,
    });
    this.#writes = new EtcdWrites({ calls: this.#calls, keys, leases, toItem });
    const marker: ProgressMarker = {
      key: markerKey(keys),
      end: keys.end,
      write: async () => {
        const put = { type: 'put', key: markerKey(keys), value: new Uint8Array(0), lease: undefined } as const;
        await this.#calls.txn({ compare: [], success: [put], failure: [] });
      },
    };
    const watcher = {
      client: this.#client,
      clock,
      confirm: async () => {
        const [revision] = await Promise.all([this.#reads.revision(), this.#checkProgress()]);
        return revision;
      },
      marker: () => (this.#progress === 'ordered' ? undefined : marker),
      onHeader: (header: Header) => history.take(header, 0),
    };
    const toEvent = (event: EtcdEvent): StorageEvent => toStorageEvent(keys, event);
    this.#hub = new WatchHub({
      watcher: { ...watcher, key: keys.start, end: keys.end },
      toEvent,
      observer,
      onCompacted: (horizon) => history.compacted(horizon),
    });
    this.#host = {
      keys,
      hub: this.#hub,
      watcher,
      get revision() {
        return history.revision;
      },
      get horizon() {
        return history.horizon;
      },
      checkProgress: () => this.#checkProgress(),
      readRevision: () => this.#reads.revision(),
      readState: (prefixes) => this.#reads.state(prefixes),
      toEvent,
      learnHorizon: (horizon) => history.compacted(horizon),
      ended: (watch) => this.#watches.delete(watch),
    };
  }

  async revision(): Promise<Revision> {
    this.#assertOpen();
    return this.#reads.revision();
  }

  horizon(): Revision {
    this.#assertOpen();
    return this.#history.horizon;
  }

  async get(key: string, options: ReadOptions = {}): Promise<GetResult> {
    this.#assertOpen();
    checkKey(key);
    checkRead(options);
    return this.#reads.get(key, options);
  }

  async list(range: KeyRange, options: ListOptions = {}): Promise<ListResult> {
    this.#assertOpen();
    checkRange(range);
    checkLimit(options.limit);
    checkRead(options);
    return this.#reads.list(range, options);
  }

  create(key: string, value: Uint8Array, options: CreateOptions = {}): Promise<WriteResult> {
    return this.#write(() => {
      checkWrite(key, undefined, value, options, this.limits);
      return this.#writes.create(key, value, options);
    });
  }

  compareAndWrite(
    key: string,
    seen: SeenState | undefined,
    value: Uint8Array,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    return this.#write(() => {
      checkWrite(key, seen, value, options, this.limits);
      return this.#writes.compareAndWrite(key, seen, value, options);
    });
  }

  delete(key: string, options: { readonly expected?: Revision } = {}): Promise<DeleteResult> {
    return this.#write(() => {
      checkKey(key);
      if (options.expected !== undefined) checkRevision(options.expected);
      return this.#writes.delete(key, options.expected);
    });
  }

  watch(options: WatchOptions, sink: WatchSink): Watch {
    this.#assertOpen();
    checkWatch(options);
    const watch = new EtcdWatch(this.#host, options, sink);
    this.#watches.add(watch);
    watch.start();
    return watch;
  }

  compact(revision: Revision): Promise<void> {
    return this.#write(async () => {
      checkRevision(revision);
      if (revision <= this.#history.horizon) return;
      try {
        await this.#calls.compact(revision);
      } catch (caught) {
        if (isFuture(caught)) {
          const message = `cannot compact to revision ${revision}: the store has not reached it`;
          throw new StorageError('InvalidArgument', message, { cause: caught });
        }
        if (!isCompacted(caught)) throw toStorageError(caught, { isWrite: false });
      }
      this.#history.compacted(revision);
    });
  }

  startCompactor(options: CompactorOptions): Stoppable {
    this.#assertOpen();
    const compactor = new EtcdCompactor(
      {
        transact: async (request) => {
          this.#assertOpen();
          return (await withStorageError(() => this.#calls.txn(request), { isWrite: true })).response;
        },
        compact: (revision) => this.compact(revision),
        learned: (horizon) => this.#history.compacted(horizon),
      },
      options,
    );
    compactor.start();
    return compactor;
  }

  /** Returns the description of an unfinished import into this prefix; undefined if there is none. */
  async unfinishedImport(): Promise<string | undefined> {
    this.#assertOpen();
    const read = (): Promise<RangeResponse> => this.#calls.range({ key: importMarkerKey(this.#keys) });
    const { items } = await withStorageError(read, { isWrite: false });
    return items[0] && decodeUtf8(items[0].value);
  }

  /** The size of the database file of the pinned member. */
  async size(): Promise<number> {
    this.#assertOpen();
    return (await withStorageError(() => this.#calls.status(STATUS_MS), { isWrite: false })).dbSize;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    // stop() may have been called inside a call of a sink. That call must return first, because calls never overlap.
    await Promise.resolve();
    await this.#inFlight.idle();
    await this.#deliverAll();
    this.#hub.stop();
    for (const watch of [...this.#watches]) watch.finish({ reason: 'closed' });
    this.#client.close();
  }

  /** Asks the pinned member for its release, before a stream to it is opened. */
  async #checkProgress(): Promise<void> {
    if (this.#progress === 'marker') return;
    try {
      const { version } = await this.#calls.status(STATUS_MS);
      this.#progress = ordersProgress(version) ? 'ordered' : 'marker';
    } catch {
      // `#progress` stays `unknown`: the marker is used until a member answers.
    }
  }

  /**
   * Waits until the watches have delivered all acknowledged writes, for up to `STOP_MS` if the cluster does not answer.
   */
  async #deliverAll(): Promise<void> {
    const { clock } = this.#options;
    const { revision } = this.#history;
    const deadline = clock.monotonic() + STOP_MS;
    for (const watch of this.#watches) watch.requestProgress();
    while ([...this.#watches].some((watch) => !watch.hasReached(revision)) && clock.monotonic() < deadline)
      await sleep(clock, 5);
  }

  #assertOpen(): void {
    if (this.#stopping !== undefined) throw new StorageError('Closed', 'the store is stopped');
  }

  #write<R>(write: () => Promise<R>): Promise<R> {
    return this.#inFlight.run(() => {
      this.#assertOpen();
      return write();
    });
  }

  /** Ends all watches: the events that they have delivered belong to a history that no longer exists. */
  #restored(revision: Revision): void {
    this.#options.onRestored?.(revision);
    this.#hub.stop();
    for (const watch of [...this.#watches]) watch.compacted(revision);
  }
}

function checkRead({ revision, atLeast }: ReadOptions): void {
  if (revision !== undefined) checkRevision(revision);
  if (atLeast !== undefined) checkRevision(atLeast);
}

function toKeyValue(keys: KeyMap, { key, value, revision, created }: EtcdKeyValue): KeyValue {
  return { key: keys.fromEtcd(key), value, revision, created };
}

function toStorageEvent(keys: KeyMap, { type, item, previous }: EtcdEvent): StorageEvent {
  const key = keys.fromEtcd(item.key);
  const { value, revision, created } = item;
  if (previous === undefined)
    return type === 'delete' ? { type, key, revision } : { type, key, value, revision, created };
  const before = toKeyValue(keys, previous);
  if (type === 'delete') return { type, key, revision, previous: before };
  return { type, key, value, revision, created, previous: before };
}
