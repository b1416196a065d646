/**
 * Informers under test, each with handlers that keep copies from notifications alone. A copy checks each notification:
 * an add is of an object that it does not have, an update begins where the last one ended, and revisions only grow. An
 * operator keeps a copy from its reconciles, some of which fail.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '../../src/apimachinery/http/transport.ts';
import { isExpired } from '../../src/apimachinery/status/status.ts';
import type { ListWatchOptions } from '../../src/apimachinery/watch/list-watch-state.ts';
import { SILENT } from '../../src/base/logger.ts';
import type { EventHandler, Informer, InformerOptions, InformerSet } from '../../src/client/informer.ts';
import { createInformerSet } from '../../src/client/informer-set.ts';
import type { Stored } from '../../src/client/object-types.ts';
import { compareResourceVersions } from '../../src/client/resource-version.ts';
import { operator } from '../../src/controller/index.ts';
import { type ConfigMap, ConfigMap as ConfigMapKind } from '../../src/kinds/api/core/v1.ts';

/** A copy of a collection that must end equal to the server. */
export interface Follower {
  readonly name: string;
  /** The objects that it must have at the end. */
  readonly query: string;
  /** The revisions of its objects by key. */
  revisions(): ReadonlyMap<string, string>;
}

export interface FollowerCounts {
  failures: number;
  expired: number;
  notifications: number;
  reconciles: number;
}

/** One reconcile of this many fails, and is tried again. */
const FAILING = 20;

/** Watches end after seconds, so that their ends are part of the test. */
const LIST_WATCH: Partial<ListWatchOptions> = {
  watchTimeoutSeconds: { min: 2, max: 6 },
  backoff: { initialMs: 100, capMs: 2000, factor: 2, jitter: 1, resetMs: 120_000 },
};

const SCOPES: Readonly<Record<string, { options: InformerOptions<ConfigMap>; query: string }>> = {
  all: { options: {}, query: '/api/v1/configmaps' },
  namespace: { options: { namespace: 'default' }, query: '/api/v1/namespaces/default/configmaps' },
  labels: {
    options: { namespace: 'default', labelSelector: 'half=0' },
    query: '/api/v1/namespaces/default/configmaps?labelSelector=half%3D0',
  },
  metadata: { options: { metadataOnly: true }, query: '/api/v1/configmaps' },
  transform: {
    options: {
      transform: (object) => {
        delete object.data;
        return object;
      },
    },
    query: '/api/v1/configmaps',
  },
};

export class InformersUnderTest {
  readonly followers: Follower[] = [];
  readonly problems: string[] = [];
  readonly counts: FollowerCounts = { failures: 0, expired: 0, notifications: 0, reconciles: 0 };
  readonly #sets: InformerSet[] = [];
  readonly #stopOperators = new AbortController();
  readonly #operators: Promise<void>[] = [];

  constructor(transport: Transport) {
    for (const streamingList of [true, false]) {
      const set = createInformerSet({
        transport,
        listWatch: { ...LIST_WATCH, streamingList, ...(streamingList ? {} : { pageSize: 7 }) },
        onFailure: (error, { source }) => {
          this.counts.failures++;
          if (isExpired(error)) this.counts.expired++;
          if (source !== 'reflector') this.problems.push(`${source}: ${error.message}`);
        },
      });
      this.#sets.push(set);
      for (const [name, { options, query }] of Object.entries(SCOPES))
        this.#follow(`${name}, ${streamingList ? 'streamed' : 'paged'}`, query, set.informer(ConfigMapKind, options));
      this.#reconcile(`chaos-${streamingList ? 'streamed' : 'paged'}`, transport, set);
    }
  }

  async start(): Promise<void> {
    for (const set of this.#sets) set.start();
    await Promise.all(this.#sets.map((set) => set.synced()));
  }

  async stop(): Promise<void> {
    this.#stopOperators.abort();
    await Promise.all(this.#operators);
    await Promise.all(this.#sets.map((set) => set.stop()));
  }

  /** An operator whose informer is the one of all ConfigMaps. */
  #reconcile(name: string, transport: Transport, informers: InformerSet): void {
    const reconciled = new Map<string, string>();
    const operating = operator(name)
      .for(ConfigMapKind)
      .gone(({ key }) => {
        reconciled.delete(key);
      })
      .reconcile(({ object }) => {
        if (++this.counts.reconciles % FAILING === 0) throw new Error('a reconcile that fails');
        reconciled.set(keyOf(object), object.metadata.resourceVersion);
      });
    this.#operators.push(operating.run({ transport, informers, logger: SILENT, signal: this.#stopOperators.signal }));
    this.followers.push({ name: `reconciles of ${name}`, query: '/api/v1/configmaps', revisions: () => reconciled });
  }

  #follow(name: string, query: string, informer: Informer<ConfigMap>): void {
    const { store } = informer;
    this.followers.push({
      name: `store of ${name}`,
      query,
      revisions: () =>
        new Map(Array.from(store.keys(), (key) => [key, store.getByKey(key)?.metadata.resourceVersion ?? ''])),
    });
    for (const kind of ['fast', 'slow'] as const) {
      const copy = new HandlerCopy(kind === 'slow', this.counts, (problem) =>
        this.problems.push(`${name}: ${problem}`),
      );
      informer.addHandler(copy);
      this.followers.push({ name: `${kind} handler of ${name}`, query, revisions: () => copy.revisions });
    }
  }
}

class HandlerCopy implements EventHandler<ConfigMap> {
  readonly revisions = new Map<string, string>();
  readonly #newest = new Map<string, string>();
  readonly #isSlow: boolean;
  readonly #counts: FollowerCounts;
  readonly #onProblem: (problem: string) => void;

  constructor(isSlow: boolean, counts: FollowerCounts, onProblem: (problem: string) => void) {
    this.#isSlow = isSlow;
    this.#counts = counts;
    this.#onProblem = onProblem;
  }

  onAdd(object: Stored<ConfigMap>): void | Promise<void> {
    const key = keyOf(object);
    if (this.revisions.has(key)) this.#onProblem(`add of ${key}, which is there`);
    return this.#set(key, object);
  }

  onUpdate(before: Stored<ConfigMap>, after: Stored<ConfigMap>): void | Promise<void> {
    const key = keyOf(after);
    const known = this.revisions.get(key);
    if (known !== before.metadata.resourceVersion)
      this.#onProblem(`update of ${key} from ${before.metadata.resourceVersion}, not from ${known}`);
    return this.#set(key, after);
  }

  onDelete(object: Stored<ConfigMap>): void | Promise<void> {
    if (!this.revisions.delete(keyOf(object))) this.#onProblem(`delete of ${keyOf(object)}, which is not there`);
    return this.#called();
  }

  #set(key: string, { metadata }: Stored<ConfigMap>): void | Promise<void> {
    const newest = this.#newest.get(key) ?? '';
    if (compareResourceVersions(metadata.resourceVersion, newest) <= 0)
      this.#onProblem(`${key} went from ${newest} back to ${metadata.resourceVersion}`);
    this.#newest.set(key, metadata.resourceVersion);
    this.revisions.set(key, metadata.resourceVersion);
    return this.#called();
  }

  #called(): void | Promise<void> {
    this.#counts.notifications++;
    if (this.#isSlow) return sleep(2);
  }
}

function keyOf({ metadata }: Stored<ConfigMap>): string {
  return `${metadata.namespace}/${metadata.name}`;
}
