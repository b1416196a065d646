/**
 * The counter of work: V8's precise coverage tells how often each block of the bundle ran. The sum does not depend on
 * the load of the machine, so a test can have a limit for it. Native code (JSON.parse, regular expressions) is not
 * counted.
 */
import { Session } from 'node:inspector/promises';

export interface StepCounter {
  /** Returns the number of executed blocks since the last call. */
  take(): Promise<number>;
  stop(): Promise<void>;
}

export async function createStepCounter(): Promise<StepCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    async take() {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      let steps = 0;
      for (const script of result) {
        if (!script.url.startsWith('file:')) continue;
        for (const fn of script.functions) for (const range of fn.ranges) steps += range.count;
      }
      return steps;
    },
    async stop() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
