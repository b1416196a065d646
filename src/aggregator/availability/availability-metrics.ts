/** The metrics of unavailable APIServices, with the names and labels of the reference. */
import type { CounterFamily, MetricRegistry } from '../../base/metrics/metric-registry.ts';
import { isAvailable } from '../remote-version.ts';
import type { RemoteVersions } from '../remote-versions.ts';

export class AvailabilityMetrics {
  readonly #losses: CounterFamily<readonly ['name', 'reason']>;

  /** Remote versions have a series of the gauge, local ones have none. */
  constructor(registry: MetricRegistry, remotes: RemoteVersions) {
    const unavailable = registry.gauge({
      name: 'aggregator_unavailable_apiservice',
      help: 'Whether an APIService is unavailable: 1 or 0.',
      labels: ['name'],
    });
    registry.onCollect(() => {
      unavailable.clear();
      for (const remote of remotes.list()) unavailable.labels(remote.name).set(isAvailable(remote) ? 0 : 1);
    });
    this.#losses = registry.counter({
      name: 'aggregator_unavailable_apiservice_total',
      help: 'How often an APIService became unavailable, by reason.',
      labels: ['name', 'reason'],
    });
  }

  /** Counts an available APIService that became unavailable. */
  lost(name: string, reason: string): void {
    this.#losses.labels(name, reason).add();
  }
}
