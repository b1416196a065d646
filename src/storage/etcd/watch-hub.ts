/**
 * The watch hub of an etcd driver: one etcd watcher over all keys of the store, whose events go to the watches of the
 * storage interface. etcd orders events within one watcher only, so all live watches share this watcher.
 */
import type { Revision, StorageEvent } from '../storage.ts';
import type { EtcdObserver } from './etcd-observer.ts';
import type { EtcdEvent } from './messages.ts';
import { Watcher, type WatcherOptions } from './watcher.ts';

/** A live watch of the storage interface, which receives events from the hub. */
export interface HubWatch {
  /** The prefixes that the watch covers. `deliver` may also get events of other keys, which the watch must ignore. */
  readonly prefixes: readonly string[];
  /** Called with events of whole revisions, in order, before `reached`. */
  deliver(events: readonly StorageEvent[]): void;
  /** Called when all events up to this revision were delivered. */
  reached(revision: Revision): void;
  /**
   * Called when the hub has lost events at or below `horizon` to a compaction. The hub has already removed the watch.
   */
  overtaken(horizon: Revision): void;
  failed(error: Error): void;
}

/** The most entries of `#byResource`. */
const MAX_RESOURCES = 1000;

export interface WatchHubOptions {
  /** The options of the etcd watcher, except for those that the hub sets. */
  readonly watcher: Omit<WatcherOptions, 'after' | 'previous'>;
  toEvent(event: EtcdEvent): StorageEvent;
  readonly observer?: EtcdObserver | undefined;
  /** Called when etcd says that history below this revision is gone. */
  onCompacted(horizon: Revision): void;
}

export class WatchHub {
  readonly #options: WatchHubOptions;
  readonly #watches = new Set<HubWatch>();
  /**
   * A copy of `#watches` that does not change while it is iterated. Undefined: `#watches` has changed since the copy.
   */
  #list: readonly HubWatch[] | undefined;
  /**
   * The watches that may cover keys of a resource, by the first two segments of its keys. Cleared when the watches
   * change.
   */
  readonly #byResource = new Map<string, readonly HubWatch[]>();
  #watcher: Watcher | undefined;
  #starting: Promise<void> | undefined;

  constructor(options: WatchHubOptions) {
    this.#options = options;
  }

  /** Starts the watcher at the current revision, unless it runs. */
  ready(): Promise<void> {
    if (this.#watcher !== undefined) return Promise.resolve();
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Every event up to this revision was delivered to the watches. */
  get position(): Revision {
    return this.#watcher?.position ?? 0;
  }

  /** Adds a watch: it gets the events above `position`. Call it right after `ready` has resolved. */
  join(watch: HubWatch): void {
    this.#watches.add(watch);
    this.#changed();
  }

  leave(watch: HubWatch): void {
    this.#watches.delete(watch);
    this.#changed();
  }

  /** Asks etcd for progress until the hub has reached the revision. */
  reach(revision: Revision): void {
    this.#watcher?.reach(revision);
  }

  stop(): void {
    this.#close();
  }

  #changed(): void {
    this.#list = undefined;
    this.#byResource.clear();
  }

  /**
   * The watches that may cover the events: those of the resource if all events belong to one resource, otherwise all.
   */
  #watchesOf(events: readonly StorageEvent[]): readonly HubWatch[] {
    const { key } = events[0] as StorageEvent;
    const resource = key.slice(0, key.indexOf('/', key.indexOf('/') + 1) + 1);
    for (let i = 1; i < events.length; i++)
      if (!(events[i] as StorageEvent).key.startsWith(resource)) return this.#snapshot();
    let watches = this.#byResource.get(resource);
    if (watches === undefined) {
      const overlaps = (prefix: string): boolean => prefix.startsWith(resource) || resource.startsWith(prefix);
      watches = this.#snapshot().filter(({ prefixes }) => prefixes.some(overlaps));
      if (this.#byResource.size >= MAX_RESOURCES) this.#byResource.clear();
      this.#byResource.set(resource, watches);
    }
    return watches;
  }

  #snapshot(): readonly HubWatch[] {
    this.#list ??= [...this.#watches];
    return this.#list;
  }

  #close(): void {
    this.#watcher?.stop();
    this.#watcher = undefined;
  }

  async #start(): Promise<void> {
    const { watcher } = this.#options;
    const after = await watcher.confirm();
    this.#watcher = new Watcher(
      { ...watcher, after, previous: false },
      {
        events: (events) => {
          const made = events.map((event) => this.#options.toEvent(event));
          this.#options.observer?.received(made);
          const watches = this.#watchesOf(made);
          for (let i = 0; i < watches.length; i++) watches[i]!.deliver(made);
        },
        progress: (revision) => {
          const watches = this.#snapshot();
          for (let i = 0; i < watches.length; i++) watches[i]!.reached(revision);
        },
        compacted: (horizon) => {
          this.#options.onCompacted(horizon);
          this.#close();
          const watches = this.#snapshot();
          this.#watches.clear();
          this.#changed();
          for (const watch of watches) watch.overtaken(horizon);
        },
        failed: (error) => {
          this.#close();
          for (const watch of this.#snapshot()) watch.failed(error);
        },
      },
    );
    this.#watcher.start();
  }
}
