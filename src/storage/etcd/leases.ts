/**
 * The leases of keys with a time to live. Keys that are written within a short time share a lease, because granting a
 * lease is a write. The rules are those of kube-apiserver (`storage/etcd3/lease_manager.go`): a lease is granted for
 * the time to live plus the time for which it is shared, and has at most 1,000 keys.
 */
import type { Clock } from '../../base/clock.ts';
import type { EtcdObserver } from './etcd-observer.ts';
import type { LeaseId } from './messages.ts';

/** The default of `--lease-reuse-duration-seconds`. */
export const DEFAULT_LEASE_REUSE_SECONDS = 60;
const MAX_KEYS = 1000;
/** A lease is shared for at most this fraction of the time to live. */
const SHARED_PART = 0.05;
/** etcd's `MaxLeaseTTL`. */
const MAX_TTL_SECONDS = 9_000_000_000;
/** The shortest lease that etcd grants with its default timing. */
const MIN_TTL_SECONDS = 2;

export interface LeasesOptions {
  readonly clock: Clock;
  readonly reuseSeconds: number;
  grant(ttlSeconds: number): Promise<LeaseId>;
  readonly observer?: EtcdObserver | undefined;
}

interface Lease {
  readonly id: LeaseId;
  /** On the monotonic clock. */
  readonly expires: number;
  keys: number;
}

export class Leases {
  readonly #options: LeasesOptions;
  /** The newest lease by time to live in seconds. */
  readonly #last = new Map<number, Promise<Lease>>();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /**
   * Returns a lease that lasts at least `ttlMs`, and counts one more key for it. Rejects if etcd does not grant one.
   */
  async take(ttlMs: number): Promise<LeaseId> {
    const ttl = Math.min(Math.max(MIN_TTL_SECONDS, Math.ceil(ttlMs / 1000)), MAX_TTL_SECONDS);
    const { clock } = this.#options;
    for (;;) {
      const known = this.#last.get(ttl);
      const lease = known === undefined ? undefined : await known.catch(() => undefined);
      // While this call waited, the lease may have been forgotten, or another caller may have replaced it.
      if (this.#last.get(ttl) !== known) continue;
      if (lease !== undefined && lease.keys < MAX_KEYS && lease.expires - clock.monotonic() >= ttl * 1000) {
        lease.keys++;
        return lease.id;
      }
      this.#forgetOld();
      this.#last.set(ttl, this.#grant(ttl, lease?.keys ?? 0));
      await this.#last.get(ttl);
    }
  }

  /** Called when etcd no longer knows a lease: the next `take` gets a new one. */
  forget(id: LeaseId): void {
    for (const [ttl, last] of this.#last)
      void last.then(
        (lease) => {
          if (lease.id === id && this.#last.get(ttl) === last) this.#last.delete(ttl);
        },
        () => undefined, // `take` reports the failure
      );
  }

  /** `before` is the number of keys of the previous lease. */
  async #grant(ttl: number, before: number): Promise<Lease> {
    const { clock, reuseSeconds, observer } = this.#options;
    const shared = Math.min(reuseSeconds, Math.floor(ttl * SHARED_PART));
    const begun = clock.monotonic();
    const seconds = Math.min(ttl + shared, MAX_TTL_SECONDS);
    const id = await this.#options.grant(seconds);
    observer?.leaseGranted(before + 1);
    // A lease that is not shared must still pass the check of the `take` that requested it, so its expiry is set a
    // second later.
    return { id, expires: (shared > 0 ? begun : clock.monotonic() + 1000) + seconds * 1000, keys: 0 };
  }

  /** Bounds `#last`. In practice there are few different times to live. */
  #forgetOld(): void {
    if (this.#last.size >= MAX_KEYS) this.#last.clear();
  }
}
