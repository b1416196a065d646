/** A collection with its whole history, as the source of a reflector. Tests write to it and disturb its requests. */
import { type Status, StatusError } from '../apimachinery/status/status.ts';
import type { ListEffect, WatchEffect } from '../apimachinery/watch/list-watch-state.ts';
import { createBookmark, type WatchEvent } from '../apimachinery/watch/watch-event.ts';
import { onAbort } from '../base/abort.ts';
import { Deferred } from '../base/deferred.ts';
import { TransportError } from '../base/errors.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { ListWatchSource, SourceCall, SourcePage } from './list-watch-source.ts';
import type { Stored } from './object-types.ts';

export interface Thing {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string; namespace?: string; labels?: Record<string, string> };
  value?: number;
}

export const THING = {
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
} as const;

interface Change {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
}

interface OpenWatch {
  readonly onEvents: (events: readonly WatchEvent<Stored<Thing>>[]) => void;
  readonly ended: Deferred<void>;
  /** The revision up to which everything was sent. */
  sent: number;
  /** Whether the connection is dead without a sign of it. */
  isDead: boolean;
}

export const EXPIRED: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason: 'Expired',
  message: 'too old resource version',
  code: 410,
};

const TOO_LARGE: Status = {
  ...EXPIRED,
  reason: 'Timeout',
  message: 'Too large resource version',
  details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
  code: 504,
};

export class SimulatedSource implements ListWatchSource<Stored<Thing>> {
  /** Whether the server knows `sendInitialEvents`. */
  streams = true;
  revision = 100;
  /** Watches from an older revision are expired. */
  horizon = 100;
  readonly requests: string[] = [];
  /** The errors of the next requests. */
  readonly failures: Error[] = [];
  readonly #changes: Change[] = [];
  readonly #watches = new Set<OpenWatch>();
  #uids = 0;

  /** Creates or changes an object. */
  write(name: string, value = 0, extra: { namespace?: string; labels?: Record<string, string> } = {}): void {
    const { namespace = 'default', labels = {} } = extra;
    const before = this.state().get(`${namespace}/${name}`);
    const uid = before === undefined ? `uid-${++this.#uids}` : (before['metadata'] as JsonObject)['uid'];
    const revision = ++this.revision;
    const metadata = { name, namespace, uid: uid as string, resourceVersion: String(revision), labels };
    const object: JsonObject = { apiVersion: 'example.com/v1', kind: 'Thing', metadata, value };
    this.#changes.push({ revision, type: before === undefined ? 'ADDED' : 'MODIFIED', object });
  }

  delete(name: string, namespace = 'default'): void {
    const before = this.state().get(`${namespace}/${name}`);
    if (before === undefined) return;
    const revision = ++this.revision;
    const metadata = { ...(before['metadata'] as JsonObject), resourceVersion: String(revision) };
    this.#changes.push({ revision, type: 'DELETED', object: { ...before, metadata } });
  }

  /** The objects at a revision, by key. Default: the newest. */
  state(revision: number = this.revision): Map<string, JsonObject> {
    const state = new Map<string, JsonObject>();
    for (const change of this.#changes) {
      if (change.revision > revision) break;
      const { name, namespace } = change.object['metadata'] as JsonObject;
      if (change.type === 'DELETED') state.delete(`${namespace}/${name}`);
      else state.set(`${namespace}/${name}`, change.object);
    }
    return state;
  }

