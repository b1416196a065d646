/**
 * The controller of an operator: watches, a work queue, and workers that call the reconcile function.
 * Invariants:
 * - At most one reconcile of a key may send requests. A reconcile that ignores the abort of its signal is abandoned
 *   after a grace period. Its client refuses requests by then, and only then may its key be reconciled again.
 * - Whatever a user's function throws or returns, the controller continues: a failure is logged and retried with
 *   backoff.
 * - A reconcile begins with a state of its object that includes all earlier writes of this program.
 */
import { abortReason, onAbort } from '../base/abort.ts';
import { ItemBackoff } from '../base/backoff.ts';
import type { Timer } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import { BugError, isExternalError, TransportError, toError } from '../base/errors.ts';
import { processQueue } from '../base/process-queue.ts';
import { LOW_PRIORITY, NORMAL_PRIORITY, WorkQueue, type WorkQueueObserver } from '../base/work-queue.ts';
import type { Informer, ObjectKey } from '../client/informer.ts';
import type { Kind } from '../kinds/kind.ts';
import { ActiveReconcile, type ReconcileTools } from './active-reconcile.ts';
import { raceAbort } from './cache.ts';
import type { OperatorDefinition } from './definition.ts';
import { HotLoopDetector } from './hot-loop.ts';
import { formatReasons, PendingReasons, type Reason, reasonTexts } from './reasons.ts';
import type { ReconcileJournal } from './reconcile-journal.ts';
import { type Outcome, reconcileObject } from './reconcile-object.ts';
import { failed, formatMilliseconds, formatResult, type Result, toMilliseconds } from './result.ts';
import type { RunContext, Runnable } from './runnable.ts';
import { createKeysOf, referenceIndex } from './watch-mapping.ts';
import { type WatchSource, WatchSources } from './watch-sources.ts';

export interface ControllerHost extends ReconcileTools {
  readonly journal: ReconcileJournal;
  readonly metrics: ControllerObserver;
}

/** The observer of a controller, which feeds metrics. */
export interface ControllerObserver {
  /** Returns the observer of a controller's work queue. */
  queue(operator: string): WorkQueueObserver<ObjectKey>;
  /** Called at the start and the end of each reconcile. `running` of at most `limit` reconciles are running. */
  workers(operator: string, running: number, limit: number): void;
  reconciled(operator: string, result: Result['result'], seconds: number): void;
}

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_TIMEOUT = '5m';
/** How long a reconcile may take to end after its signal has aborted, before it is abandoned. */
const ABANDON_MS = 10_000;

export class Controller<T> implements Runnable {
  readonly name: string;
  readonly needsLeader: boolean;
  readonly #definition: OperatorDefinition<T>;
  readonly #host: ControllerHost;
  readonly #timeoutMs: number;
  readonly #concurrency: number;
  readonly #reasons = new PendingReasons();
  readonly #hotLoops: HotLoopDetector;
  /** The last write of the SDK itself to an object, until its event has arrived. */
  readonly #ownChanges = new Map<ObjectKey, { readonly resourceVersion: string; readonly what: string }>();
  /** The running reconciles, each with the function that makes its client refuse requests. */
  readonly #active = new Map<ActiveReconcile<T>, (reason: Error) => void>();
  #primary: Informer<T> | undefined;
  #sources: readonly WatchSource[] = [];
  #queue: WorkQueue | undefined;

