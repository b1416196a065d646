/**
 * Tracks the writes of this program that its caches may not have seen yet. This prevents stale reads, which make
 * controllers create objects twice (controller-runtime#3320).
 * Invariant: after `settled` has resolved with true, a cached read sees every write that was recorded before the call.
 */
import { onAbort } from '../base/abort.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { Clock } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import type { HandlerRegistration, Informer, ObjectKey } from '../client/informer.ts';
import type { StoredMeta } from '../client/object-types.ts';
import { compareResourceVersions } from '../client/resource-version.ts';
import type { Kind } from '../kinds/kind.ts';
import { derivedSignal } from './derived-signal.ts';
import { keyOf, kindId } from './keys.ts';

export interface OwnWritesOptions {
  readonly clock: Clock;
  /** How long a read waits for its cache before it reads from the server. Default 5 s. */
  readonly waitMs?: number;
}

/** The last write to an object that a cache may not have seen. */
interface PendingWrite {
  /** The revision that the cache must have seen. '' if it is unknown. */
  readonly resourceVersion: string;
  /**
   * `gone`: the cache must not have the object any more. `deleting`: the cache may still have the object with a
   * deletionTimestamp.
   */
  readonly deletion: 'none' | 'deleting' | 'gone';
  /** The uid of the deleted object. Undefined if it is unknown. */
  readonly uid: string | undefined;
}

interface Followed {
  readonly informer: Informer<unknown>;
  readonly pending: Map<ObjectKey, PendingWrite>;
  /** Waiters for a deletion, called after each change of an object. */
  readonly watchers: Set<(key: ObjectKey) => void>;
  /** The handler that calls the watchers. It exists only while there are watchers; most programs never need it. */
  registration: HandlerRegistration | undefined;
  /** The newest revision that was written before this cache existed. '' once the cache has seen it. */
  floor: string;
  /** The size of `pending` at which seen writes are removed. */
  sweepAt: number;
}

const DEFAULT_WAIT_MS = 5000;
const FIRST_SWEEP = 64;

export class OwnWrites {
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #followed = new Map<string, Followed>();
  /** The newest revision written to each resource, for caches that are made later. */
  readonly #floors = new Map<string, string>();

  constructor(options: OwnWritesOptions) {
    this.#clock = options.clock;
    this.#waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
  }

  /** Sets the informer that the cache uses for a kind. Call it once, before the informer is read. */
  follow<T>(kind: Kind<T>, informer: Informer<T>): void {
    const followed: Followed = {
      informer: informer as Informer<unknown>,
      pending: new Map(),
      watchers: new Set(),
      registration: undefined,
      floor: this.#floors.get(resourceId(kind)) ?? '',
      sweepAt: FIRST_SWEEP,
    };
    this.#followed.set(kindId(kind), followed);
  }

  /** Records a create, update, patch or apply by the revision that the server returned. */
  wrote(kind: Kind<unknown>, key: ObjectKey, resourceVersion: string): void {
    this.#record(kind, key, { resourceVersion, deletion: 'none', uid: undefined });
  }

  /** Records a deletion. `deletion` is `gone` if the server said that the object no longer exists. */
  deleted(kind: Kind<unknown>, key: ObjectKey, deletion: 'deleting' | 'gone'): void {
    this.#record(kind, key, { resourceVersion: '', deletion, uid: undefined });
  }

  /** Records a deletecollection: the deletion of all cached objects that match. */
  deletedCollection(kind: Kind<unknown>, namespace: string | undefined, labelSelector: string | undefined): void {
    const options = { ...(namespace === undefined ? {} : { namespace }), ...(labelSelector ? { labelSelector } : {}) };
    for (const { informer } of this.#ofResource(kind))
      for (const object of informer.store.list(options)) this.deleted(kind, keyOf(object), 'deleting');
  }

  /** Whether a cached read of the key could miss a recorded write. Without a key, a read of any object of the kind. */
  isPending(kind: Kind<unknown>, key?: ObjectKey): boolean {
    const followed = this.#followed.get(kindId(kind));
    if (followed === undefined) return false;
    if (!sawFloor(followed)) return true;
    if (followed.pending.size === 0) return false;
    if (key !== undefined) return this.#unseen(followed, key) !== undefined;
    sweep(followed);
    return followed.pending.size > 0;
  }

  /**
   * Resolves with true when the cache of the kind has seen every recorded write to the key; without a key, to all
   * objects of the kind. Resolves with false after `waitMs`: the caller should then read from the server. Rejects with
   * the signal's reason.
   */
  async settled(kind: Kind<unknown>, key: ObjectKey | undefined, signal: AbortSignalLike): Promise<boolean> {
    if (!this.isPending(kind, key)) return true;
    const followed = this.#followed.get(kindId(kind)) as Followed;
    const expired = new AbortController();
    const timer = this.#clock.setTimer(this.#waitMs, () => expired.abort());
    const release = onAbort(derivedSignal(signal), (reason) => expired.abort(reason));
    try {
      if (!sawFloor(followed)) await followed.informer.waitFor(followed.floor, { signal: expired.signal });
      for (const one of key === undefined ? [...followed.pending.keys()] : [key])
        await this.#seen(followed, one, expired.signal);
      return true;
    } catch (caught) {
      signal.throwIfAborted();
      if (expired.signal.aborted) return false;
      throw caught;
    } finally {
      timer.cancel();
      release();
    }
  }

  async #seen(followed: Followed, key: ObjectKey, signal: AbortSignalLike): Promise<void> {
    for (let write = this.#unseen(followed, key); write !== undefined; write = this.#unseen(followed, key)) {
      if (!sawRevision(followed, key, write)) await followed.informer.waitFor(write.resourceVersion, { signal });
      else await nextChange(followed, key, signal);
    }
  }

