/**
 * One running reconcile: its context, and the two signals that end it. Both signals are created on first use, because
 * most reconciles need neither.
 * Invariant: `signal` aborts no later than the signal of its requests.
 */
import { abortReason } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/api.ts';
import type { EventRecorder } from '../client/events/event-recorder.ts';
import type { ObjectKey } from '../client/informer.ts';
import { readThrough } from '../client/leader-term.ts';
import type { Applied, Draft, Stored } from '../client/object-types.ts';
import type { Kind } from '../kinds/kind.ts';
import type { CachedReader, ManagerCache } from './cache.ts';
import { type ObjectName, parseKey } from './keys.ts';
import { OperatorClient } from './operator-client.ts';
import type { OwnWrites } from './own-writes.ts';
import { applyOwned, createOrPatch, type WriteOwnedOptions } from './owned-writes.ts';
import type {
  CreateOrPatchResult,
  EventOptions,
  OwnedOptions,
  ReconcileContext,
  StatusDraft,
  StatusFields,
} from './reconcile.ts';
import { CollectedStatus } from './status-draft.ts';

export interface ReconcileTools {
  readonly client: Client;
  readonly cache: ManagerCache;
  readonly writes: OwnWrites;
  readonly clock: Clock;
  readonly log: Logger;
  /** Records events with the operator as their source. */
  readonly events: EventRecorder;
}

export interface ActiveReconcileOptions<T> {
  readonly operator: string;
  readonly kind: Kind<T>;
  readonly key: ObjectKey;
  readonly why: readonly string[];
  readonly tools: ReconcileTools;
  /** Aborts when no reconcile may write any more. The owner must then call `cut`. */
  readonly fence: AbortSignal;
  /** Called with the new resourceVersion after the SDK itself has written the object. */
  onOwnChange(resourceVersion: string, what: string): void;
}

export class ActiveReconcile<T> implements ReconcileContext<T> {
  readonly key: ObjectKey;
  readonly why: readonly string[];
  readonly #options: ActiveReconcileOptions<T>;
  readonly #signal = new LazySignal();
  readonly #fence = new LazySignal();
  #request: AbortSignal | undefined;
  #object: Stored<T> | undefined;
  #status: CollectedStatus | undefined;
  #client: Client | undefined;
  #cache: CachedReader | undefined;
  #log: Logger | undefined;

  constructor(options: ActiveReconcileOptions<T>) {
    this.#options = options;
    this.key = options.key;
    this.why = options.why;
  }

  get signal(): AbortSignal {
    return this.#signal.get();
  }

  /** The reason why no more requests may be sent; undefined while they may. */
  get cutReason(): Error | undefined {
    return this.#fence.reason;
  }

  /** Asks the reconcile function to end. Its requests are still sent. */
  abort(reason: Error): void {
    this.#signal.abort(reason);
  }

  /** Like `abort`, and refuses all further requests. */
  cut(reason: Error): void {
    this.#signal.abort(reason);
    this.#fence.abort(reason);
  }

  get object(): Stored<T> {
    return this.#object as Stored<T>;
  }

  setObject(object: Stored<T>): void {
    this.#object = object;
  }

  /** The reconciled object; undefined if it does not exist. */
  get objectIfAny(): Stored<T> | undefined {
    return this.#object;
  }

  get client(): Client {
    const { client, writes } = this.#options.tools;
    this.#client ??= new OperatorClient({ client, writes, signal: () => this.#requestSignal() });
    return this.#client;
  }

  get cache(): CachedReader {
    this.#cache ??= this.#options.tools.cache.reader(() => this.#signal.get(), this.#namespace);
    return this.#cache;
  }

  get log(): Logger {
    this.#log ??= withFields(this.#options.tools.log, { operator: this.#options.operator, key: this.key });
    return this.#log;
  }

  get apply(): ReconcileContext<T>['apply'] {
    return <U>(kind: Kind<U>, configuration: Applied<U>, options?: OwnedOptions): Promise<Stored<U>> =>
      applyOwned(kind, configuration, this.#owned(options));
  }

  get createOrPatch(): ReconcileContext<T>['createOrPatch'] {
    return <U>(
      kind: Kind<U>,
      name: ObjectName,
      mutate: (draft: Draft<U>) => void,
      options?: OwnedOptions,
    ): Promise<CreateOrPatchResult<U>> => createOrPatch(kind, name, mutate, this.#owned(options));
  }

  get status(): ReconcileContext<T>['status'] {
    return (fields?: StatusFields<T>): StatusDraft => {
      this.#status ??= new CollectedStatus(this.object, () => this.#options.tools.clock.now());
      return this.#status.set((fields ?? {}) as Readonly<Record<string, unknown>>);
    };
  }

  get event(): ReconcileContext<T>['event'] {
    return (reason: string, message: string, { type = 'Normal' }: EventOptions = {}): void => {
      if (this.cutReason !== undefined) return;
      const { events } = this.#options.tools;
      if (type === 'Warning') events.warning(this.object, reason, message);
      else events.normal(this.object, reason, message);
    };
  }

  /** Called when the SDK itself has written the object, so that the event of this revision gets the reason `what`. */
  ownChange(resourceVersion: string, what: 'own finalizer' | 'own status'): void {
    this.#options.onOwnChange(resourceVersion, what);
  }

  /** The status that the function has set; undefined if it set none. */
  collectedStatus(): Readonly<Record<string, unknown>> | undefined {
    return this.#status?.collected();
  }

  /** Called before each request. Detects a lost lease even if no timer has fired yet. */
  #requestSignal(): AbortSignal {
    const { fence } = this.#options;
    if (fence.aborted) this.cut(abortReason(fence));
    this.#request ??= readThrough(this.#fence.get(), () => void fence.aborted);
    return this.#request;
  }

  get #namespace(): string | undefined {
    return parseKey(this.key).namespace;
  }

  #owned(options: OwnedOptions = {}): WriteOwnedOptions<T> {
    return {
      client: this.client,
      manager: this.#options.operator,
      namespace: this.#namespace,
      owner: options.owner === false ? undefined : { kind: this.#options.kind, object: this.object },
    };
  }
}

/** A signal that is created on first use. */
class LazySignal {
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  get reason(): Error | undefined {
    return this.#reason;
  }

  get(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** A logger that adds fields to each line. */
export function withFields(log: Logger, fields: Readonly<Record<string, string>>): Logger {
  return {
    debug: (message, more) => log.debug(message, { ...fields, ...more }),
    info: (message, more) => log.info(message, { ...fields, ...more }),
    warn: (message, more) => log.warn(message, { ...fields, ...more }),
    error: (message, error, more) => log.error(message, error, { ...fields, ...more }),
  };
}
