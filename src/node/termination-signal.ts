/** The signal of a program that runs until it is told to stop. */
import type { AbortSignalLike } from '../base/abort-signal.ts';

/**
 * Returns a signal that aborts at the first SIGINT or SIGTERM. A second one ends the process at once with status 130 or
 * 143, as a shell reports them.
 */
export function terminationSignal(): AbortSignalLike {
  const stop = new AbortController();
  for (const [name, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(status);
      stop.abort(new DOMException(`the process received ${name}`, 'AbortError'));
    });
  return stop.signal;
}