  /** Returns the pending write to a key. Removes a write that the cache has seen. */
  #unseen(followed: Followed, key: ObjectKey): PendingWrite | undefined {
    const write = followed.pending.get(key);
    if (write === undefined || !isSeen(followed, key, write)) return write;
    followed.pending.delete(key);
    return undefined;
  }

  #record(kind: Kind<unknown>, key: ObjectKey, write: PendingWrite): void {
    const floor = this.#floors.get(resourceId(kind)) ?? '';
    if (compareResourceVersions(write.resourceVersion, floor) > 0)
      this.#floors.set(resourceId(kind), write.resourceVersion);
    for (const followed of this.#ofResource(kind)) {
      if (followed.pending.size >= followed.sweepAt) sweep(followed);
      followed.pending.set(key, merge(followed, key, write));
    }
  }

  /** The caches of a resource: one per version in use. */
  *#ofResource({ group, plural }: Kind<unknown>): Iterable<Followed> {
    for (const followed of this.#followed.values()) {
      const { kind } = followed.informer;
      if (kind.plural === plural && kind.group === group) yield followed;
    }
  }
}

function resourceId({ group, plural }: Kind<unknown>): string {
  return `${group}/${plural}`;
}

function sawFloor(followed: Followed): boolean {
  if (followed.floor === '') return true;
  if (compareResourceVersions(followed.informer.store.resourceVersion, followed.floor) < 0) return false;
  followed.floor = '';
  return true;
}

/**
 * Merges a write with the pending write before it. A deletion keeps the revision of the earlier write, and takes the
 * uid of the object from the cache.
 */
function merge({ informer, pending }: Followed, key: ObjectKey, write: PendingWrite): PendingWrite {
  if (write.deletion === 'none') return write;
  const before = pending.get(key);
  const resourceVersion = before?.deletion === 'none' ? before.resourceVersion : '';
  return {
    ...write,
    resourceVersion,
    uid: before === undefined ? informer.store.getByKey(key)?.metadata.uid : before.uid,
  };
}

function sawRevision({ informer: { store } }: Followed, key: ObjectKey, { resourceVersion }: PendingWrite): boolean {
  if (resourceVersion === '' || compareResourceVersions(store.resourceVersion, resourceVersion) >= 0) return true;
  const object = store.getByKey(key);
  return object !== undefined && compareResourceVersions(object.metadata.resourceVersion, resourceVersion) >= 0;
}

function isSeen(followed: Followed, key: ObjectKey, write: PendingWrite): boolean {
  if (!sawRevision(followed, key, write)) return false;
  if (write.deletion === 'none') return true;
  const object = followed.informer.store.getByKey(key);
  if (object === undefined) return true;
  if (write.uid !== undefined && object.metadata.uid !== write.uid) return true;
  return write.deletion === 'deleting' && object.metadata.deletionTimestamp !== undefined;
}

function sweep(followed: Followed): void {
  for (const [key, write] of followed.pending) if (isSeen(followed, key, write)) followed.pending.delete(key);
  followed.sweepAt = Math.max(FIRST_SWEEP, followed.pending.size * 2);
}

/** Resolves when the cache has changed the object. */
async function nextChange(followed: Followed, key: ObjectKey, signal: AbortSignalLike): Promise<void> {
  signal.throwIfAborted();
  const changed = new Deferred<void>();
  const watcher = (of: ObjectKey): void => {
    if (of === key) changed.resolve();
  };
  followed.watchers.add(watcher);
  followed.registration ??= watchChanges(followed);
  const release = onAbort(signal, (reason) => changed.reject(reason));
  try {
    await changed.promise;
  } finally {
    release();
    followed.watchers.delete(watcher);
    if (followed.watchers.size === 0) {
      followed.registration?.remove();
      followed.registration = undefined;
    }
  }
}

function watchChanges({ informer, watchers }: Followed): HandlerRegistration {
  const changed = (object: { readonly metadata: StoredMeta }): void => {
    const key = keyOf(object);
    for (const watcher of watchers) watcher(key);
  };
  const registration = informer.addHandler({ onUpdate: (_, object) => changed(object), onDelete: changed });
  // `synced` rejects if the handler is removed before the first list was processed.
  registration.synced.catch(() => undefined);
  return registration;
}
