/** The process metrics of Prometheus exporters. The values are read when metrics are collected. */
import type { MetricRegistry } from '../../base/metrics/metric-registry.ts';

export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export function registerProcessMetrics(registry: MetricRegistry, use: () => ProcessUsage): void {
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
