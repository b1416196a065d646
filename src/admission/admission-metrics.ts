/**
 * The metric `apiserver_admission_controller_admission_duration_seconds`, under kube-apiserver's name, labels and
 * buckets.
 */
import type { Clock } from '../base/clock.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import type { Operation } from '../server/admission.ts';
import type { AdmissionObserver, AdmissionStep, AdmissionTally } from './plugin-chain.ts';

/** Bounds of k8s.io/apiserver/pkg/admission/metrics. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Registers the metric. Called once per registry; a second call throws BugError. */
export function createAdmissionObserver(registry: MetricRegistry, clock: Clock): AdmissionObserver {
  const durations = registry.histogram({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: 'Seconds that an admission plugin took, by plugin, operation and step.',
    labels: ['name', 'operation', 'rejected', 'type'] as const,
    buckets: BUCKETS,
  });
  return {
    now: () => clock.monotonic(),
    plugin: (name: string, operation: Operation, step: AdmissionStep): AdmissionTally => {
      // A series is made when it has its first value, so that idle plugins print nothing.
      const series = new Map<boolean, { observe(seconds: number): void }>();
      return (milliseconds, rejected) => {
        let one = series.get(rejected);
        if (one === undefined) {
          one = durations.labels(name, operation, `${rejected}`, step);
          series.set(rejected, one);
        }
        one.observe(milliseconds / 1000);
      };
    },
  };
}
