/**
 * The reflector, which drives the list-then-watch protocol: it sends the requests, waits for the pauses, and passes the
 * deliveries on.
 * Invariants:
 * - It never stops by itself. Every failure is reported, and the protocol decides how to continue.
 * - A request is cancelled if nothing arrives for longer than the server may be silent. A server that keeps the
 *   connection but sends nothing is therefore a failure (a watch may be silent for its timeoutSeconds).
 */
import { isStatusError, type Status, StatusError } from '../apimachinery/status/status.ts';
import { createListWatch, stepListWatch } from '../apimachinery/watch/list-watch.ts';
import type {
  Delivery,
  Effect,
  Input,
  ListEffect,
  ListWatchOptions,
  State,
  WatchEffect,
} from '../apimachinery/watch/list-watch-state.ts';
import type { WatchEvent } from '../apimachinery/watch/watch-event.ts';
import { type Failure, statusFailure } from '../apimachinery/watch/watch-failure.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { isKeelsonError, TransportError, toError, unreachable } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json-value.ts';
import type { ListWatchSource } from './list-watch-source.ts';

/** How long a watch may be silent after its timeoutSeconds. */
const WATCH_MARGIN_MS = 30_000;

/** How long a list may be silent. kube-apiserver ends a list after 60 s (`--request-timeout`). */
const LIST_SILENCE_MS = 90_000;

export interface ReflectorOptions<T> {
  readonly source: ListWatchSource<T>;
  /** Called with each delivery. Must not throw: a throw is reported, and the delivery is lost. */
  readonly deliver: (delivery: Delivery<T>) => void;
  /** Called after the deliveries of one page or of one part of a watch. */
  readonly onBatch: () => void;
  readonly onFailure: (error: Error) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly listWatch?: Partial<ListWatchOptions>;
}

export class Reflector<T = JsonObject> {
  readonly #options: ReflectorOptions<T>;
  #state: State;
  #request: RunningRequest | undefined;
  #pause: Timer | undefined;
  #lastFailure: Error | undefined;
  /** The errors behind failures of the source. */
  readonly #errors = new WeakMap<Failure, Error>();

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#state = createListWatch(options.listWatch);
  }

  /** The last failure. Undefined after a list, and once the server has accepted a watch. */
  get lastFailure(): Error | undefined {
    return this.#lastFailure;
  }

  /** Begins to list and watch. Idempotent. Does nothing after `stop`. */
  start(): void {
    if (this.#state.phase === 'idle') this.#feed({ type: 'start' });
  }

  /** Cancels the running request. Delivers nothing afterwards. */
  stop(): void {
    this.#feed({ type: 'stop' });
  }

  #feed(input: Input<T>): void {
    const { clock, random } = this.#options;
    const step = stepListWatch(this.#state, input, { now: clock.monotonic(), random: random() });
    this.#state = step.state;
    for (const effect of step.effects) this.#perform(effect);
  }

  #perform(effect: Effect<T>): void {
    switch (effect.type) {
      case 'list':
        void this.#list(effect);
        return;
      case 'watch':
        void this.#watch(effect);
        return;
      case 'wait':
        this.#pause = this.#options.clock.setTimer(effect.ms, () => this.#feed({ type: 'elapsed', turn: effect.turn }));
        return;
      case 'cancel':
        this.#pause?.cancel();
        if (this.#request?.turn === effect.turn) this.#request.cancel(new DOMException('cancelled', 'AbortError'));
        return;
      case 'report':
        this.#lastFailure = this.#errorOf(effect.failure);
        this.#options.onFailure(this.#lastFailure);
        return;
      default:
        this.#deliver(effect);
    }
  }

  #deliver(delivery: Delivery<T>): void {
    if (delivery.type === 'init-done') this.#lastFailure = undefined;
    try {
      this.#options.deliver(delivery);
    } catch (caught) {
      this.#options.onFailure(toError(caught));
    }
  }

  async #list(effect: ListEffect): Promise<void> {
    const { turn } = effect;
    const fail = (error: Error): void => this.#feed({ type: 'list-failed', turn, failure: this.#failureOf(error) });
    const request = this.#begin(turn, LIST_SILENCE_MS, fail);
    try {
      const page = await this.#options.source.list(effect, { signal: request.signal, onAlive: request.onAlive });
      request.end();
      this.#feed({ type: 'page', turn, ...page });
      this.#options.onBatch();
    } catch (caught) {
      request.end();
      fail(toError(caught));
    }
  }

  async #watch(effect: WatchEffect): Promise<void> {
    const { turn } = effect;
    const fail = (error: Error): void => this.#feed({ type: 'watch-failed', turn, failure: this.#failureOf(error) });
    const request = this.#begin(turn, effect.timeoutSeconds * 1000 + WATCH_MARGIN_MS, fail);
    const onAlive = (): void => {
      request.onAlive();
      if (this.#state.phase === 'watching') this.#lastFailure = undefined;
    };
    const onEvents = (events: readonly WatchEvent<T>[]): void => {
      request.onAlive();
      this.#feed({ type: 'events', turn, events });
      this.#options.onBatch();
    };
    try {
      await this.#options.source.watch(effect, { signal: request.signal, onAlive, onEvents });
      request.end();
      this.#feed({ type: 'watch-ended', turn });
    } catch (caught) {
      request.end();
      fail(toError(caught));
    }
  }

  #begin(turn: number, silenceMs: number, fail: (error: Error) => void): RunningRequest {
    const request = new RunningRequest(turn, silenceMs, this.#options.clock, (error) => {
      // Tell the protocol before cancelling the request: a source that ignores its signal must not delay the protocol.
      fail(error);
      request.cancel(error);
    });
    this.#request = request;
    return request;
  }

  #failureOf(error: Error): Failure {
    const failure = classify(error);
    this.#errors.set(failure, error);
    return failure;
  }

  #errorOf(failure: Failure): Error {
    return this.#errors.get(failure) ?? describeFailure(failure);
  }
}

