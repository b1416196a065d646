/** Command lines of this suite. Unlike in other suites a line must succeed, or must fail: servers can fail alike. */
import type { Step, StepOptions } from '../kubectl/script.ts';

/** A line that must succeed. A watch ends by a signal and has no exit code. */
export function $(line: string, options: StepOptions = {}): Step {
  return { line, ...(options.during === undefined ? { exit: 0 } : {}), ...options };
}

/** A line that must fail, the same way on both servers. */
export function fails(line: string, options: StepOptions = {}): Step {
  return { line, exit: 1, ...options };
}
