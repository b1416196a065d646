/**
 * The Lease of an election as one candidate sees it, with the rules of client-go's tools/leaderelection.
 *
 * Invariants:
 * - Times of other machines are never compared. A candidate counts the duration of a Lease on its own monotonic clock,
 *   from the moment at which it first saw the present record.
 * - Every write names the resourceVersion that was read, so a write that arrives late changes nothing.
 * - Fields of the Lease that the election does not own (labels, `strategy`, `preferredHolder`) are kept.
 */
import { formatMicroTime, instantFromMillis } from '../apimachinery/scalars/time.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../apimachinery/status/status.ts';
import type { Clock } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import { Lease, type LeaseSpec } from '../kinds/api/coordination/v1.ts';
import type { Api, CallOptions, Client } from './api.ts';
import { type LocalTime, localTime } from './leader-term.ts';
import type { DeepReadonly, Stored } from './object-types.ts';

type Spec = DeepReadonly<LeaseSpec>;

/** The result of one attempt to take or renew the Lease. */
export type LeaseAttempt =
  | {
      readonly kind: 'held';
      /** The start of the request that wrote the Lease. */
      readonly startedAt: LocalTime;
      readonly transitions: number;
    }
  /** Held by another candidate, whose time is not over. `holder` is '' if nobody holds it. */
  | { readonly kind: 'not-held'; readonly holder: string }
  /** The outcome of the last request is unknown, or another candidate was faster. */
  | { readonly kind: 'failed'; readonly error: Error };

export interface LeaseLockOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** Sends one request. Rejects if it may not start, is not answered in time, or fails. */
export type Send = <R>(call: (options: CallOptions) => Promise<R>) => Promise<R>;

/** Stands for the text of a record. */
const DELETED = '(deleted)';

