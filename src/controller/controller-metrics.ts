/** The metrics of controllers. They have controller-runtime's names, so that its dashboards can be used. */
import type { Clock } from '../base/clock.ts';
import type {
  Counter,
  CounterFamily,
  Gauge,
  GaugeFamily,
  Histogram,
  HistogramFamily,
  MetricRegistry,
} from '../base/metrics/metric-registry.ts';
import { WorkQueueMetrics } from '../base/metrics/work-queue-metrics.ts';
import type { WorkQueueObserver } from '../base/work-queue.ts';
import type { ObjectKey } from '../client/informer.ts';
import type { ControllerObserver } from './controller.ts';
import type { Result } from './result.ts';

/** The buckets of controller-runtime (internal/controller/metrics), without those above one minute. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const CONTROLLER = ['controller'] as const;
const CONTROLLER_RESULT = ['controller', 'result'] as const;

/** controller-runtime's values of the label `result`. */
const RESULTS: Readonly<Record<Result['result'], string>> = {
  done: 'success',
  after: 'requeue_after',
  failed: 'error',
  terminal: 'error',
};

/** The metric handles of one operator. */
interface Handles {
  readonly totals: Readonly<Record<Result['result'], Counter>>;
  readonly errors: Counter;
  readonly terminal: Counter;
  readonly seconds: Histogram;
  readonly active: Gauge;
  readonly limit: Gauge;
}

/** The constructor registers the metrics, so create one per registry. */
export class ControllerMetrics implements ControllerObserver {
  readonly #queues: WorkQueueMetrics;
  readonly #total: CounterFamily<typeof CONTROLLER_RESULT>;
  readonly #errors: CounterFamily<typeof CONTROLLER>;
  readonly #terminal: CounterFamily<typeof CONTROLLER>;
  readonly #seconds: HistogramFamily<typeof CONTROLLER>;
  readonly #active: GaugeFamily<typeof CONTROLLER>;
  readonly #limit: GaugeFamily<typeof CONTROLLER>;
  readonly #handles = new Map<string, Handles>();

  constructor(registry: MetricRegistry, clock: Clock) {
    this.#queues = new WorkQueueMetrics(registry, clock);
    this.#total = registry.counter({
      name: 'controller_runtime_reconcile_total',
      labels: CONTROLLER_RESULT,
      help: 'Reconciles by controller and result.',
    });
    this.#errors = registry.counter({
      name: 'controller_runtime_reconcile_errors_total',
      labels: CONTROLLER,
      help: 'Reconciles that failed.',
    });
    this.#terminal = registry.counter({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      labels: CONTROLLER,
      help: 'Reconciles that failed and are not retried.',
    });
    this.#seconds = registry.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      labels: CONTROLLER,
      help: 'Seconds that a reconcile took.',
      buckets: BUCKETS,
    });
    this.#active = registry.gauge({
      name: 'controller_runtime_active_workers',
      labels: CONTROLLER,
      help: 'Reconciles that run at the moment.',
    });
    this.#limit = registry.gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      labels: CONTROLLER,
      help: 'Reconciles that may run at the same time.',
    });
  }

  queue(operator: string): WorkQueueObserver<ObjectKey> {
    return this.#queues.observer(operator);
  }

  workers(operator: string, running: number, limit: number): void {
    const handles = this.#handlesOf(operator);
    handles.active.set(running);
    handles.limit.set(limit);
  }

  reconciled(operator: string, result: Result['result'], seconds: number): void {
    const handles = this.#handlesOf(operator);
    handles.totals[result].add();
    handles.seconds.observe(seconds);
    if (result === 'failed' || result === 'terminal') handles.errors.add();
    if (result === 'terminal') handles.terminal.add();
  }

  /** Caches the handles of each operator, because looking up labels is slow. */
  #handlesOf(operator: string): Handles {
    const known = this.#handles.get(operator);
    if (known !== undefined) return known;
    const total = (result: Result['result']): Counter => this.#total.labels(operator, RESULTS[result]);
    const handles: Handles = {
      totals: { done: total('done'), after: total('after'), failed: total('failed'), terminal: total('terminal') },
      errors: this.#errors.labels(operator),
      terminal: this.#terminal.labels(operator),
      seconds: this.#seconds.labels(operator),
      active: this.#active.labels(operator),
      limit: this.#limit.labels(operator),
    };
    this.#handles.set(operator, handles);
    return handles;
  }
}
