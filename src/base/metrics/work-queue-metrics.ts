/**
 * The metrics of work queues, with the names and meanings of client-go's: one series per queue, labelled with its name.
 * Depth, unfinished work and the longest running processor are computed when the registry is printed.
 */
import type { Clock } from '../clock.ts';
import type { WorkQueueObserver } from '../work-queue.ts';
import type {
  Counter,
  CounterFamily,
  GaugeFamily,
  Histogram,
  HistogramFamily,
  MetricRegistry,
} from './metric-registry.ts';

/** Ten buckets from 10 ns to 10 s, each ten times the one before, as client-go has them. */
const BUCKETS = Array.from({ length: 10 }).reduce<number[]>((bounds) => [...bounds, (bounds.at(-1) ?? 1e-9) * 10], []);

const LABELS = ['name'] as const;

/** Create one per registry: it registers the metrics. */
export class WorkQueueMetrics {
  readonly #clock: Clock;
  readonly #depth: GaugeFamily<typeof LABELS>;
  readonly #unfinished: GaugeFamily<typeof LABELS>;
  readonly #longest: GaugeFamily<typeof LABELS>;
  readonly #adds: CounterFamily<typeof LABELS>;
  readonly #retries: CounterFamily<typeof LABELS>;
  readonly #queueDuration: HistogramFamily<typeof LABELS>;
  readonly #workDuration: HistogramFamily<typeof LABELS>;
  readonly #queues = new Map<string, QueueTotals>();

  constructor(registry: MetricRegistry, clock: Clock) {
    this.#clock = clock;
    const labels = LABELS;
    this.#depth = registry.gauge({ name: 'workqueue_depth', labels, help: 'Keys that wait in the queue.' });
    this.#adds = registry.counter({ name: 'workqueue_adds_total', labels, help: 'Keys added to the queue.' });
    this.#queueDuration = registry.histogram({
      name: 'workqueue_queue_duration_seconds',
      labels,
      help: 'Seconds that a key waits in the queue before it is handed out.',
      buckets: BUCKETS,
    });
    this.#workDuration = registry.histogram({
      name: 'workqueue_work_duration_seconds',
      labels,
      help: 'Seconds that a key is processed.',
      buckets: BUCKETS,
    });
    this.#unfinished = registry.gauge({
      name: 'workqueue_unfinished_work_seconds',
      labels,
      help: 'Seconds for which the keys in processing have been processed, added up. Grows while a worker hangs.',
    });
    this.#longest = registry.gauge({
      name: 'workqueue_longest_running_processor_seconds',
      labels,
      help: 'Seconds for which the key that is processed longest has been processed.',
    });
    this.#retries = registry.counter({
      name: 'workqueue_retries_total',
      labels,
      help: 'Delayed and rate limited adds.',
    });
    registry.onCollect(() => {
      for (const [name, times] of this.#queues) this.#collect(name, times);
    });
  }

  /**
   * Returns the observer of one queue, for WorkQueueOptions. A second queue of the same name replaces the first and
   * continues its counters.
   */
  observer<K>(name: string): WorkQueueObserver<K> {
    const times = new QueueTimes<K>(this.#clock, {
      adds: this.#adds.labels(name),
      retries: this.#retries.labels(name),
      queueDuration: this.#queueDuration.labels(name),
      workDuration: this.#workDuration.labels(name),
    });
    this.#queues.set(name, times);
    return times;
  }

  #collect(name: string, times: QueueTotals): void {
    const { total, longest } = times.unfinished();
    this.#depth.labels(name).set(times.depth);
    this.#unfinished.labels(name).set(total);
    this.#longest.labels(name).set(longest);
  }
}

interface QueueHandles {
  readonly adds: Counter;
  readonly retries: Counter;
  readonly queueDuration: Histogram;
  readonly workDuration: Histogram;
}

/** The part of QueueTimes that does not depend on the type of its keys. */
interface QueueTotals {
  readonly depth: number;
  unfinished(): { readonly total: number; readonly longest: number };
}

/** The times since when the keys of one queue wait or are processed. */
class QueueTimes<K> implements WorkQueueObserver<K>, QueueTotals {
  readonly #clock: Clock;
  readonly #handles: QueueHandles;
  readonly #addedAt = new Map<K, number>();
  readonly #startedAt = new Map<K, number>();

  constructor(clock: Clock, handles: QueueHandles) {
    this.#clock = clock;
    this.#handles = handles;
  }

  /** As in client-go, includes the keys that were added during their processing. */
  get depth(): number {
    return this.#addedAt.size;
  }

  added(key: K): void {
    this.#handles.adds.add();
    this.#addedAt.set(key, this.#clock.monotonic());
  }

  handedOut(key: K): void {
    const now = this.#clock.monotonic();
    this.#handles.queueDuration.observe((now - (this.#addedAt.get(key) ?? now)) / 1000);
    this.#addedAt.delete(key);
    this.#startedAt.set(key, now);
  }

  done(key: K): void {
    const now = this.#clock.monotonic();
    this.#handles.workDuration.observe((now - (this.#startedAt.get(key) ?? now)) / 1000);
    this.#startedAt.delete(key);
  }

  retried(): void {
    this.#handles.retries.add();
  }

  discarded(): void {
    this.#addedAt.clear();
  }

  /** In seconds. */
  unfinished(): { readonly total: number; readonly longest: number } {
    const now = this.#clock.monotonic();
    let total = 0;
    let longest = 0;
    for (const startedAt of this.#startedAt.values()) {
      const seconds = (now - startedAt) / 1000;
      total += seconds;
      longest = Math.max(longest, seconds);
    }
    return { total, longest };
  }
}