/** A request, and the timer that ends it if it stays silent. */
class RunningRequest {
  readonly turn: number;
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #onSilence: (error: Error) => void;
  #aliveAt: number;
  #timer: Timer;

  constructor(turn: number, silenceMs: number, clock: Clock, onSilence: (error: Error) => void) {
    this.turn = turn;
    this.#silenceMs = silenceMs;
    this.#clock = clock;
    this.#onSilence = onSilence;
    this.#aliveAt = clock.monotonic();
    this.#timer = this.#arm(silenceMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  // Sets no timer, because it is called for each part of a response.
  readonly onAlive = (): void => {
    this.#aliveAt = this.#clock.monotonic();
  };

  end(): void {
    this.#timer.cancel();
  }

  cancel(reason: Error): void {
    this.#timer.cancel();
    this.#controller.abort(reason);
  }

  #arm(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => this.#check(), { background: true });
  }

  #check(): void {
    const left = this.#aliveAt + this.#silenceMs - this.#clock.monotonic();
    if (left > 0) this.#timer = this.#arm(left);
    else this.#onSilence(new TransportError(`the server has sent nothing for ${this.#silenceMs / 1000} s`));
  }
}

/**
 * Classifies an error. A response that cannot be read differs from a broken connection: the same watch would fail at
 * the same event again.
 */
function classify(error: Error): Failure {
  if (isStatusError(error)) return statusFailure(error.status as unknown as JsonValue);
  if (isKeelsonError(error) && !error.retryable) return { kind: 'unusable', message: error.message };
  return { kind: 'transport', message: error.message };
}

/** Makes the error of a failure that the protocol found in events. */
function describeFailure(failure: Failure): Error {
  switch (failure.kind) {
    case 'status':
      return new StatusError(statusOf(failure));
    case 'transport':
      return new TransportError(failure.message);
    case 'unusable':
      return new TransportError(failure.message, { retryable: false });
    case 'short-watch':
      return new TransportError('the watch ended within a second without an event');
    case 'incomplete-list':
      return new TransportError('the streaming list ended before it was complete');
    default:
      return unreachable(failure);
  }
}

function statusOf({ code, reason, message, causes, retryAfterSeconds }: Failure & { kind: 'status' }): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    details: { causes, retryAfterSeconds },
    code,
  };
}
