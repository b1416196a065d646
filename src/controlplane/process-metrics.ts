/** What the process uses, under the names that every exporter of Prometheus gives it. Invariant: asked for only when metrics are printed. */
import type { MetricRegistry } from '../server/metrics/metric-registry.ts';

export interface ProcessUse {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export function registerProcessMetrics(registry: MetricRegistry, use: () => ProcessUse): void {
  const cpu = registry
    .counter({ name: 'process_cpu_seconds_total', help: 'Seconds of CPU time that the process has used.', labels: [] })
    .labels();
  const resident = registry
    .gauge({ name: 'process_resident_memory_bytes', help: 'Bytes of memory that the process holds.', labels: [] })
    .labels();
  const started = registry
    .gauge({ name: 'process_start_time_seconds', help: 'When the process started, in seconds since 1970.', labels: [] })
    .labels();
  let counted = 0;
  registry.onCollect(() => {
    const { cpuSeconds, residentBytes, startedAt } = use();
    cpu.add(cpuSeconds - counted);
    counted = cpuSeconds;
    resident.set(residentBytes);
    started.set(startedAt / 1000);
  });
}
