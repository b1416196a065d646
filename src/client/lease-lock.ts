/**
 * Acquires, renews and releases the Lease of an election for one candidate, with the rules of client-go's
 * tools/leaderelection.
 *
 * Invariants:
 * - Times of other machines are never compared. A candidate measures the duration of a Lease on its own monotonic
 *   clock, from the moment at which it first saw the current record.
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
  /** Another candidate holds the Lease, and its duration is not over. `holder` is '' if there is no holder. */
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

/** Used as the text of the record when the Lease is deleted. */
const DELETED = '(deleted)';

export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #leases: Api<Lease>;
  #lease: Stored<Lease> | undefined;
  /**
   * The record that was last seen, and the time at which it was first seen. The deletion of the Lease is a record, too.
   */
  #observed: { readonly text: string; readonly spec: Spec; readonly at: number } | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#leases = options.client.api(Lease, options.namespace);
  }

  /** The Lease as it was last read or written. Undefined if it did not exist. */
  get lease(): Stored<Lease> | undefined {
    return this.#lease;
  }

  /** The holder in the record that was last seen; '' for none. Undefined before a record was seen. */
  get holder(): string | undefined {
    return this.#observed === undefined ? undefined : (this.#observed.spec.holderIdentity ?? '');
  }

  /** Takes the Lease if it has no holder, if its duration is over, or if this candidate already is the holder. */
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
   * Renews the Lease that this candidate holds. It first writes over the record that it wrote last. If that fails with
   * a conflict, it reads the Lease: it renews its own record, creates a deleted Lease again, and does not touch the
   * record of another holder.
   */
  async renew(send: Send): Promise<LeaseAttempt> {
    try {
      return (await this.#renewLast(send)) ?? (await this.#renewPresent(send));
    } catch (caught) {
      return { kind: 'failed', error: toError(caught) };
    }
  }

  /**
   * Releases the Lease: writes a record without a holder and with a duration of one second, like client-go, so that
   * other candidates need not wait. Does nothing if this candidate no longer holds the Lease. Rejects if the outcome is
   * unknown.
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
   * Whether another candidate may still act as the holder. This is possible even after the deletion of the Lease:
   * another candidate may have taken and renewed it unseen, and learns of the deletion only at its next renewal.
   */
  #isHeldByOther(): boolean {
    if (this.#observed === undefined) return false;
    const { text, spec, at } = this.#observed;
    if (text !== DELETED && (this.holder === '' || this.holder === this.#options.identity)) return false;
    const durationMs = text === DELETED ? this.#options.leaseDurationMs : (spec.leaseDurationSeconds ?? 0) * 1000;
    return this.#options.clock.monotonic() < at + durationMs;
  }

  /**
   * Returns the record of a new holder. If the record is already its own, the acquisition time and the number of
   * transitions are kept.
   */
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
