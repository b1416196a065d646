/**
 * The queue of one event handler. Invariants:
 * - Calls of the handler never overlap. A call that throws or rejects is reported, and the next call follows.
 * - The notifications of one object are delivered in order, and the last one is its newest state.
 * - Up to MERGE_FROM pending notifications are kept unchanged. Beyond that, the changes of one object are merged: the
 *   queue then has at most two more notifications (a delete and an add) per object.
 */
import { Deferred } from '../base/deferred.ts';
import { toError } from '../base/errors.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { StoreChange } from './indexed-store.ts';
import type { EventHandler, HandlerRegistration, ObjectKey } from './informer.ts';

const MERGE_FROM = 1000;

/** The entry in the queue after the objects of the first list. */
const SYNCED = { type: 'synced' } as const;

type Entry<T> = StoreChange<T> | typeof SYNCED;

export interface HandlerQueueOptions {
  readonly onFailure: (error: Error) => void;
  /** Called once by `remove`. */
  readonly onRemove: () => void;
}

export class HandlerQueue<T> implements HandlerRegistration {
  readonly #handler: EventHandler<T>;
  readonly #options: HandlerQueueOptions;
  readonly #synced = new Deferred<void>();
  #hasSynced = false;
  #closed = false;
  /** Entries from #head on are pending. Undefined: the entry was merged with a later one. */
  #entries: (Entry<T> | undefined)[] = [];
  #head = 0;
  #mergedAway = 0;
  /** The position of the last pending entry of each object. Only while entries are merged. */
  #last: Map<ObjectKey, number> | undefined;
  /** The call that is running. */
  #running: Promise<void> | undefined;
  #draining = false;

  constructor(handler: EventHandler<T>, options: HandlerQueueOptions) {
    this.#handler = handler;
    this.#options = options;
    this.#synced.promise.catch(() => undefined);
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** The number of notifications that wait. */
  get length(): number {
    return this.#entries.length - this.#head - this.#mergedAway;
  }

  push(change: StoreChange<T>): void {
    if (this.#closed) return;
    if (this.#last === undefined) {
      if (this.length < MERGE_FROM) {
        this.#entries.push(change);
        return;
      }
      this.#last = new Map();
      this.#compact();
    }
    this.#merge(change);
  }

  /** Marks the end of the first list. */
  pushSynced(): void {
    if (!this.#closed) this.#entries.push(SYNCED);
  }

  /** Calls the handler until the queue is empty or a call returns a promise. */
  drain(): void {
    if (this.#running !== undefined || this.#draining) return;
    this.#draining = true;
    while (this.#running === undefined && this.#head < this.#entries.length) {
      const entry = this.#entries[this.#head];
      this.#entries[this.#head++] = undefined;
      if (entry === undefined) this.#mergedAway--;
      else this.#process(entry);
    }
    this.#draining = false;
    if (this.#head === this.#entries.length) this.#clear();
    else if (this.#head > MERGE_FROM && this.#head > this.#entries.length / 2) this.#compact();
  }

  remove(): void {
    if (this.#closed) return;
    this.#options.onRemove();
    void this.close('the handler was removed');
  }

  /** Begins no further call. Resolves when the call that is running has settled. */
  close(reason: string): Promise<void> {
    this.#closed = true;
    this.#clear();
    if (!this.#hasSynced) this.#synced.reject(new DOMException(reason, 'AbortError'));
    return this.#running ?? Promise.resolve();
  }

  #process(entry: Entry<T>): void {
    if (entry.type === 'synced') {
      this.#hasSynced = true;
      this.#synced.resolve();
      return;
    }
    try {
      const result = this.#call(entry);
      if (result instanceof Promise || typeof (result as PromiseLike<void> | undefined)?.then === 'function')
        this.#running = this.#await(result as Promise<void>);
    } catch (caught) {
      this.#options.onFailure(toError(caught));
    }
  }

  #call(change: StoreChange<T>): void | Promise<void> {
    const handler = this.#handler;
    switch (change.type) {
      case 'add':
        return handler.onAdd?.(deepFreeze(change.object), { isInInitialList: change.isInitial });
      case 'update':
        return handler.onUpdate?.(deepFreeze(change.before), deepFreeze(change.after));
      default:
        return handler.onDelete?.(deepFreeze(change.object), { isFinalStateKnown: change.isFinal });
    }
  }

  async #await(result: Promise<void>): Promise<void> {
    try {
      await result;
    } catch (caught) {
      this.#options.onFailure(toError(caught));
    }
    this.#running = undefined;
    this.drain();
  }

  /* ---- merging ---- */

  #merge(change: StoreChange<T>): void {
    const last = this.#last as Map<ObjectKey, number>;
    const at = last.get(change.key);
    const pending = at === undefined || at < this.#head ? undefined : (this.#entries[at] as StoreChange<T> | undefined);
    if (at === undefined || pending === undefined || pending.type === 'delete') {
      last.set(change.key, this.#entries.length);
      this.#entries.push(change);
      return;
    }
    const merged = mergeChanges(pending, change);
    this.#entries[at] = merged;
    if (merged !== undefined) return;
    last.delete(change.key);
    this.#mergedAway++;
    if (this.#mergedAway > this.#entries.length / 2) this.#compact();
  }

  /** Drops the entries that were delivered or merged. */
  #compact(): void {
    this.#entries = this.#entries.slice(this.#head).filter((entry) => entry !== undefined);
    this.#head = 0;
    this.#mergedAway = 0;
    if (this.#last === undefined) return;
    this.#last = new Map();
    for (const [at, entry] of this.#entries.entries())
      if (entry !== undefined && entry.type !== 'synced') this.#last.set(entry.key, at);
  }

  #clear(): void {
    this.#entries = [];
    this.#head = 0;
    this.#mergedAway = 0;
    this.#last = undefined;
  }
}

/** Merges two changes of an object into one. Undefined: they cancel each other out. */
function mergeChanges<T>(first: StoreChange<T>, second: StoreChange<T>): StoreChange<T> | undefined {
  if (second.type === 'delete') return first.type === 'add' ? undefined : second;
  const object = second.type === 'add' ? second.object : second.after;
  if (first.type === 'add') return { ...first, object };
  if (first.type === 'update') return { ...first, after: object };
  return second;
}
