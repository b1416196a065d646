/** The start and the stop of the loops that `--controllers` selects. */
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json-value.ts';
import { Lifetime, type Stoppable } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/api.ts';
import type { InformerSet } from '../client/informer.ts';
import type { CertificateSigner, LoopDefinition, RunningWrites } from './loop.ts';
import { LOOPS } from './loops.ts';
import type { PolicyTypes } from './policy-types.ts';
import type { QuotaRules } from './resource-quota/quota-rules.ts';
import type { LoopSelection } from './select-loops.ts';
import type { ServedResources } from './served-resources.ts';
import type { StoredObjects } from './stored-objects.ts';

/** The parts of the control plane that loops use. */
export interface LoopHost {
  /** A client whose requests are authorized as in LoopDefinition.serviceAccount. */
  clientAs(serviceAccount: string | undefined): Client;
  /** Not started. The loops own it from now on. */
  readonly informers: InformerSet;
  readonly served: ServedResources;
  readonly stored: StoredObjects;
  readonly writes: RunningWrites;
  readonly quotaRules: QuotaRules;
  readonly policyTypes: PolicyTypes;
  readonly resourceQuotaSyncMs: number;
  readonly rootCa: string;
  signLegacyToken(claims: JsonObject): Promise<string>;
  readonly certificates: CertificateSigner | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  random(): number;
}

/**
 * Starts the selected loops in the order of the table, and the informers. `stop` stops the loops in reverse order, then
 * the informers.
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
    const { informers, served, stored, writes, clock } = host;
    const logger = namedLogger(host.logger, name);
    const client = host.clientAs(serviceAccount);
    const loop = start({
      client,
      informers,
      served,
      stored,
      writes,
      quotaRules: host.quotaRules,
      policyTypes: host.policyTypes,
      resourceQuotaSyncMs: host.resourceQuotaSyncMs,
      rootCa: host.rootCa,
      signLegacyToken: (claims) => host.signLegacyToken(claims),
      certificates: host.certificates,
      clock,
      logger,
      random: () => host.random(),
    });
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
