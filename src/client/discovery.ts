/**
 * Discovery with a cache.
 * Invariants: one read of the server is in progress at a time, and at most one more is queued. A lookup that finds
 * nothing causes at most one read. Reads for unknown names are rate-limited, so that a program that asks for a
 * nonexistent kind does not load the server.
 */
import type { Transport } from '../apimachinery/http/transport.ts';
import { formatGroupVersion } from '../apimachinery/meta/gvk.ts';
import { StatusError } from '../apimachinery/status/status.ts';
import { notFound, serviceUnavailable } from '../apimachinery/status/status-catalogue.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Client } from './api.ts';
import {
  type DiscoveredResource,
  type DiscoverySnapshot,
  preferredResources,
  resourceNamed,
  resourceOfKind,
} from './discovered.ts';
import { type DiscoveryRoot, readRoot } from './discovery-documents.ts';

export interface DiscoveryOptions {
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** The age at which the content is read again. Default 10 minutes. */
  readonly maxAgeMs?: number;
}

export interface Discovery {
  /**
   * Returns the content, from the cache if it is not too old. Rejects if the server cannot be read and nothing is
   * cached.
   */
  snapshot(): Promise<DiscoverySnapshot>;
  /**
   * Reads the server, in a read that begins after this call. If the server sends ETags, unchanged content is not
   * transferred again.
   */
  refresh(): Promise<DiscoverySnapshot>;
  /** Makes the next call read the server. The last known resources of unavailable versions are kept. */
  invalidate(): void;
  /**
   * Finds the kind of an object or of an owner reference, in exactly this version. Reads the server again for an
   * unknown kind. Rejects with a NotFound if the kind does not exist, and with a ServiceUnavailable if the server of
   * its group does not answer, so that it may exist.
   */
  kindOf(apiVersion: string, kind: string): Promise<DiscoveredResource>;
  /**
   * Finds a resource by a name as kubectl accepts it: plural, singular, kind or short name, with or without group and
   * version, such as `deployments.apps`. Rejects like `kindOf`.
   */
  kindFor(name: string): Promise<DiscoveredResource>;
  /** Like `kindFor`, but resolves with undefined if the server does not have the resource. */
  find(name: string): Promise<DiscoveredResource | undefined>;
  /** Returns every resource that has all of the verbs, once, in its preferred version. Default: every resource. */
  resources(options?: { readonly verbs?: readonly string[] }): Promise<readonly DiscoveredResource[]>;
}

const MAX_AGE_MS = 600_000;
/** The rate limit of reads for unknown names: a burst of 10, then one per second. */
const BURST = 10;
const INTERVAL_MS = 1_000;

/** Creates a discovery. It reads nothing before the first call. */
export function createDiscovery(source: Client | Transport, options: DiscoveryOptions = {}): Discovery {
  const transport = typeof source === 'function' ? source : source.transport;
  return new CachedDiscovery(transport, options.clock ?? systemClock, options.maxAgeMs ?? MAX_AGE_MS);
}

class CachedDiscovery implements Discovery {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  #roots: readonly [core: DiscoveryRoot, groups: DiscoveryRoot] | undefined;
  #snapshot: DiscoverySnapshot | undefined;
  /** The monotonic time after which the content must be read again. */
  #expiresAt = 0;
  /** Counts invalidations. A read that began before an invalidation is too old for calls after it. */
  #turn = 0;
  #reading: { readonly turn: number; readonly snapshot: Promise<DiscoverySnapshot> } | undefined;
  /** The read that begins when the one in progress ends. */
  #queued: Promise<DiscoverySnapshot> | undefined;
  #allowance = BURST;
  #countedAt = 0;

