/** Samples the CPU time of the process, for decisions about V8. */
import type { Clock, Timer } from '../../base/clock.ts';

export interface CpuSamplerOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** CPU time of the process in microseconds. */
  cpuMicros(): number;
  /** Called at the end of each interval with its CPU time. What this call uses itself is not counted. */
  sampled(usedMicros: number): void;
}

/** Samples until it is stopped, without keeping the process alive. */
export function sampleCpu({ clock, intervalMs, cpuMicros, sampled }: CpuSamplerOptions): { stop(): void } {
  let timer: Timer | undefined;
  const arm = (): void => {
    const before = cpuMicros();
    const check = (): void => {
      sampled(cpuMicros() - before);
      arm();
    };
    timer = clock.setTimer(intervalMs, check, { background: true });
  };
  arm();
  return { stop: () => timer?.cancel() };
}

export function processCpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
