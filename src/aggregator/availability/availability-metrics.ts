/** The metrics of unavailable APIServices, with kube-aggregator's names and labels. */
import type { CounterFamily, MetricRegistry } from '../../base/metrics/metric-registry.ts';
import { isAvailable } from '../remote-version.ts';
import type { RemoteVersions } from '../remote-versions.ts';

export class AvailabilityMetrics {
  readonly #losses: CounterFamily<readonly ['name', 'reason']>;

  /** The gauge has one series per remote version. */
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

  /** Called when an available APIService has become unavailable. */
  lost(name: string, reason: string): void {
    this.#losses.labels(name, reason).add();
  }
}
