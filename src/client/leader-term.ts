/**
 * The term of a leader: the time for which a candidate knows that it holds the Lease.
 *
 * Invariants:
 * - A term ends no later than its deadline: `renewDeadlineMs` after the start of the last renewal that is known to have
 *   succeeded, on the holder's own clock. Other candidates wait for `leaseDurationMs`, which is longer.
 * - The deadline is not checked by a timer alone, because a process that was paused may run other code before the
 *   timer. `throwIfLost` and the signals' `aborted` and `throwIfAborted` read the clock, too.
 * - A term that is lost stays lost. The next term is another object.
 */
import { onAbort } from '../base/abort.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { Clock, Timer } from '../base/clock.ts';

/** One term as the leader. */
export interface LeaderTerm {
  /** The identity of the holder. */
  readonly identity: string;
  /** `spec.leaseTransitions` of the Lease: grows with every change of the holder. */
  readonly transitions: number;
  /** Aborts when the Lease is lost, when its deadline passes, and at stop. */
  readonly signal: AbortSignalLike;
  /**
   * Aborts when the Lease is lost and when its deadline passes, but not at stop: while the leader stops, it still holds
   * the Lease and may finish its work.
   */
  readonly lost: AbortSignalLike;
  /** The current deadline, in milliseconds of the monotonic clock. Each renewal moves it. */
  readonly deadline: number;
  /** Throws the reason of `lost` if the Lease is lost or the deadline has passed. */
  throwIfLost(): void;
}

/** A time on both clocks of a machine. */
export interface LocalTime {
  readonly monotonic: number;
  readonly now: number;
}

export function localTime(clock: Clock): LocalTime {
  return { monotonic: clock.monotonic(), now: clock.now() };
}

export interface HeldTermOptions {
  readonly clock: Clock;
  /** `namespace/name` of the Lease, for messages. */
  readonly lease: string;
  readonly identity: string;
  readonly transitions: number;
  readonly renewDeadlineMs: number;
  /** The start of the request that acquired the Lease. */
  readonly acquiredAt: LocalTime;
  /** Aborts the `signal` of the term, but not `lost`. */
  readonly stop: AbortSignalLike | undefined;
}

/** A term with the methods of its owner, the election. */
export class HeldTerm implements LeaderTerm {
  readonly identity: string;
  readonly transitions: number;
  readonly signal: AbortSignalLike;
  readonly lost: AbortSignalLike;
  readonly #options: HeldTermOptions;
  readonly #abortSignal = new AbortController();
  readonly #abortLost = new AbortController();
  readonly #stopListening: () => void;
  #renewedAt: LocalTime;
  #timer: Timer | undefined;
  #lost = false;

  constructor(options: HeldTermOptions) {
    this.#options = options;
    this.identity = options.identity;
    this.transitions = options.transitions;
    this.#renewedAt = options.acquiredAt;
    this.lost = readThrough(this.#abortLost.signal, () => this.#check());
    this.signal = readThrough(this.#abortSignal.signal, () => this.#check());
    this.#arm();
    this.#stopListening = onAbort(options.stop, (reason) => this.#abortSignal.abort(reason));
  }

  get deadline(): number {
    return this.#renewedAt.monotonic + this.#options.renewDeadlineMs;
  }

  throwIfLost(): void {
    this.lost.throwIfAborted();
  }

  /** Moves the deadline after a renewal whose request started at `startedAt`. A term that is lost stays lost. */
  renewed(startedAt: LocalTime): void {
    if (this.lost.aborted) return;
    this.#renewedAt = startedAt;
    this.#arm();
    this.#check();
  }

  /** Ends the term as lost. Only the first message is kept. */
  lose(message: string): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#timer?.cancel();
    const reason = new DOMException(`the Lease ${this.#options.lease} is lost: ${message}`, 'AbortError');
    this.#abortLost.abort(reason);
    this.#abortSignal.abort(reason);
  }

  /**
   * Whether the deadline has passed. Also used after the end of the term, for the request that releases the Lease. On
   * some systems the monotonic clock stands still while the machine is suspended, so the wall clock is checked, too:
   * the deadline has passed if it has passed on either clock. A wall clock that is set forward ends the term early,
   * which is safe.
   */
  get expired(): boolean {
    const { clock, renewDeadlineMs } = this.#options;
    return (
      clock.monotonic() - this.#renewedAt.monotonic >= renewDeadlineMs ||
      clock.now() - this.#renewedAt.now >= renewDeadlineMs
    );
  }

  /** Ends the term after its work has settled. Requests that the work has left behind can no longer start. */
  end(): void {
    this.#stopListening();
    this.lose('the term has ended');
  }

  #arm(): void {
    this.#timer?.cancel();
    const leftMs = this.deadline - this.#options.clock.monotonic();
    this.#timer = this.#options.clock.setTimer(Math.max(0, leftMs), () => this.#loseToDeadline());
  }

  #check(): void {
    if (!this.#lost && this.expired) this.#loseToDeadline();
  }

  #loseToDeadline(): void {
    this.lose(`it was not renewed for ${this.#options.renewDeadlineMs} ms`);
  }
}

/**
 * Makes the reads of a signal run `check` first, which may abort it. The signal stays an AbortSignal that every API
 * accepts.
 */
export function readThrough(signal: AbortSignalLike, check: () => void): AbortSignalLike {
  const aborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')?.get as (
    this: AbortSignal,
  ) => boolean;
  const throwIfAborted = AbortSignal.prototype.throwIfAborted;
  Object.defineProperties(signal, {
    aborted: {
      get(): boolean {
        if (!aborted.call(signal)) check();
        return aborted.call(signal);
      },
    },
    throwIfAborted: {
      value(): void {
        if (!aborted.call(signal)) check();
        throwIfAborted.call(signal);
      },
    },
  });
  return signal;
}