  /** Forgets the history before the present. */
  compact(): void {
    this.horizon = this.revision;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Sends at most `count` changes to each watch, in one batch. */
  send(count: number = Number.POSITIVE_INFINITY): void {
    for (const watch of this.#watches) {
      if (watch.isDead) continue;
      const changes = this.#changes.filter(({ revision }) => revision > watch.sent).slice(0, count);
      watch.sent = changes.at(-1)?.revision ?? watch.sent;
      if (changes.length > 0) watch.onEvents(changes.map(({ type, object }) => ({ type, object: copy(object) })));
    }
  }

  sendBookmarks(): void {
    for (const watch of this.#watches) if (!watch.isDead) watch.onEvents([createBookmark(TYPE, String(watch.sent))]);
  }

  sendError(status: Status): void {
    for (const watch of this.#watches)
      if (!watch.isDead) watch.onEvents([{ type: 'ERROR', object: status as unknown as JsonObject }]);
  }

  /** Ends every watch: with success, or with an error. */
  end(error?: Error): void {
    for (const watch of this.#watches) {
      if (watch.isDead) continue;
      if (error === undefined) watch.ended.resolve();
      else watch.ended.reject(error);
    }
  }

  /** The open watches send nothing any more, and do not notice that they are cancelled. */
  die(): void {
    for (const watch of this.#watches) watch.isDead = true;
  }

  async list(request: ListEffect, { signal, onAlive }: SourceCall): Promise<SourcePage<Stored<Thing>>> {
    this.requests.push(`list rv=${request.resourceVersion} limit=${request.limit} continue=${request.continueToken}`);
    await Promise.resolve();
    signal.throwIfAborted();
    this.#failIfTold();
    onAlive();
    let revision = this.revision;
    let after = '';
    if (request.continueToken !== '') {
      const [at, last] = request.continueToken.split('|') as [string, string];
      revision = Number(at);
      after = last;
      if (revision < this.horizon) throw new StatusError(EXPIRED);
    } else if (Number(request.resourceVersion) > this.revision) throw new StatusError(TOO_LARGE);
    const rest = [...this.state(revision)].sort(byKey).filter(([key]) => key > after);
    const page = request.limit > 0 ? rest.slice(0, request.limit) : rest;
    return {
      items: page.map(([, object]) => copy(object)),
      resourceVersion: String(revision),
      continueToken: page.length < rest.length ? `${revision}|${page.at(-1)?.[0]}` : '',
    };
  }

  async watch(
    request: WatchEffect,
    call: SourceCall & { readonly onEvents: (events: readonly WatchEvent<Stored<Thing>>[]) => void },
  ): Promise<void> {
    const initial = request.sendInitialEvents;
    this.requests.push(`watch rv=${request.resourceVersion}${initial ? ' initial' : ''}`);
    await Promise.resolve();
    call.signal.throwIfAborted();
    this.#failIfTold();
    const from = Number(request.resourceVersion);
    if (initial && !this.streams) throw new StatusError({ ...EXPIRED, reason: 'Invalid', code: 422 });
    if (from > this.revision) throw new StatusError(TOO_LARGE);
    if (!initial && from < this.horizon) throw new StatusError(EXPIRED);
    call.onAlive();
    const watch: OpenWatch = { onEvents: call.onEvents, ended: new Deferred(), sent: from, isDead: false };
    const release = onAbort(call.signal, (reason) => {
      if (!watch.isDead) watch.ended.reject(reason);
    });
    this.#watches.add(watch);
    if (initial) this.#sendInitial(watch);
    try {
      await watch.ended.promise;
    } finally {
      release();
      this.#watches.delete(watch);
    }
  }

  #sendInitial(watch: OpenWatch): void {
    watch.sent = this.revision;
    const added = [...this.state().values()].map((object) => ({ type: 'ADDED', object: copy(object) }) as const);
    watch.onEvents([...added, createBookmark(TYPE, String(this.revision), { initialEventsEnd: true })]);
  }

  #failIfTold(): void {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }
}

const TYPE = { apiVersion: 'example.com/v1', kind: 'Thing' };

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Copies an object, because the reader of a response owns its objects. */
function copy(object: JsonObject): Stored<Thing> {
  return structuredClone(object) as unknown as Stored<Thing>;
}

export function connectionReset(): Error {
  return new TransportError('connection reset');
}

export function garbage(): Error {
  return new TransportError('a watch event cannot be read', { retryable: false });
}