  /** Throws BugError for malformed options. */
  constructor(definition: OperatorDefinition<T>, host: ControllerHost) {
    const { options } = definition;
    this.name = definition.name;
    this.needsLeader = options.needsLeader ?? true;
    this.#definition = definition;
    this.#host = host;
    this.#timeoutMs = toMilliseconds(options.timeout ?? DEFAULT_TIMEOUT);
    this.#concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
    if (!(this.#concurrency >= 1)) throw new BugError(`the concurrency of ${this.name} must be at least 1`);
    this.#hotLoops = new HotLoopDetector(options.hotLoop);
  }

  get kind(): Kind<T> {
    return this.#definition.kind;
  }

  /** Creates the informers and indexes, so that they are started with the cache. Call it once, before `run`. */
  prepare(): void {
    const { kind, watches, forOptions, name } = this.#definition;
    const { cache } = this.#host;
    const primary = cache.informer(kind);
    this.#primary = primary;
    this.#sources = [
      { informer: primary as Informer<unknown>, when: forOptions.when as WatchSource['when'] },
      ...watches.map((watch, i) => ({
        informer: cache.informer(watch.kind),
        when: watch.when,
        keysOf: createKeysOf(watch, primary, referenceIndex(name, i, watch.kind)),
      })),
    ];
  }

  /**
   * Reconciles until the signal aborts. Resolves when the last reconcile has ended or was abandoned. May then be called
   * again, for another term as leader.
   */
  async run({ signal, fence }: RunContext): Promise<void> {
    const { clock, log } = this.#host;
    const { options } = this.#definition;
    for (const { informer } of this.#sources) if (!informer.hasSynced) await raceAbort(informer.synced, signal);
    const queue = new WorkQueue<ObjectKey>({
      clock,
      rateLimiter: new ItemBackoff(options.backoff),
      observer: this.#host.metrics.queue(this.name),
    });
    this.#queue = queue;
    const sources = new WatchSources({
      clock,
      sources: this.#sources,
      enqueue: (key, reason, isBackground) => this.#enqueue(key, reason, isBackground),
      onFailure: (error, what) => log.error(`${what} failed`, error, { operator: this.name }),
    });
    sources.start();
    const resync = this.#startResync();
    const release = onAbort(signal, (reason) => {
      void sources.stop();
      void queue.stop();
      for (const active of this.#active.keys()) active.abort(reason);
    });
    const releaseFence = onAbort(fence, (reason) => {
      for (const giveUp of this.#active.values()) giveUp(reason);
    });
    try {
      await processQueue(queue, {
        concurrency: this.#concurrency,
        work: (key) => this.#work(key, fence),
        onFailure: () => undefined,
      });
    } finally {
      resync?.cancel();
      release();
      releaseFence();
      this.#reasons.clear();
    }
  }

  #enqueue(key: ObjectKey, reason: Reason, isBackground: boolean): void {
    const own = this.#ownChanges.get(key);
    const isOwn = own !== undefined && reason.change?.after.metadata.resourceVersion === own.resourceVersion;
    if (isOwn) this.#ownChanges.delete(key);
    this.#reasons.add(key, isOwn ? { ...reason, text: own.what } : reason);
    this.#queue?.add(key, isBackground ? LOW_PRIORITY : NORMAL_PRIORITY);
  }

  /** Enqueues every object at the resync interval. */
  #startResync(): { cancel(): void } | undefined {
    const { resync } = this.#definition.options;
    if (resync === undefined) return undefined;
    const intervalMs = toMilliseconds(resync);
    let timer: Timer;
    const arm = (): void => {
      timer = this.#host.clock.setTimer(
        intervalMs,
        () => {
          for (const key of this.#primary?.store.keys() ?? []) this.#enqueue(key, { text: 'resync' }, true);
          arm();
        },
        { background: true },
      );
    };
    arm();
    return { cancel: () => timer.cancel() };
  }

  /** Processes one key. Rejects if the key is to be retried with backoff. */
  async #work(key: ObjectKey, fence: AbortSignal): Promise<void> {
    const queue = this.#queue as WorkQueue;
    const { clock, log } = this.#host;
    const taken = this.#reasons.take(key);
    const why = reasonTexts(taken);
    const active = new ActiveReconcile<T>({
      operator: this.name,
      kind: this.kind,
      key,
      why,
      tools: this.#host,
      fence,
      onOwnChange: (resourceVersion, what) => void this.#ownChanges.set(key, { resourceVersion, what }),
    });
    const startedAt = clock.monotonic();
    const at = clock.now();
    const outcome = await this.#reconcile(active, fence);
    const { result } = outcome;
    const ms = clock.monotonic() - startedAt;
    this.#host.metrics.reconciled(this.name, result.result, ms / 1000);
    const error = 'error' in result ? result.error : undefined;
    const object = active.objectIfAny;
    this.#host.journal.record(this.name, key, {
      at,
      ms,
      why,
      result: outcome.gone ? 'gone' : formatResult(result),
      ...(error === undefined ? {} : { error: error.message }),
      ...(object === undefined ? {} : { resourceVersion: object.metadata.resourceVersion }),
      ...(object?.metadata.generation === undefined ? {} : { generation: object.metadata.generation }),
    });
    const fields = {
      operator: this.name,
      key,
      result: formatResult(result),
      ms: Math.round(ms),
      why: formatReasons(why),
    };
    if (queue.stopped && error !== undefined) {
      log.debug('reconcile cancelled by stop', { ...fields, error: error.message });
      return;
    }
    switch (result.result) {
      case 'done':
      case 'after':
        log.debug('reconciled', fields);
        if (outcome.gone) this.#forget(key);
        else this.#checkHotLoop(active, taken.reasons);
        if (result.result === 'done') return;
        this.#reasons.addDelayed(key, { text: `requeue after ${formatMilliseconds(result.delayMs)}` });
        return queue.addAfter(key, result.delayMs);
      case 'terminal':
        report(log, 'reconcile failed for good', result.error, fields);
        return;
      case 'failed': {
        const retries = queue.failures(key) + 1;
        report(log, 'reconcile failed', result.error, { ...fields, retries });
        this.#reasons.addDelayed(key, { text: `retry ${retries}` });
        throw result.error;
      }
    }
  }

  /** Runs the functions of the user. Never rejects, and resolves even if a function never settles. */
  async #reconcile(active: ActiveReconcile<T>, fence: AbortSignal): Promise<Outcome> {
    const { clock } = this.#host;
    const abandoned = new Deferred<Outcome>();
    const giveUp = (reason: Error): void => {
      timer.cancel();
      active.cut(reason);
      timer = clock.setTimer(ABANDON_MS, () => {
        const message = `${reason.message}; it ignored its signal for ${formatMilliseconds(ABANDON_MS)} and was given up`;
        abandoned.resolve({ result: failed(new TransportError(message)), gone: false });
      });
    };
    let timer = clock.setTimer(
      this.#timeoutMs,
      () => giveUp(new TransportError(`the reconcile took longer than ${formatMilliseconds(this.#timeoutMs)}`)),
      { background: true },
    );
    this.#active.set(active, giveUp);
    this.#host.metrics.workers(this.name, this.#active.size, this.#concurrency);
    if (fence.aborted) giveUp(abortReason(fence));
    try {
      const outcome = await Promise.race([this.#settle(active), abandoned.promise]);
      // A result that arrives after the timeout counts as a failure.
      return active.cutReason === undefined || 'error' in outcome.result
        ? outcome
        : { result: failed(active.cutReason), gone: false };
    } finally {
      timer.cancel();
      this.#active.delete(active);
      this.#host.metrics.workers(this.name, this.#active.size, this.#concurrency);
    }
  }

  async #settle(active: ActiveReconcile<T>): Promise<Outcome> {
    try {
      return await reconcileObject(this.#definition, active, this.#host);
    } catch (caught) {
      return { result: failed(active.cutReason ?? toError(caught)), gone: false };
    }
  }

  #forget(key: ObjectKey): void {
    this.#hotLoops.forget(key);
    this.#ownChanges.delete(key);
  }

  #checkHotLoop(active: ActiveReconcile<T>, reasons: readonly Reason[]): void {
    const hot = this.#hotLoops.count(active.key, active.object, reasons, this.#host.clock.monotonic());
    if (hot === undefined) return;
    this.#host.log.warn('hot loop: reconciled again and again without a change of the spec', {
      operator: this.name,
      key: active.key,
      reconciles: hot.reconciles,
      window: formatMilliseconds(hot.windowMs),
      why: formatReasons(active.why),
      changes: hot.changes.join('; '),
    });
  }
}

/** Logs an error. The stack is left out if the cause is outside of the program, such as a failed request. */
function report(
  log: ReconcileTools['log'],
  message: string,
  cause: Error,
  fields: Readonly<Record<string, string | number>>,
): void {
  if (isExternalError(cause)) log.warn(message, { ...fields, error: cause.message });
  else log.error(message, cause, fields);
}
