/**
 * A watcher on a range of etcd's keys. When its stream fails, it continues after its position with a new stream to the
 * next member.
 */
import { type BackoffPolicy, backoffDelay } from '../../base/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { GRPC, type GrpcDuplex, isGrpcError } from '../../base/grpc.ts';
import type { Revision } from '../storage.ts';
import { type EtcdClient, WATCH } from './etcd-client.ts';
import type { EtcdEvent, Header, WatchResponse } from './messages.ts';
import type { ProgressMarker } from './progress-marker.ts';
import { watchCreateRequest, watchProgressRequest } from './requests.ts';
import { readWatchResponse } from './responses.ts';
import { beginStream, stepWatch, type WatcherState } from './watch-step.ts';

const RETRY: BackoffPolicy = { initialMs: 50, capMs: 2000 };
/** How often progress is requested while a caller waits for a revision, as in kube-apiserver's watch cache. */
const PROGRESS_MS = 100;
const NO_EVENTS: readonly EtcdEvent[] = [];
/** Cheaper than `queueMicrotask`, which creates an async-hooks resource for each call. */
const RESOLVED = Promise.resolve();

export interface WatcherOptions {
  readonly client: EtcdClient;
  readonly clock: Clock;
  readonly key: string;
  readonly end: string;
  readonly after: Revision;
  /** Whether events carry the previous item. */
  readonly previous: boolean;
  /**
   * Called before a stream is opened again. Resolves with the current revision of the cluster; rejects if the cluster
   * cannot be reached.
   */
  confirm(): Promise<Revision>;
  /**
   * The marker to use instead of progress requests. Undefined: the pinned member answers progress requests in order.
   */
  marker(): ProgressMarker | undefined;
  /** Called with the header of each response. */
  onHeader(header: Header): void;
}

export interface WatcherSink {
  events(events: readonly EtcdEvent[]): void;
  /** Called when the position has reached this revision, after its events. */
  progress(revision: Revision): void;
  /** Called when the watcher has ended because its history is compacted. */
  compacted(horizon: Revision): void;
  /** Called when the watcher has ended because etcd refuses it. */
  failed(error: Error): void;
}

export class Watcher {
  readonly #options: WatcherOptions;
  readonly #sink: WatcherSink;
  #state: WatcherState;
  #stream: GrpcDuplex | undefined;
  #retryTimer: Timer | undefined;
  #progressTimer: Timer | undefined;
  /** Whether a progress request on the current stream is not answered yet. */
  #isProgressRequested = false;
  /** The highest revision that was passed to `reach`. */
  #wanted: Revision = 0;
  #failures = 0;
  #stopped = false;
  /** The responses of the current stream that are not handled yet. */
  #received: WatchResponse[] = [];

  constructor(options: WatcherOptions, sink: WatcherSink) {
    this.#options = options;
    this.#sink = sink;
    this.#state = beginStream(options.after);
  }

  get position(): Revision {
    return this.#state.position;
  }

  /** Opens the first stream. Call it once. */
  start(): void {
    this.#open();
  }

  stop(): void {
    this.#stopped = true;
    this.#received = [];
    this.#retryTimer?.cancel();
    this.#progressTimer?.cancel();
    this.#stream?.close();
    this.#stream = undefined;
  }

  /** Asks etcd for progress until the position has reached the revision. */
  reach(revision: Revision): void {
    this.#wanted = Math.max(this.#wanted, revision);
    if (this.#state.position >= this.#wanted || this.#stopped || this.#isProgressRequested) return;
    this.#requestProgress();
  }

  #requestProgress(): void {
    if (this.#state.created) {
      this.#isProgressRequested = true;
      const marker = this.#options.marker();
      if (marker === undefined) this.#stream?.send(watchProgressRequest());
      // The timer repeats a failed write.
      else marker.write().catch(() => undefined);
    }
    if (this.#progressTimer !== undefined) return;
    this.#progressTimer = this.#options.clock.setTimer(PROGRESS_MS, () => {
      this.#progressTimer = undefined;
      this.#isProgressRequested = false;
      if (this.#state.position < this.#wanted) this.#requestProgress();
    });
  }

