/**
 * Deletes keys whose time to live is over.
 * Invariant: a key is never deleted before its commit plus its time to live. While the store is open, a key is deleted
 * at most about two seconds later: sweeps are at least one second apart, and a sweep skips keys that expired less than
 * one second ago, whose commit may have been slow.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { isStorageError } from '../errors.ts';
import type { Revision } from '../storage.ts';
import type { Database } from './database.ts';
import type { KeyChange } from './key-version.ts';
import { type ExpiryKey, type Position, revisionOf } from './layout.ts';

const GRACE_MS = 1000;
const SWEEP_MS = 1000;
const RETRY_MS = 5000;
/** The most keys that a sweep deletes in one step. */
const SLICE = 256;

export interface ExpiryOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** The acknowledged revision. */
  readonly revision: () => Revision;
  readonly remove: (key: string, expected: Revision) => Promise<unknown>;
  readonly problem: (error: Error) => void;
}

export class Expiry {
  readonly #options: ExpiryOptions;
  /** Records whose commit took longer than `GRACE_MS`, with the time of their commit plus their time to live. */
  readonly #late = new Map<Position, number>();
  #timer: Timer | undefined;
  #due = Number.POSITIVE_INFINITY;
  #lastSweep = Number.NEGATIVE_INFINITY;
  #sweeping = false;
  #stopped = false;

  constructor(options: ExpiryOptions) {
    this.#options = options;
  }

  /** Schedules a sweep for the key that expires first. Also called after each sweep. */
  start(): void {
    const first = this.#entries(1)[0];
    if (first !== undefined) this.#arm(first.at);
  }

  /** Called after each commit with its changes. */
  committed(changes: readonly KeyChange[]): void {
    const now = this.#options.clock.now();
    for (const { expires, time, position, replacesPosition } of changes) {
      if (this.#late.size > 0) this.#late.delete(replacesPosition);
      if (expires === 0) continue;
      const lag = now - time;
      if (lag >= GRACE_MS) this.#late.set(position, expires + lag);
      this.#arm(expires);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(at: number): void {
    const due = Math.max(at + GRACE_MS, this.#lastSweep + SWEEP_MS);
    if (this.#stopped || this.#sweeping || due >= this.#due) return;
    this.#timer?.cancel();
    this.#due = due;
    const delay = Math.max(0, due - this.#options.clock.now());
    this.#timer = this.#options.clock.setTimer(delay, () => void this.#sweep(), { background: true });
  }

  async #sweep(): Promise<void> {
    const { clock, problem } = this.#options;
    this.#sweeping = true;
    this.#due = Number.POSITIVE_INFINITY;
    this.#timer = undefined;
    let again = 0;
    try {
      let full = true;
      while (full && !this.#stopped) {
        const entries = this.#entries(SLICE).filter((entry) => entry.at + GRACE_MS <= clock.now());
        full = entries.length === SLICE && !entries.some((entry) => this.#late.has(entry.position));
        await Promise.all(entries.map((entry) => this.#expire(entry)));
      }
    } catch (caught) {
      if (!isStorageError(caught, 'Closed')) problem(toError(caught));
      again = RETRY_MS;
    }
    this.#sweeping = false;
    this.#lastSweep = clock.now() + again;
    if (!this.#stopped) this.start();
  }

  async #expire(entry: ExpiryKey): Promise<void> {
    if ((this.#late.get(entry.position) ?? 0) > this.#options.clock.now()) return;
    this.#late.delete(entry.position);
    const record = this.#options.database.record(entry.position);
    // If the key was written meanwhile, it has another revision and is not deleted.
    if (record !== undefined) await this.#options.remove(record.key, revisionOf(entry.position));
  }

  #entries(limit: number): ExpiryKey[] {
    const current = this.#options.revision();
    const found = [...this.#options.database.expiry.getKeys({ start: undefined, end: undefined, limit })];
    return found.filter((entry) => revisionOf(entry.position) <= current);
  }
}
