/** The graceful stop of a listener. */
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Listener } from './listener.ts';

export interface DrainOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long requests in flight may take. */
  readonly graceMs: number;
}

/** Drains the listener. Closes the connections that are open after the grace period. */
export async function drainWithin(listener: Listener, { clock, logger, graceMs }: DrainOptions): Promise<void> {
  const grace = clock.setTimer(graceMs, () => {
    logger.warn('requests did not finish within the grace period; their connections are closed', {
      connections: listener.connections(),
    });
    void listener.stop(); // drain() below resolves when both have ended
  });
  await listener.drain();
  grace.cancel();
}
