/**
 * The fan-out of a cache, which delivers changes to watchers. Watchers with the same range, filter, form and encoding
 * are one group. A group filters and encodes a change once, and writes the same buffers to each sink once per
 * event-loop turn.
 * Invariant: no watcher waits for another watcher. A sink that throws or falls behind ends only its own watch.
 */
import { nextTurn } from '../../base/next-turn.ts';
import type { OrderedMap } from '../../base/ordered-map.ts';
import type { Revision } from '../../storage/storage.ts';
import type {
  CacheWatchEnd,
  CacheWatchOptions,
  Entry,
  EventEncoding,
  EventSink,
  FormKey,
  QueueBounds,
  Scheduler,
} from '../cache.ts';
import type { Change } from '../change.ts';
import type { EventWindow } from '../event-window.ts';
import type { Forms } from '../forms.ts';
import { RangeIndex, rangeText } from '../range.ts';
import { CatchUp } from './catch-up.ts';
import { EventRenderer } from './event-renderer.ts';
import { Group, type GroupHost } from './group.ts';
import { Watcher } from './watcher.ts';

const DEFAULT_QUEUE: QueueBounds = { events: 1024, bytes: 8 * 1024 * 1024 };

export interface FanOutOptions {
  readonly forms: Forms;
  /** The cache's revision. */
  readonly head: () => Revision;
  /** How many changes may wait while forms are made; see `GroupHost.backlog`. */
  readonly backlog: number;
  readonly queue?: QueueBounds;
  readonly scheduler?: Scheduler;
}

/** The revision and the state that a watch starts from. */
export interface WatchOrigin {
  readonly window: EventWindow;
  readonly after: Revision;
  /** The state at `after`, which the watch delivers first. The caller must not change it afterwards. */
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
  readonly #renderers = new Map<string, EventRenderer>();
  readonly #watchers = new Set<Watcher>();
  readonly #host: GroupHost;
  #change: Change | undefined;
  readonly #publishTo = (group: Group): void => group.publish(this.#change!);
  /** Groups and watchers whose turn is scheduled. */
  #dirty: Group[] = [];
  #catchingUp: Watcher[] = [];
  #scheduled = false;

  constructor(options: FanOutOptions) {
    this.#forms = options.forms;
    this.#scheduler = options.scheduler ?? nextTurn;
    this.#host = {
      queue: options.queue ?? DEFAULT_QUEUE,
      backlog: options.backlog,
      head: options.head,
      scheduleGroup: (group) => {
        this.#dirty.push(group);
        this.#schedule();
      },
      scheduleWatcher: (watcher) => {
        this.#catchingUp.push(watcher);
        this.#schedule();
      },
      ended: (watcher, group, reason) => this.#ended(watcher, group, reason),
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

  /** Begins a watch. The sink is first called in a later turn. */
  watch(options: CacheWatchOptions, sink: EventSink, origin: WatchOrigin): Watcher {
    const group = this.#groupOf(options);
    const catchUp = new CatchUp({
      range: options.range,
      window: origin.window,
      after: origin.after,
      ...(origin.state === undefined ? {} : { state: origin.state }),
      initialEventsEnd: options.initialEventsEnd === true,
    });
    const watcher = new Watcher(group, sink, catchUp, options.bookmarks === true);
    group.watchers++;
    this.#watchers.add(watcher);
    this.#host.scheduleWatcher(watcher);
    return watcher;
  }

  /** Publishes a change that is already in the state and in the window. Sinks are called in a later turn. */
  publish(change: Change): void {
    this.counters.events++;
    this.#change = change;
    this.#index.forEach(change.key, this.#publishTo);
    this.#change = undefined;
  }

  /** Sends a bookmark to each watcher that wants bookmarks and has nothing waiting. */
  bookmarks(): void {
    for (const watcher of [...this.#watchers]) if (watcher.wantsBookmarks) watcher.bookmark();
  }

  /** Ends all watches. With `closed`, watchers first get the changes that are already published. */
  endAll(reason: CacheWatchEnd): void {
    if (reason.reason === 'closed' && this.#scheduled) this.#turn();
    for (const watcher of [...this.#watchers]) watcher.group.end(watcher, reason);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#scheduler(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    const dirty = this.#dirty;
    const catchingUp = this.#catchingUp;
    this.#dirty = [];
    this.#catchingUp = [];
    for (const group of dirty) group.flush();
    for (const watcher of catchingUp) watcher.group.turn(watcher);
    for (const renderer of this.#renderers.values()) renderer.forget();
  }

  #ended(watcher: Watcher, group: Group, reason: CacheWatchEnd): void {
    this.counters.ended[reason.reason]++;
    this.#watchers.delete(watcher);
    if (--group.watchers > 0) return;
    const { range, filter, renderer } = group;
    this.#groups.delete(groupKey(range, filter?.text, renderer.form, renderer.encoding));
    this.#index.remove(range, group);
    if (--renderer.groups === 0) this.#renderers.delete(rendererKey(renderer.form, renderer.encoding));
  }

  #groupOf(options: CacheWatchOptions): Group {
    const { range, filter, form, encoding } = options;
    const key = groupKey(range, filter?.text, form, encoding);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = new Group(range, filter, this.#rendererOf(form, encoding), this.#host);
      group.renderer.groups++;
      this.#groups.set(key, group);
      this.#index.add(range, group);
    }
    return group;
  }

  #rendererOf(form: FormKey | undefined, encoding: EventEncoding): EventRenderer {
    const key = rendererKey(form, encoding);
    let renderer = this.#renderers.get(key);
    if (renderer === undefined) {
      renderer = new EventRenderer(form, encoding, this.#forms, this.counters);
      this.#renderers.set(key, renderer);
    }
    return renderer;
  }
}

function rendererKey(form: FormKey | undefined, encoding: EventEncoding): string {
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
