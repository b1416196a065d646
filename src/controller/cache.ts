/**
 * The cache of a manager: one informer per kind, which its controllers share, and reads that wait for the program's own
 * writes.
 * Invariant: a read sees every write that was made through the operator's client before the read began.
 */
import { onAbort } from '../base/abort.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import { Deferred } from '../base/deferred.ts';
import { BugError } from '../base/errors.ts';
import type { Client } from '../client/api.ts';
import type { Informer, InformerOptions, InformerSet, ObjectKey } from '../client/informer.ts';
import type { Stored } from '../client/object-types.ts';
import type { Kind } from '../kinds/kind.ts';
import { derivedSignal } from './derived-signal.ts';
import { describeObject, formatKey, kindId, parseKey } from './keys.ts';
import type { OwnWrites } from './own-writes.ts';

/**
 * Selects the objects of a kind, and the fields of these objects, that the cache keeps. Controllers add indexes
 * themselves.
 */
export type CachedKindOptions<T> = Pick<
  InformerOptions<T>,
  'namespace' | 'labelSelector' | 'fieldSelector' | 'transform' | 'metadataOnly' | 'resyncMs'
>;

/** The options of one kind; made by `cached`. */
export interface CachedKind {
  readonly kind: Kind<unknown>;
  readonly options: CachedKindOptions<unknown>;
}

/** Restricts the objects of a kind, or their fields, that the cache of a manager keeps. */
export function cached<T>(kind: Kind<T>, options: CachedKindOptions<T>): CachedKind {
  return { kind, options: options as CachedKindOptions<unknown> };
}

export interface CacheOptions {
  /** Default: every object of every kind, without managedFields. */
  readonly kinds?: readonly CachedKind[];
  /** The namespace of namespaced kinds that have no namespace in `kinds`. Default: all namespaces. */
  readonly namespace?: string;
  /** Whether cached objects keep `metadata.managedFields`, often half of an object. Default false. */
  readonly keepManagedFields?: boolean;
}

/** Cached reads. Objects are frozen. The first read of a kind starts its informer and waits for its first list. */
export interface CachedReader {
  /**
   * Resolves with undefined if the object does not exist. `namespace` defaults to that of the reconciled object, and is
   * ignored for a cluster-scoped kind.
   */
  get<T>(kind: Kind<T>, name: string, namespace?: string): Promise<Stored<T> | undefined>;
  /** Lists objects in no particular order. Default: of all namespaces. */
  list<T>(
    kind: Kind<T>,
    options?: { readonly namespace?: string; readonly labelSelector?: string },
  ): Promise<readonly Stored<T>[]>;
  /** Returns the objects for which the index function returned the value. */
  byIndex<T>(kind: Kind<T>, index: string, value: string): Promise<readonly Stored<T>[]>;
}

export interface ManagerCacheOptions extends CacheOptions {
  readonly informers: InformerSet;
  readonly client: Client;
  readonly writes: OwnWrites;
}

export class ManagerCache {
  readonly #options: ManagerCacheOptions;
  readonly #kinds = new Map<string, CachedKindOptions<unknown>>();
  readonly #informers = new Map<string, Informer<unknown>>();

  constructor(options: ManagerCacheOptions) {
    this.#options = options;
    for (const { kind, options: own } of options.kinds ?? []) this.#kinds.set(kindId(kind), own);
  }

  /** Returns the informer of a kind, with the options of the manager for this kind. Created on the first call. */
  informer<T>(kind: Kind<T>): Informer<T> {
    const id = kindId(kind);
    const known = this.#informers.get(id);
    if (known !== undefined) return known as Informer<T>;
    const informer = this.#options.informers.informer(kind, this.#optionsOf(kind));
    this.#options.writes.follow(kind, informer);
    this.#informers.set(id, informer as Informer<unknown>);
    return informer;
  }

