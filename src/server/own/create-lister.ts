/**
 * The lister over storage. It has a storage watch of its own, because the cache delivers events once per turn of the
 * event loop and a lister has to be current at once.
 *
 * Invariant: the map is the state of the resource at `#revision`, and listeners were called with everything in it.
 */
import { type BackoffPolicy, backoffDelay } from '../../base/backoff.ts';
import type { Timer } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { toError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { OrderedMap } from '../../base/ordered-map.ts';
import { StorageError } from '../../storage/errors.ts';
import { prefixEnd } from '../../storage/keys.ts';
import type { Revision, StorageEvent, Watch, WatchEnd } from '../../storage/storage.ts';
import type { StoreCore } from '../registry/store-core.ts';
import { readStored } from '../registry/stored-object.ts';
import type { Lister, ListerChange } from './lister.ts';

type Listener = (changes: readonly ListerChange[]) => void;

interface Waiter {
  readonly revision: Revision;
  readonly done: Deferred<void>;
}

const RETRY: BackoffPolicy = { initialMs: 100, capMs: 5000 };
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export class RegistryLister implements Lister {
  readonly #core: StoreCore;
  readonly #objects = new OrderedMap<string, JsonObject>();
  readonly #listeners = new Set<Listener>();
  readonly #waiters = new Set<Waiter>();
  /** 0 until the first state is complete. */
  #revision: Revision = 0;
  /** The state that is being read from storage; undefined while changes are followed. */
  #loading: Map<string, JsonObject> | undefined;
  #started: Deferred<Lister> | undefined;
  #watch: Watch | undefined;
  #timer: Timer | undefined;
  #failures = 0;
  #stopped = false;

  /** Starts nothing. */
  constructor(core: StoreCore) {
    this.#core = core;
  }

  /** Starts the watch. Resolves when the current state is complete. Retries failures; rejects only if it is stopped. */
  start(): Promise<Lister> {
    if (this.#started === undefined) {
      this.#started = new Deferred<Lister>();
      if (this.#stopped) this.#started.reject(closed());
      else this.#load();
    }
    return this.#started.promise;
  }

  fresh(): MaybePromise<void> {
    return this.#reach(this.#core.written);
  }

  current(): MaybePromise<void> {
    const { storage } = this.#core;
    if (storage.embedded) return this.fresh();
    return andThen(storage.revision(), (revision) => this.#reach(revision));
  }

  /** Waits until the state includes this revision. */
  #reach(revision: Revision): MaybePromise<void> {
    if (this.#revision >= revision) return undefined;
    if (this.#stopped) throw closed();
    const waiter: Waiter = { revision, done: new Deferred<void>() };
    this.#waiters.add(waiter);
    this.#watch?.requestProgress();
    return waiter.done.promise;
  }

  get(namespace: string, name: string): JsonObject | undefined {
    return this.#objects.get(this.#core.keys.key(namespace, name));
  }

  list(namespace = ''): readonly JsonObject[] {
    const prefix = this.#core.keys.prefix(namespace);
    return this.#objects.page(prefix, prefixEnd(prefix)).values;
  }

  subscribe(listener: Listener): { stop(): void } {
    this.#listeners.add(listener);
    const state: ListerChange[] = [];
    this.#objects.forEachFrom(undefined, undefined, (object, key) => {
      state.push(this.#change(key, object));
      return true;
    });
    if (state.length > 0) this.#tell(listener, state);
    return { stop: () => void this.#listeners.delete(listener) };
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.cancel();
    this.#watch?.stop();
    this.#watch = undefined;
    this.#listeners.clear();
    for (const { done } of this.#waiters) done.reject(closed());
    this.#waiters.clear();
    if (this.#revision === 0) this.#started?.reject(closed());
  }

  /** Reads the whole state: at the start, and after history was compacted. */
  #load(): void {
    this.#loading = new Map();
    this.#follow('state');
  }

  #follow(from: 'state' | { readonly after: Revision }): void {
    try {
      this.#watch = this.#core.storage.watch(
        { ranges: [{ prefix: this.#core.keys.root }], from },
        {
          events: (events) => this.#events(events),
          progress: (revision) => this.#progress(revision),
          end: (reason) => this.#ended(reason),
        },
      );
    } catch (caught) {
      this.#retry(toError(caught));
    }
  }

  #events(events: readonly StorageEvent[]): void {
    this.#failures = 0;
    const changes: ListerChange[] = [];
    for (const [i, event] of events.entries()) {
      if (isReplaced(event, events[i + 1])) continue;
      if (this.#loading !== undefined) {
        const object = this.#parse(event);
        if (object !== undefined) this.#loading.set(event.key, object);
        continue;
      }
      const change = this.#apply(event.key, this.#parse(event));
      if (change !== undefined) changes.push(change);
      this.#revision = Math.max(this.#revision, event.revision);
    }
    this.#publish(changes);
    if (this.#loading === undefined) this.#reached();
  }

  #progress(revision: Revision): void {
    this.#failures = 0;
    if (this.#loading !== undefined) this.#adopt(this.#loading);
    this.#revision = Math.max(this.#revision, revision);
    this.#started?.resolve(this);
    this.#reached();
  }

  /** Replaces the old state by the one that was read. The differences are published as changes. */
  #adopt(loaded: ReadonlyMap<string, JsonObject>): void {
    this.#loading = undefined;
    const changes: ListerChange[] = [];
    const gone: string[] = [];
    this.#objects.forEachFrom(undefined, undefined, (_, key) => {
      if (!loaded.has(key)) gone.push(key);
      return true;
    });
    for (const key of gone) changes.push(this.#apply(key, undefined) as ListerChange);
    for (const [key, object] of loaded) {
      if (versionOf(this.#objects.get(key)) !== versionOf(object))
        changes.push(this.#apply(key, object) as ListerChange);
    }
    this.#publish(changes);
  }

  /**
   * Parses the value of an event. Reports a value that cannot be parsed to the host, and treats the object as absent.
   */
  #parse(event: StorageEvent): JsonObject | undefined {
    if (event.type === 'delete') return undefined;
    try {
      return withoutNotes(readStored(event));
    } catch (caught) {
      this.#core.host.onTrouble(toError(caught));
      return undefined;
    }
  }

  #apply(key: string, object: JsonObject | undefined): ListerChange | undefined {
    if (object !== undefined) this.#objects.set(key, object);
    else if (!this.#objects.delete(key)) return undefined;
    return this.#change(key, object);
  }

  #change(key: string, object: JsonObject | undefined): ListerChange {
    const { keys } = this.#core;
    return { namespace: keys.namespace(key), name: keys.name(key), object };
  }

  #publish(changes: readonly ListerChange[]): void {
    if (changes.length === 0) return;
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) this.#tell(listener, changes);
  }

  /**
   * Calls a listener. Reports an exception of the listener to the host, so that the other listeners are still called.
   */
  #tell(listener: Listener, changes: readonly ListerChange[]): void {
    try {
      listener(changes);
    } catch (caught) {
      this.#core.host.onTrouble(toError(caught));
    }
  }

  #reached(): void {
    for (const waiter of [...this.#waiters]) {
      if (waiter.revision > this.#revision) continue;
      this.#waiters.delete(waiter);
      waiter.done.resolve(undefined);
    }
  }

  #ended(reason: WatchEnd): void {
    this.#watch = undefined;
    switch (reason.reason) {
      case 'stopped':
        return;
      case 'closed':
        this.stop();
        return;
      case 'compacted':
        this.#revision = 0;
        this.#retry(
          new StorageError('Unavailable', `history was compacted up to ${reason.horizon} before it was read`),
        );
        return;
      case 'failed':
        this.#retry(reason.error);
    }
  }

  #retry(error: Error): void {
    if (this.#stopped) return;
    this.#core.host.onTrouble(error);
    const delay = backoffDelay(RETRY, this.#failures++);
    this.#timer = this.#core.host.clock.setTimer(delay, () => {
      if (this.#revision === 0 || this.#loading !== undefined) this.#load();
      else this.#follow({ after: this.#revision });
    });
  }
}

/** Whether the next event has a later state of the same object, so that this one can be skipped. */
function isReplaced(event: StorageEvent, next: StorageEvent | undefined): boolean {
  if (next?.type !== 'put' || event.type !== 'put' || next.key !== event.key) return false;
  return next.created === event.created;
}

/**
 * Drops managedFields and last-applied-configuration: they may be larger than the rest, and no server code reads them.
 */
function withoutNotes(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  if (!isJsonObject(metadata)) return object;
  if (metadata['managedFields'] !== undefined) delete metadata['managedFields'];
  const { annotations } = metadata;
  if (isJsonObject(annotations) && annotations[LAST_APPLIED] !== undefined) delete annotations[LAST_APPLIED];
  return object;
}

function versionOf(object: JsonObject | undefined): unknown {
  return (object?.['metadata'] as JsonObject | undefined)?.['resourceVersion'];
}

function closed(): StorageError {
  return new StorageError('Closed', 'the lister is stopped');
}
