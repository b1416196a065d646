/** Starts and stops the loops that `--controllers` selects. */
import { Lifetime, type Stoppable } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/api.ts';
import type { InformerSet } from '../client/informer.ts';
import type { LoopContext, LoopDefinition } from './loop.ts';
import { LOOPS } from './loops.ts';
import type { LoopSelection } from './select-loops.ts';

/** The parts of the control plane that loops use. */
export interface LoopHost extends Omit<LoopContext, 'client'> {
  /** Returns a client whose requests are authorized as LoopDefinition.serviceAccount describes. */
  clientAs(serviceAccount: string | undefined): Client;
  /**
   * Not yet started. `startLoops` takes ownership: it starts the set if a loop is selected, and its result stops the
   * set.
   */
  readonly informers: InformerSet;
}

/**
 * Starts the informers, then the selected loops in the order of the table. `stop` stops the loops in reverse order,
 * then the informers.
 */
export function startLoops(
  host: LoopHost,
  selected: LoopSelection,
  loops: readonly LoopDefinition[] = LOOPS,
): Stoppable {
  const lifetime = new Lifetime('loops');
  const running = loops.filter(({ name }) => selected(name));
  lifetime.add('informers', () => host.informers.stop());
  if (running.length === 0) return lifetime;
  host.informers.start();
  for (const { name, serviceAccount, start } of running) {
    const loop = start({ ...host, client: host.clientAs(serviceAccount), logger: namedLogger(host.logger, name) });
    lifetime.add(name, () => loop.stop());
  }
  host.logger.debug('started the control loops', { controllers: running.map(({ name }) => name).join(',') });
  return lifetime;
}

function namedLogger(logger: Logger, controller: string): Logger {
  return {
    debug: (message, fields) => logger.debug(message, { controller, ...fields }),
    info: (message, fields) => logger.info(message, { controller, ...fields }),
    warn: (message, fields) => logger.warn(message, { controller, ...fields }),
    error: (message, error, fields) => logger.error(message, error, { controller, ...fields }),
  };
}
