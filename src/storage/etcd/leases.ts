/**
 * The leases of keys with a time to live. Keys that are written within a short time share one, because a lease is a
 * write of its own. The rules are those of the reference (`storage/etcd3/lease_manager.go`): a lease is granted for the
 * time to live and the time for which it is shared, and has at most 1,000 keys.
 */
import type { Clock } from '../../base/clock.ts';
import type { EtcdObserver } from './etcd-observer.ts';
import type { LeaseId } from './messages.ts';

/** The default of `--lease-reuse-duration-seconds`. */
export const DEFAULT_LEASE_REUSE_SECONDS = 60;
const MAX_KEYS = 1000;
/** A lease is shared for at most this part of the time to live. */
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
  /** The last lease of each time to live in seconds. */
  readonly #last = new Map<number, Promise<Lease>>();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** A lease that lasts at least as long. */
  async take(ttlMs: number): Promise<LeaseId> {
    const ttl = Math.min(Math.max(MIN_TTL_SECONDS, Math.ceil(ttlMs / 1000)), MAX_TTL_SECONDS);
    const { clock } = this.#options;
    for (;;) {
      const known = this.#last.get(ttl);
      const lease = known === undefined ? undefined : await known.catch(() => undefined);
      // It may have been forgotten meanwhile, or another caller may have asked for one.
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

  /** A lease that etcd no longer knows. */
  forget(id: LeaseId): void {
    for (const [ttl, last] of this.#last)
      void last.then(
        (lease) => {
          if (lease.id === id && this.#last.get(ttl) === last) this.#last.delete(ttl);
        },
        () => undefined, // `take` reports it
      );
  }

  /** `before`: the number of keys of the lease that this one follows. */
  async #grant(ttl: number, before: number): Promise<Lease> {
    const { clock, reuseSeconds, observer } = this.#options;
    const shared = Math.min(reuseSeconds, Math.floor(ttl * SHARED_PART));
    const begun = clock.monotonic();
    const seconds = Math.min(ttl + shared, MAX_TTL_SECONDS);
    const id = await this.#options.grant(seconds);
    observer?.leaseGranted(before + 1);
    // Without a time to share, the lease still serves the call that asked for it.
    return { id, expires: (shared > 0 ? begun : clock.monotonic() + 1000) + seconds * 1000, keys: 0 };
  }

  /** Bounds the map. There are few different times to live in practice. */
  #forgetOld(): void {
    if (this.#last.size >= MAX_KEYS) this.#last.clear();
  }
}