  /** All informers that were created so far. */
  informers(): readonly Informer<unknown>[] {
    return [...this.#informers.values()];
  }

  /** Returns the reader of one reconcile. Its reads reject with the signal's reason once the signal aborts. */
  reader(signal: () => AbortSignalLike, defaultNamespace: string | undefined): CachedReader {
    return {
      get: (kind, name, namespace = defaultNamespace) => this.read(kind, this.#keyOf(kind, name, namespace), signal()),
      list: async (kind, options = {}) => {
        const informer = await this.#synced(kind, signal());
        if (await this.#options.writes.settled(kind, undefined, signal())) return informer.store.list(options);
        return this.#listLive(kind, options, signal());
      },
      byIndex: async (kind, index, value) => {
        const informer = await this.#synced(kind, signal());
        if (!(await this.#options.writes.settled(kind, undefined, signal())))
          throw new BugError(`the cache of ${kind.kind} is too far behind to look up ${index}; retry later`);
        return informer.store.byIndex(index, value);
      },
    };
  }

  /**
   * Reads one object from the cache. Reads it from the server if the cache does not see the program's own writes in
   * time.
   */
  async read<T>(kind: Kind<T>, key: ObjectKey, signal: AbortSignalLike): Promise<Stored<T> | undefined> {
    const informer = await this.#synced(kind, signal);
    if (await this.#options.writes.settled(kind, key, signal)) return informer.store.getByKey(key);
    const { name, namespace } = parseKey(key);
    return this.#options.client.api(kind, namespace).find(name, { signal });
  }

  async #listLive<T>(
    kind: Kind<T>,
    { namespace, labelSelector }: { namespace?: string; labelSelector?: string },
    signal: AbortSignalLike,
  ): Promise<readonly Stored<T>[]> {
    const { client } = this.#options;
    const own = this.#optionsOf(kind);
    const within = namespace ?? own.namespace;
    const collection = kind.scope === 'Cluster' || within === undefined ? client.all(kind) : client.api(kind, within);
    const selectors = [labelSelector, own.labelSelector].filter((one) => one !== undefined && one !== '');
    return collection
      .list({
        signal,
        ...(selectors.length === 0 ? {} : { labelSelector: selectors.join(',') }),
        ...(own.fieldSelector === undefined ? {} : { fieldSelector: own.fieldSelector }),
      })
      .toArray();
  }

  async #synced<T>(kind: Kind<T>, signal: AbortSignalLike): Promise<Informer<T>> {
    const informer = this.informer(kind);
    if (!informer.hasSynced) await raceAbort(informer.synced, signal);
    return informer;
  }

  #keyOf(kind: Kind<unknown>, name: string, namespace: string | undefined): ObjectKey {
    if (kind.scope === 'Cluster') return name;
    if (namespace === undefined || namespace === '')
      throw new BugError(`the read of ${describeObject(kind, name)} needs a namespace`);
    return formatKey(namespace, name);
  }

  #optionsOf<T>(kind: Kind<T>): CachedKindOptions<T> {
    const { namespace, keepManagedFields = false } = this.#options;
    const own = (this.#kinds.get(kindId(kind)) ?? {}) as CachedKindOptions<T>;
    const scoped = kind.scope === 'Namespaced' && namespace !== undefined ? { namespace, ...own } : own;
    if (keepManagedFields || own.transform !== undefined) return scoped;
    return { ...scoped, transform: stripManagedFields as (object: T) => T };
  }
}

/** The default transform of a manager's cache. An update without managedFields does not change them on the server. */
export function stripManagedFields<T extends { metadata?: { managedFields?: unknown } }>(object: T): T {
  if (object.metadata !== undefined) delete object.metadata.managedFields;
  return object;
}

/** Settles like the promise, or rejects with the reason of the signal if it aborts first. */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignalLike): Promise<T> {
  signal.throwIfAborted();
  const aborted = new Deferred<never>();
  const release = onAbort(derivedSignal(signal), (reason) => aborted.reject(reason));
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    release();
  }
}