  #open(): void {
    const { client, key, end, previous } = this.#options;
    this.#state = beginStream(this.#state.position);
    this.#isProgressRequested = false;
    const stream = client.stream(WATCH, {
      message: (message) => {
        if (this.#stream === stream) this.#receive(readWatchResponse(message));
      },
      end: (error) => {
        if (this.#stream === stream) this.#handleAll();
        if (this.#stream === stream) this.#lost(error);
      },
    });
    this.#stream = stream;
    const range = this.#options.marker() ?? { key, end };
    const startRevision = this.#state.position + 1;
    stream.send(watchCreateRequest({ key: range.key, end: range.end, startRevision, previous }));
  }

  /**
   * Queues a response. etcd sends one response for each write; responses that arrive in one read of the connection are
   * handled together, so that the sinks are called once for all of them.
   */
  #receive(response: WatchResponse): void {
    if (this.#received.push(response) === 1) void RESOLVED.then(this.#handleReceived);
  }

  readonly #handleReceived = (): void => {
    try {
      this.#handleAll();
    } catch (caught) {
      this.#abandon(toError(caught));
    }
  };

  #handleAll(): void {
    const responses = this.#received;
    if (responses.length === 0) return;
    this.#received = [];
    let state = this.#state;
    let events: readonly EtcdEvent[] = NO_EVENTS;
    let isAnswered = false;
    for (let i = 0; i < responses.length; i++) {
      const response = responses[i] as WatchResponse;
      this.#options.onHeader(response.header);
      if (this.#stopped) return;
      const step = stepWatch(state, response);
      if (step.type !== 'continue') {
        this.#advance(state, events, isAnswered);
        if (this.#stopped) return;
        if (step.type === 'canceled') this.#abandon(toError(step.reason));
        else {
          this.stop();
          this.#sink.compacted(step.horizon);
        }
        return;
      }
      state = step.state;
      if (step.events.length > 0) events = events.length === 0 ? step.events : events.concat(step.events);
      if (response.events.length === 0) isAnswered = true;
    }
    this.#advance(state, events, isAnswered);
  }

  /**
   * Passes events to the sink and moves to the state after them. `isAnswered`: the response may answer a progress
   * request.
   */
  #advance(state: WatcherState, all: readonly EtcdEvent[], isAnswered: boolean): void {
    const before = this.#state;
    this.#failures = 0;
    this.#state = state;
    const events = this.#options.marker() === undefined ? all : all.filter(this.#isOwn);
    if (events.length > 0) this.#sink.events(events);
    if (state.position > before.position) this.#sink.progress(state.position);
    // Only after the sink was called: a sink that still waits would otherwise request progress at once, without the
    // pause of the timer.
    if (isAnswered) this.#isProgressRequested = false;
    if (!before.created && state.created && state.position < this.#wanted) this.#requestProgress();
  }

  /** Ends the current stream. The next stream continues after the position. */
  #abandon(error: Error): void {
    this.#stream?.close();
    this.#lost(error);
  }

  /** Whether an event belongs to the range. A watcher with a marker gets the events of the whole store. */
  readonly #isOwn = ({ item }: EtcdEvent): boolean => {
    const { key, end } = this.#options;
    return item.key >= key && (end === '\0' || item.key < end);
  };

  #lost(error: Error): void {
    this.#stream = undefined;
    this.#received = [];
    if (this.#stopped) return;
    if (isGrpcError(error) && (error.code === GRPC.permissionDenied || error.code === GRPC.unauthenticated)) {
      this.stop();
      this.#sink.failed(error);
      return;
    }
    const delay = backoffDelay(RETRY, this.#failures++);
    this.#retryTimer = this.#options.clock.setTimer(delay, () => void this.#reopen());
  }

  /** Opens a new stream. The quorum read before it detects a cluster that was restored to an older state. */
  async #reopen(): Promise<void> {
    try {
      await this.#options.confirm();
      if (!this.#stopped) this.#open();
    } catch (caught) {
      this.#lost(toError(caught));
    }
  }
}
