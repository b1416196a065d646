/**
 * The checks behind healthz, livez and readyz, under the reference's names where they mean the same. Invariant: readyz passes only after everything that a fresh server
 * contains is there; nothing here writes.
 */
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { Health, type HealthCheck, PING } from '../server/health.ts';
import type { ServerMetrics } from '../server/metrics/server-metrics.ts';
import type { Storage } from '../storage/storage.ts';

export interface HealthChecksOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly storage: Storage;
  readonly livezGracePeriodMs: number;
  readonly metrics: ServerMetrics;
}

/** What is made while a server starts, by the reference's name of the hook that makes it. */
export class BootState {
  readonly #pending = new Set<string>();
  #failure: string | undefined;

  constructor(names: readonly string[]) {
    for (const name of names) this.#pending.add(name);
  }

  done(): void {
    this.#pending.clear();
  }

  failed(reason: string): void {
    this.#failure = reason;
  }

  check(name: string): HealthCheck {
    return { name, check: () => (this.#pending.has(name) ? (this.#failure ?? 'not finished') : undefined) };
  }
}

/** Roles, namespaces and the ConfigMap that extension servers read: the hooks of the reference that have their like here. */
export const BOOT_HOOKS: readonly string[] = [
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
];

export function createHealth(options: HealthChecksOptions, boot: BootState): Health {
  const { clock, logger, storage, livezGracePeriodMs, metrics } = options;
  const health = new Health({
    clock,
    livezGracePeriodMs,
    onResult: (endpoint, name, reason) => {
      metrics.healthcheck.labels(name, endpoint).set(reason === undefined ? 1 : 0);
      metrics.healthchecksTotal.labels(name, endpoint, reason === undefined ? 'success' : 'error').add();
      if (reason !== undefined) logger.info('a health check failed', { endpoint, name, reason });
    },
  });
  const reachable = async (): Promise<undefined> => {
    await storage.revision();
    return undefined;
  };
  health.add(PING);
  // A line is written before the call that logs it returns: a server that answers can log.
  health.add({ name: 'log', check: () => undefined });
  // The reference's name for its storage; dashboards and probes that exclude it know no other.
  health.add({ name: 'etcd', check: reachable });
  health.addTo('readyz', { name: 'etcd-readiness', check: reachable });
  for (const name of BOOT_HOOKS) health.addBootCheck(boot.check(name));
  return health;
}
