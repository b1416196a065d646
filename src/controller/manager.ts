/**
 * The manager, which runs the operators of a program. They share one client, one cache, one leader election, and the
 * pages for probes.
 * Invariants:
 * - Parts start in this order: servers, caches, parts that need no lease, parts that need the lease. They stop in
 *   reverse order.
 * - Parts that need the lease run only during a term as leader. Their signal aborts before another candidate can hold
 *   the lease.
 * - After a stop, `run` settles within the grace period plus the time after which reconciles are abandoned.
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
  /** The connection to the API server. `keelson/node` makes one from a kubeconfig. Required without `client`. */
  readonly transport?: Transport;
  /** Default: a client of `transport`. */
  readonly client?: Client;
  /**
   * Informers that other code shares. The manager starts them but does not stop them. Default: the manager has its own.
   */
  readonly informers?: InformerSet;
  readonly cache?: CacheOptions;
  /**
   * A leader election on a Lease. Parts that need the lease run only while this program holds it: they are stopped when
   * the lease is lost, and run again in the next term. Default: no election, and all parts run at once.
   */
  readonly leaderElection?: LeaderElectionOptions;
  /** Serves the pages, such as `servePages` of `keelson/node` over HTTP. Default: they are not served. */
  readonly serve?: ServePages;
  /** How long reconciles may continue after a stop has begun. Default 30 s. */
  readonly stopGrace?: TimeSpan;
  /** Default: lines of JSON on the console, from level info. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: a new registry. */
  readonly metrics?: MetricRegistry;
  /** Returns a number in [0, 1), for jitter. Default Math.random. */
  readonly random?: () => number;
}

/** Starts to serve pages. Resolves when requests are accepted. */
export type ServePages = (handler: PageHandler) => Promise<Stoppable>;

export interface Manager {
  /** A client for code outside of reconciles. It reads from the server; cached reads wait for its writes. */
  readonly client: Client;
  /** Cached reads for code outside of reconciles. There is no default namespace. */
  readonly cache: CachedReader;
  readonly metrics: MetricRegistry;
  readonly journal: ReconcileJournal;
  /** Serves `/healthz`, `/readyz`, `/metrics` and `/debug/reconciles`. */
  readonly pages: PageHandler;
  /** Adds an operator. Throws BugError if an operator with this name exists, and after `run`. */
  register<T>(definition: OperatorDefinition<T>): void;
  /** Adds any other part. Throws BugError after `run`. */
  add(runnable: Runnable): void;
  /** Adds a server, such as a webhook server. Servers are started before the caches and stopped last. */
  addServer(name: string, start: () => Promise<Stoppable>): void;
  /** Adds a check to `/healthz`. */
  addHealthCheck(name: string, check: HealthCheck): void;
  /** Adds a check to `/readyz`, which always checks that the caches are synced. */
  addReadyCheck(name: string, check: HealthCheck): void;
  /**
   * Runs all parts until the signal aborts, then stops them and resolves. If a part fails, stops the others and rejects
   * with its error. Call it once.
   */
  run(options: { readonly signal: AbortSignalLike }): Promise<void>;
}
