/**
 * The manager: what the operators of a program share. It has one client, one cache, one election, and the pages for
 * probes. Invariants:
 * - Parts start in this order: servers, caches, parts that need no lease, parts that do. They stop in reverse order.
 * - Parts that need the lease run only during a term; their signal aborts before another candidate can hold it.
 * - `run` settles within the grace period of a stop and the time in which reconciles are given up.
 */

import type { Transport } from '../apimachinery/http/transport.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { Clock } from '../base/clock.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import type { Client } from '../client/api.ts';
import type { InformerSet } from '../client/informer.ts';
import type { LeaderElectionOptions } from '../client/leader-election.ts';
import type { CachedReader, CacheOptions } from './cache.ts';
import type { OperatorDefinition } from './definition.ts';
import type { HealthCheck, PageHandler } from './manager-pages.ts';
import type { ReconcileJournal } from './reconcile-journal.ts';
import type { TimeSpan } from './result.ts';
import type { Runnable } from './runnable.ts';

export interface ManagerOptions {
  /** The connection to the API server. `keelson/node` makes one from a kubeconfig. Either this or `client` is needed. */
  readonly transport?: Transport;
  /** Default: a client of `transport`. */
  readonly client?: Client;
  /** Informers to share with others. The manager starts them but does not stop them. Default: informers of its own. */
  readonly informers?: InformerSet;
  readonly cache?: CacheOptions;
  /**
   * An election on a Lease: parts that need it run only while this program holds it. After a lost term they are stopped,
   * and run again in the next one. Default: no election; they run at once.
   */
  readonly leaderElection?: LeaderElectionOptions;
  /** Serves the pages; `servePages` of `keelson/node` does it over HTTP. Default: they are not served. */
  readonly serve?: ServePages;
  /** How long reconciles may go on after a stop has begun. Default 30 s. */
  readonly stopGrace?: TimeSpan;
  /** Default: lines of JSON on the console, from level info. */
  readonly logger?: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Default: a registry of its own. */
  readonly metrics?: MetricRegistry;
  /** Returns a number in [0, 1), for jitter. Default Math.random. */
  readonly random?: () => number;
}

/** Starts to serve pages. Resolves when requests are accepted. */
export type ServePages = (handler: PageHandler) => Promise<Stoppable>;

export interface Manager {
  /** Reads from the server; cached reads know its writes. For code outside of reconciles. */
  readonly client: Client;
  /** For code outside of reconciles. Namespaces have to be named. */
  readonly cache: CachedReader;
  readonly metrics: MetricRegistry;
  readonly journal: ReconcileJournal;
  /** `/healthz`, `/readyz`, `/metrics` and `/debug/reconciles`. */
  readonly pages: PageHandler;
  /** Adds an operator. Throws BugError if one of that name exists, or after `run`. */
  register<T>(definition: OperatorDefinition<T>): void;
  /** Adds a part of any other kind. Throws BugError after `run`. */
  add(runnable: Runnable): void;
  /** Adds a server, such as that of webhooks. It is started before the caches and stopped last. */
  addServer(name: string, start: () => Promise<Stoppable>): void;
  /** Adds a check to `/healthz`. */
  addHealthCheck(name: string, check: HealthCheck): void;
  /** Adds a check to `/readyz`. Checks of the caches are there. */
  addReadyCheck(name: string, check: HealthCheck): void;
  /**
   * Runs everything until the signal aborts, then stops everything and resolves. If a part fails, everything is stopped
   * and the error is the rejection. Call it once.
   */
  run(options: { readonly signal: AbortSignalLike }): Promise<void>;
}
