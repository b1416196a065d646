/**
 * Brings changes to watchers. Watchers of one range, filter, form and encoding are one group: a change is filtered and encoded once
 * for all of them, and once per event-loop turn the same buffers are written to each. Invariant: nobody waits for a slow
 * watcher; a sink that throws or falls behind ends its own watch and no other.
 */
import type { OrderedMap } from '../base/ordered-map.ts';
import type { Revision } from '../storage/storage.ts';
import type {
  CacheWatchEnd,
  CacheWatchOptions,
  Entry,
  EventEncoding,
  EventSink,
  FormKey,
  QueueBounds,
  Scheduler,
} from './cache.ts';
import { CatchUp } from './catch-up.ts';
import type { Change } from './change.ts';
import type { EventWindow } from './event-window.ts';
import { Face } from './face.ts';
import type { Forms } from './forms.ts';
import { Group, type GroupHost } from './group.ts';
import { RangeIndex, rangeText } from './range.ts';
import { Watcher, type WatcherHost } from './watcher.ts';

export const DEFAULT_QUEUE: QueueBounds = { events: 1024, bytes: 8 * 1024 * 1024 };

/** `setImmediate` where there is one, else a microtask. */
export const nextTurn: Scheduler = (callback) => {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };
  if (setImmediate === undefined) queueMicrotask(callback);
  else setImmediate(callback);
};

export interface FanOutOptions {
  readonly forms: Forms;
  /** The cache's revision. */
  readonly head: () => Revision;
  /** Changes that may wait for forms; see `GroupHost.backlog`. */
  readonly backlog: number;
  readonly queue?: QueueBounds;
  readonly scheduler?: Scheduler;
}

/** Where a watch begins. */
export interface WatchOrigin {
  readonly window: EventWindow;
  readonly after: Revision;
  /** An immutable state at `after`, to be shown first. */
  readonly state?: OrderedMap<string, Entry>;
}

export interface FanOutCounters {
  events: number;
  encodes: number;
  sinkFailures: number;
  readonly ended: Record<CacheWatchEnd['reason'], number>;
}

export class FanOut {
  readonly counters: FanOutCounters = {
    events: 0,
    encodes: 0,
    sinkFailures: 0,
    ended: { stopped: 0, closed: 0, compacted: 0, 'too-slow': 0, failed: 0 },
  };
  readonly #forms: Forms;
  readonly #scheduler: Scheduler;
  readonly #groups = new Map<string, Group>();
  readonly #index = new RangeIndex<Group>();
  readonly #faces = new Map<string, Face>();
  readonly #watchers = new Map<Watcher, Group>();
  readonly #host: WatcherHost & GroupHost;
  #change: Change | undefined;
  readonly #publishTo = (group: Group): void => group.publish(this.#change!);
  #dirty: Group[] = [];
  #pumping: Watcher[] = [];
  #scheduled = false;

  constructor(options: FanOutOptions) {
    this.#forms = options.forms;
    this.#scheduler = options.scheduler ?? nextTurn;
    this.#host = {
      queue: options.queue ?? DEFAULT_QUEUE,
      backlog: options.backlog,
      head: options.head,
      schedulePump: (watcher) => {
        this.#pumping.push(watcher);
        this.#schedule();
      },
      scheduleFlush: (group) => {
        this.#dirty.push(group);
        this.#schedule();
      },
      ended: (watcher, reason) => this.#ended(watcher, reason),
      sinkFailed: () => {
        this.counters.sinkFailures++;
      },
    };
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  get groups(): number {
    return this.#groups.size;
  }

  watch(options: CacheWatchOptions, sink: EventSink, origin: WatchOrigin): Watcher {
    const group = this.#groupOf(options);
    const catchUp = new CatchUp({
      range: options.range,
      window: origin.window,
      after: origin.after,
      ...(origin.state === undefined ? {} : { state: origin.state }),
      initialEventsEnd: options.initialEventsEnd === true,
    });
    const watcher = new Watcher(group, sink, this.#host, catchUp, options.bookmarks === true);
    group.watchers++;
    this.#watchers.set(watcher, group);
    this.#host.schedulePump(watcher);
    return watcher;
  }

  /** The change is in the state and in the window already. */
  publish(change: Change): void {
    this.counters.events++;
    this.#change = change;
    this.#index.forEach(change.key, this.#publishTo);
    this.#change = undefined;
  }

  /** Sends a bookmark to each watcher that wants them and has nothing waiting. */
  bookmarks(): void {
    for (const watcher of [...this.#watchers.keys()]) if (watcher.wantsBookmarks) watcher.bookmark();
  }

  /** Whoever is ended because the cache is closed first gets what was to be sent in this turn. */
  endAll(reason: CacheWatchEnd): void {
    if (reason.reason === 'closed' && this.#scheduled) this.#turn();
    for (const watcher of [...this.#watchers.keys()]) watcher.end(reason);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#scheduler(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    const dirty = this.#dirty;
    const pumping = this.#pumping;
    this.#dirty = [];
    this.#pumping = [];
    for (const group of dirty) group.flush();
    for (const watcher of pumping) watcher.pump();
    for (const face of this.#faces.values()) face.forget();
  }

  #ended(watcher: Watcher, reason: CacheWatchEnd): void {
    this.counters.ended[reason.reason]++;
    const group = this.#watchers.get(watcher)!;
    this.#watchers.delete(watcher);
    group.leave(watcher);
    if (--group.watchers > 0) return;
    this.#groups.delete(groupKey(group.range, group.filter?.text, group.face.form, group.face.encoding));
    this.#index.remove(group.range, group);
    if (--group.face.groups === 0) this.#faces.delete(faceKey(group.face.form, group.face.encoding));
  }

  #groupOf(options: CacheWatchOptions): Group {
    const { range, filter, form, encoding } = options;
    const key = groupKey(range, filter?.text, form, encoding);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = new Group(range, filter, this.#faceOf(form, encoding), this.#host);
      group.face.groups++;
      this.#groups.set(key, group);
      this.#index.add(range, group);
    }
    return group;
  }

  #faceOf(form: FormKey | undefined, encoding: EventEncoding): Face {
    const key = faceKey(form, encoding);
    let face = this.#faces.get(key);
    if (face === undefined) {
      face = new Face(form, encoding, this.#forms, this.counters);
      this.#faces.set(key, face);
    }
    return face;
  }
}

function faceKey(form: FormKey | undefined, encoding: EventEncoding): string {
  return JSON.stringify([form ?? null, encoding.key]);
}

function groupKey(
  range: CacheWatchOptions['range'],
  filter: string | undefined,
  form: FormKey | undefined,
  encoding: EventEncoding,
): string {
  return JSON.stringify([rangeText(range), filter ?? null, form ?? null, encoding.key]);
}
