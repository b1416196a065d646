/**
 * The watches of a controller: informer handlers that enqueue keys with reasons.
 * Invariant: no event is lost if a predicate or a mapper throws. If a predicate throws, the event passes. If a mapper
 * throws, it is called again with backoff, with the newest state of the object.
 */
import { ItemBackoff } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import { processQueue } from '../base/process-queue.ts';
import { WorkQueue } from '../base/work-queue.ts';
import type { HandlerRegistration, Informer, ObjectKey } from '../client/informer.ts';
import type { Stored } from '../client/object-types.ts';
import { describeObject, keyOf } from './keys.ts';
import { type ObjectEvent, type Predicate, passes } from './predicates.ts';
import type { Reason } from './reasons.ts';
import type { KeysOf } from './watch-mapping.ts';

export interface WatchSource {
  readonly informer: Informer<unknown>;
  readonly when: Predicate<unknown> | undefined;
  /** Default: the key of the object itself. */
  readonly keysOf?: KeysOf;
}

export interface WatchSourcesOptions {
  readonly clock: Clock;
  readonly sources: readonly WatchSource[];
  /**
   * Enqueues a key. `isBackground`: the key comes from an initial list or a resync, so keys of changes may be processed
   * first.
   */
  enqueue(key: ObjectKey, reason: Reason, isBackground: boolean): void;
  /** Called for each failure of a predicate or mapper; `what` describes which one failed. Must not throw. */
  onFailure(error: Error, what: string): void;
}

/** An event whose mapper failed, to be mapped again. */
interface FailedMapping {
  readonly source: WatchSource;
  readonly event: ObjectEvent<unknown>;
}

export class WatchSources {
  readonly #options: WatchSourcesOptions;
  readonly #registrations: HandlerRegistration[] = [];
  readonly #failed = new Map<string, FailedMapping>();
  readonly #retries: WorkQueue;

  constructor(options: WatchSourcesOptions) {
    this.#options = options;
    this.#retries = new WorkQueue({ clock: options.clock, rateLimiter: new ItemBackoff(MAPPER_BACKOFF) });
  }

  /** Adds the handlers. All existing objects of the informers are reported as added. */
  start(): void {
    for (const source of this.#options.sources) {
      const registration = source.informer.addHandler({
        onAdd: (object, { isInInitialList }) =>
          this.#handle(source, { type: 'added', object, initial: isInInitialList }),
        onUpdate: (before, object) => this.#handle(source, { type: 'updated', before, object }),
        onDelete: (object) => this.#handle(source, { type: 'deleted', object }),
      });
      // `synced` rejects if the handler is removed before the first list was processed.
      registration.synced.catch(() => undefined);
      this.#registrations.push(registration);
    }
    void processQueue(this.#retries, { work: async (id) => this.#mapAgain(id), onFailure: () => undefined });
  }

  /** Removes the handlers. No key is enqueued afterwards. */
  async stop(): Promise<void> {
    for (const registration of this.#registrations) registration.remove();
    this.#failed.clear();
    await this.#retries.stop();
  }

  #handle(source: WatchSource, event: ObjectEvent<unknown>): void {
    if (!this.#passes(source, event)) return;
    try {
      this.#map(source, event);
    } catch (caught) {
      this.#mapLater(source, event, toError(caught));
    }
  }

  #passes({ when, informer }: WatchSource, event: ObjectEvent<unknown>): boolean {
    try {
      return passes(when, event);
    } catch (caught) {
      this.#options.onFailure(toError(caught), `the predicate for ${nameOf(informer, event.object)}`);
      return true;
    }
  }

  #map({ informer, keysOf }: WatchSource, event: ObjectEvent<unknown>): void {
    const { object } = event;
    const isResync = event.type === 'updated' && event.before === object;
    const isBackground = isResync || (event.type === 'added' && event.initial);
    const reason = reasonOf(informer, event, isResync);
    const keys = new Set(keysOf === undefined ? [keyOf(object)] : keysOf(object));
    // If an object has changed its owner, both owners are reconciled.
    if (event.type === 'updated' && !isResync) for (const key of keysOf?.(event.before) ?? []) keys.add(key);
    for (const key of keys) this.#options.enqueue(key, reason, isBackground);
  }

  #mapLater(source: WatchSource, event: ObjectEvent<unknown>, error: Error): void {
    this.#options.onFailure(error, `the mapper for ${nameOf(source.informer, event.object)}`);
    const id = `${this.#options.sources.indexOf(source)} ${keyOf(event.object)}`;
    this.#failed.set(id, { source, event });
    this.#retries.addRateLimited(id);
  }

  #mapAgain(id: string): void {
    const failed = this.#failed.get(id);
    if (failed === undefined) return;
    const { source, event } = failed;
    const newest = source.informer.store.getByKey(keyOf(event.object));
    try {
      this.#map(source, newest === undefined ? event : { ...event, object: newest });
    } catch (caught) {
      this.#options.onFailure(toError(caught), `the mapper for ${nameOf(source.informer, event.object)}`);
      throw caught;
    }
    this.#failed.delete(id);
  }
}

/**
 * Like the retries of reconciles, but slower at first, because a mapper fails for a bug and not for a lost connection.
 */
const MAPPER_BACKOFF = { initialMs: 100, capMs: 60_000 };

function nameOf({ kind }: Informer<unknown>, object: Stored<unknown>): string {
  return describeObject(kind, keyOf(object));
}

function reasonOf(informer: Informer<unknown>, event: ObjectEvent<unknown>, isResync: boolean): Reason {
  const name = nameOf(informer, event.object);
  if (isResync) return { text: `${name} resync` };
  if (event.type === 'updated')
    return { text: `${name} updated`, change: { kind: informer.kind.kind, before: event.before, after: event.object } };
  return { text: event.type === 'added' && event.initial ? `${name} in initial list` : `${name} ${event.type}` };
}