export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #leases: Api<Lease>;
  #lease: Stored<Lease> | undefined;
  /** The record that was last seen, and when it was seen first. The deletion of the Lease is a record, too. */
  #observed: { readonly text: string; readonly spec: Spec; readonly at: number } | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#leases = options.client.api(Lease, options.namespace);
  }

  /** The Lease as it was last read or written. undefined if it did not exist then. */
  get lease(): Stored<Lease> | undefined {
    return this.#lease;
  }

  /** The holder of the record that was last seen, '' for none. undefined before a record was seen. */
  get holder(): string | undefined {
    return this.#observed === undefined ? undefined : (this.#observed.spec.holderIdentity ?? '');
  }

  /** Takes the Lease if it is free, or its time is over, or it has this identity already. */
  async acquire(read: Send, send: Send): Promise<LeaseAttempt> {
    try {
      const lease = await this.#read(read);
      if (this.#isHeldByOther()) return { kind: 'not-held', holder: this.holder ?? '' };
      return await (lease === undefined ? this.#create(send) : this.#update(send, lease, this.#takenOver(lease.spec)));
    } catch (caught) {
      return { kind: 'failed', error: toError(caught) };
    }
  }

  /**
   * Renews the Lease that this candidate holds. First writes over the record that it wrote last. If that record has
   * changed it reads the Lease: it renews its own record, creates a Lease that was deleted, and leaves any other record
   * alone.
   */
  async renew(send: Send): Promise<LeaseAttempt> {
    try {
      return (await this.#renewLast(send)) ?? (await this.#renewPresent(send));
    } catch (caught) {
      return { kind: 'failed', error: toError(caught) };
    }
  }

  /**
   * Gives the Lease up: no holder, and one second, as client-go writes it, so that other candidates need not wait. Does
   * nothing if the Lease is not held any more. Rejects if that is unknown.
   */
  async release(send: Send): Promise<void> {
    const last = this.#lease;
    try {
      if (last !== undefined) await this.#write(send, last, this.#released(last.spec));
    } catch (caught) {
      if (isNotFound(caught)) return;
      if (!isConflict(caught)) throw caught;
      const present = await this.#read(send);
      if (present?.spec?.holderIdentity === this.#options.identity)
        await this.#write(send, present, this.#released(present.spec));
    }
  }

  async #renewLast(send: Send): Promise<LeaseAttempt | undefined> {
    if (this.#lease === undefined || this.holder !== this.#options.identity) return undefined;
    try {
      return await this.#update(send, this.#lease, this.#renewed(this.#lease.spec));
    } catch (caught) {
      if (isConflict(caught) || isNotFound(caught)) return undefined;
      throw caught;
    }
  }

  async #renewPresent(send: Send): Promise<LeaseAttempt> {
    const lease = await this.#read(send);
    if (lease === undefined) return await this.#create(send);
    if (this.holder !== this.#options.identity) return { kind: 'not-held', holder: this.holder ?? '' };
    return await this.#update(send, lease, this.#renewed(lease.spec));
  }

  async #read(send: Send): Promise<Stored<Lease> | undefined> {
    const lease = await send((options) => this.#leases.find(this.#options.name, options));
    this.#lease = lease;
    if (lease !== undefined) this.#observe(JSON.stringify(lease.spec ?? {}), lease.spec ?? {});
    else if (this.#observed !== undefined) this.#observe(DELETED, this.#observed.spec);
    return lease;
  }

  async #create(send: Send): Promise<LeaseAttempt> {
    const { namespace, name } = this.#options;
    const spec: Spec = { ...this.#renewed(undefined), acquireTime: this.#time(), leaseTransitions: 0 };
    const startedAt = localTime(this.#options.clock);
    try {
      this.#wrote(await send((options) => this.#leases.create({ metadata: { namespace, name }, spec }, options)));
    } catch (caught) {
      // Another candidate was faster; the next attempt reads its record.
      if (isAlreadyExists(caught)) return { kind: 'failed', error: toError(caught) };
      throw caught;
    }
    return { kind: 'held', startedAt, transitions: 0 };
  }

  async #update(send: Send, lease: Stored<Lease>, spec: Spec): Promise<LeaseAttempt> {
    const startedAt = localTime(this.#options.clock);
    await this.#write(send, lease, spec);
    return { kind: 'held', startedAt, transitions: spec.leaseTransitions ?? 0 };
  }

  async #write(send: Send, lease: Stored<Lease>, spec: Spec): Promise<void> {
    const object = { metadata: lease.metadata, spec };
    this.#wrote(await send((options) => this.#leases.update(object, options)));
  }

  #wrote(lease: Stored<Lease>): void {
    this.#lease = lease;
    this.#observe(JSON.stringify(lease.spec ?? {}), lease.spec ?? {});
  }

  #observe(text: string, spec: Spec): void {
    if (text !== this.#observed?.text) this.#observed = { text, spec, at: this.#options.clock.monotonic() };
  }

  /**
   * Whether another candidate may still act as the holder. It may after the deletion of a Lease that this candidate
   * knew: another one may have taken and renewed it unseen, and learns of the deletion only at its next renewal.
   */
  #isHeldByOther(): boolean {
    if (this.#observed === undefined) return false;
    const { text, spec, at } = this.#observed;
    if (text !== DELETED && (this.holder === '' || this.holder === this.#options.identity)) return false;
    const durationMs = text === DELETED ? this.#options.leaseDurationMs : (spec.leaseDurationSeconds ?? 0) * 1000;
    return this.#options.clock.monotonic() < at + durationMs;
  }

  /** The record of a new holder. One who finds its own record keeps the time and the number of its acquisition. */
  #takenOver(before: Spec | undefined): Spec {
    if (before?.holderIdentity === this.#options.identity) return this.#renewed(before);
    return {
      ...this.#renewed(before),
      acquireTime: this.#time(),
      leaseTransitions: (before?.leaseTransitions ?? 0) + 1,
    };
  }

  #renewed(before: Spec | undefined): Spec {
    const { identity, leaseDurationMs } = this.#options;
    // Rounded up: other candidates must not wait for less than leaseDurationMs.
    const leaseDurationSeconds = Math.ceil(leaseDurationMs / 1000);
    return { ...before, holderIdentity: identity, leaseDurationSeconds, renewTime: this.#time() };
  }

  #released(before: Spec | undefined): Spec {
    const time = this.#time();
    return { ...before, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
  }

  #time(): string {
    return formatMicroTime(instantFromMillis(this.#options.clock.now()));
  }
}
