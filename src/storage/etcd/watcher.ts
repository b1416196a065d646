/**
 * A watcher on a range of etcd's keys that survives its streams: when one fails, it continues at its position on the
 * next member.
 */
import { type BackoffPolicy, backoffDelay } from '../../base/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { GRPC, type GrpcDuplex, isGrpcError } from '../../base/grpc.ts';
import type { Revision } from '../storage.ts';
import { type EtcdClient, WATCH } from './etcd-client.ts';
import type { EtcdEvent, Header } from './messages.ts';
import type { ProgressMarker } from './progress-marker.ts';
import { watchCreateRequest, watchProgressRequest } from './requests.ts';
import { readWatchResponse } from './responses.ts';
import { beginStream, stepWatch, type WatcherState } from './watch-step.ts';

const RETRY: BackoffPolicy = { initialMs: 50, capMs: 2000 };
/** How often progress is requested while someone waits for a revision, as in the reference's watch cache. */
const PROGRESS_MS = 100;

export interface WatcherOptions {
  readonly client: EtcdClient;
  readonly clock: Clock;
  readonly key: string;
  readonly end: string;
  readonly after: Revision;
  /** Whether events carry the previous item. */
  readonly previous: boolean;
  /**
   * Called before a stream is opened again. Resolves with the present revision of the cluster; rejects if it cannot be
   * reached.
   */
  confirm(): Promise<Revision>;
  /** The marker to use instead of progress requests. Undefined: the member orders its answers. */
  marker(): ProgressMarker | undefined;
  /** Called with the header of each response. */
  onHeader(header: Header): void;
}

export interface WatcherSink {
  events(events: readonly EtcdEvent[]): void;
  /** The position has reached this revision. Called after its events. */
  progress(revision: Revision): void;
  /** The watcher has ended because its history is gone. */
  compacted(horizon: Revision): void;
  /** The watcher has ended because etcd does not allow it. */
  failed(error: Error): void;
}

export class Watcher {
  readonly #options: WatcherOptions;
  readonly #sink: WatcherSink;
  #state: WatcherState;
  #stream: GrpcDuplex | undefined;
  #retryTimer: Timer | undefined;
  #progressTimer: Timer | undefined;
  /** A request for progress was sent on the present stream and not answered yet. */
  #isProgressRequested = false;
  /** The highest revision that someone waits for. */
  #wanted: Revision = 0;
  #failures = 0;
  #stopped = false;

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
      // After a failed write the timer asks again.
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
        if (this.#stream === stream) this.#take(message);
      },
      end: (error) => {
        if (this.#stream === stream) this.#lost(error);
      },
    });
    this.#stream = stream;
    const range = this.#options.marker() ?? { key, end };
    const startRevision = this.#state.position + 1;
    stream.send(watchCreateRequest({ key: range.key, end: range.end, startRevision, previous }));
  }

  #take(message: Uint8Array): void {
    const response = readWatchResponse(message);
    this.#options.onHeader(response.header);
    if (this.#stopped) return;
    const before = this.#state;
    const step = stepWatch(before, response);
    if (step.type === 'compacted') {
      this.stop();
      this.#sink.compacted(step.horizon);
    } else if (step.type === 'canceled') {
      this.#stream?.close();
      this.#lost(toError(step.reason));
    } else {
      this.#failures = 0;
      this.#state = step.state;
      const events = this.#options.marker() === undefined ? step.events : step.events.filter(this.#isOwn);
      if (events.length > 0) this.#sink.events(events);
      if (this.#state.position > before.position) this.#sink.progress(this.#state.position);
      if (response.events.length === 0) this.#isProgressRequested = false;
      if (response.created && this.#state.position < this.#wanted) this.#requestProgress();
    }
  }

  /** Whether an event belongs to the range. A watcher with a marker gets those of the whole store. */
  readonly #isOwn = ({ item }: EtcdEvent): boolean => {
    const { key, end } = this.#options;
    return item.key >= key && (end === '\0' || item.key < end);
  };

  #lost(error: Error): void {
    this.#stream = undefined;
    if (this.#stopped) return;
    if (isGrpcError(error) && (error.code === GRPC.permissionDenied || error.code === GRPC.unauthenticated)) {
      this.stop();
      this.#sink.failed(error);
      return;
    }
    const delay = backoffDelay(RETRY, this.#failures++);
    this.#retryTimer = this.#options.clock.setTimer(delay, () => void this.#reopen());
  }

  /** A quorum read shows whether the cluster was restored to an older state before the stream continues. */
  async #reopen(): Promise<void> {
    try {
      await this.#options.confirm();
      if (!this.#stopped) this.#open();
    } catch (caught) {
      this.#lost(toError(caught));
    }
  }
}