  constructor(transport: Transport, clock: Clock, maxAgeMs: number) {
    this.#transport = transport;
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  async snapshot(): Promise<DiscoverySnapshot> {
    const known = this.#snapshot;
    if (known !== undefined && this.#clock.monotonic() < this.#expiresAt) return known;
    const shared = this.#reading?.turn === this.#turn ? this.#reading.snapshot : undefined;
    try {
      return await (shared ?? this.refresh());
    } catch (caught) {
      if (known === undefined) throw caught;
      return known;
    }
  }

  refresh(): Promise<DiscoverySnapshot> {
    if (this.#reading === undefined) return this.#start();
    this.#queued ??= settled(this.#reading.snapshot).then(() => {
      this.#queued = undefined;
      return this.#reading?.snapshot ?? this.#start();
    });
    return this.#queued;
  }

  invalidate(): void {
    this.#turn++;
    this.#expiresAt = Number.NEGATIVE_INFINITY;
  }

  async kindOf(apiVersion: string, kind: string): Promise<DiscoveredResource> {
    const found = await this.#search((snapshot) => resourceOfKind(snapshot, apiVersion, kind));
    if (found !== undefined) return found;
    throw this.#missing(
      `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
      (groupVersion) => groupVersion === apiVersion,
    );
  }

  async kindFor(name: string): Promise<DiscoveredResource> {
    const found = await this.find(name);
    if (found !== undefined) return found;
    const suffix = name.includes('.') ? name.slice(name.indexOf('.')) : '';
    throw this.#missing(
      `the server doesn't have a resource type ${JSON.stringify(name)}`,
      (_, group) => suffix === '' || suffix.endsWith(`.${group}`),
    );
  }

  find(name: string): Promise<DiscoveredResource | undefined> {
    return this.#search((snapshot) => resourceNamed(snapshot, name));
  }

  async resources(options: { readonly verbs?: readonly string[] } = {}): Promise<readonly DiscoveredResource[]> {
    return preferredResources(await this.snapshot(), options);
  }

  async #search(
    look: (snapshot: DiscoverySnapshot) => DiscoveredResource | undefined,
  ): Promise<DiscoveredResource | undefined> {
    const before = this.#snapshot;
    const snapshot = await this.snapshot();
    const found = look(snapshot);
    // No second read if this call has just read the server.
    if (found !== undefined || snapshot !== before || !this.#mayRead()) return found;
    return look(await this.refresh());
  }

  #mayRead(): boolean {
    const now = this.#clock.monotonic();
    this.#allowance = Math.min(BURST, this.#allowance + (now - this.#countedAt) / INTERVAL_MS);
    this.#countedAt = now;
    if (this.#allowance < 1) return false;
    this.#allowance--;
    return true;
  }

  #start(): Promise<DiscoverySnapshot> {
    const turn = this.#turn;
    const snapshot = this.#read(turn).finally(() => {
      this.#reading = undefined;
    });
    this.#reading = { turn, snapshot };
    return snapshot;
  }

  async #read(turn: number): Promise<DiscoverySnapshot> {
    const before = this.#roots;
    const [core, groups] = await Promise.all([
      readRoot('/api', { transport: this.#transport, before: before?.[0] }),
      readRoot('/apis', { transport: this.#transport, before: before?.[1] }),
    ]);
    if (turn === this.#turn) this.#expiresAt = this.#clock.monotonic() + this.#maxAgeMs;
    // Unchanged content keeps its identity.
    if (this.#snapshot !== undefined && core === before?.[0] && groups === before?.[1]) return this.#snapshot;
    this.#roots = [core, groups];
    this.#snapshot = {
      groups: [...core.groups, ...groups.groups],
      unavailable: [...core.unavailable, ...groups.unavailable],
    };
    return this.#snapshot;
  }

  #missing(message: string, concerns: (groupVersion: string, group: string) => boolean): StatusError {
    const cause = this.#snapshot?.unavailable.find((one) => concerns(formatGroupVersion(one), one.group));
    if (cause === undefined) return new StatusError({ ...notFound({ group: '', resource: '' }, ''), message });
    return new StatusError(
      serviceUnavailable(`${message}, and ${formatGroupVersion(cause)} cannot be read: ${cause.message}`),
    );
  }
}

function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => undefined,
    () => undefined,
  );
}
