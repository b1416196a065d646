/**
 * Leader election on a Lease, with client-go's rules (tools/leaderelection).
 * Invariant: the signals of a term abort no later than the deadline on the holder's own monotonic clock:
 * renewDeadlineMs after the start of the last renewal that is known to have succeeded. This is before another candidate
 * may take the Lease over (leaseDurationMs).
 *
 * This is stricter than client-go, whose leader may act for renewDeadline plus retryPeriod after its last renewal, and
 * whose checks depend on a timer.
 */
import { abortReason, onAbort } from '../base/abort.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import { type Clock, sleep, systemClock, type Timer } from '../base/clock.ts';
import { ConfigError, toError } from '../base/errors.ts';
import { type Logger, SILENT } from '../base/logger.ts';
import type { Client } from './api.ts';
import type { EventRecorder } from './events/event-recorder.ts';
import { HeldTerm, type LeaderTerm } from './leader-term.ts';
import { LeaseLock, type Send } from './lease-lock.ts';
import { timedCall } from './timed-call.ts';

export type { LeaderTerm } from './leader-term.ts';

export interface LeaderElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** Unique per candidate: `hostname_uuid`. */
  readonly identity: string;
  /**
   * How long other candidates wait for a renewal before they take the Lease over. Written in whole seconds, rounded up.
   * Default 15 s.
   */
  readonly leaseDurationMs?: number;
  /**
   * How long the leader may act after its last renewal. Default 10 s. Must be less than leaseDurationMs. The quotient
   * leaseDurationMs / renewDeadlineMs is the difference in speed between the clocks of two machines that the election
   * tolerates.
   */
  readonly renewDeadlineMs?: number;
  /** The time between two attempts. Default 2 s. Must be less than renewDeadlineMs / 1.2. */
  readonly retryPeriodMs?: number;
  /** Whether to release the Lease when the election is cancelled. Default true. */
  readonly releaseOnCancel?: boolean;
}

export interface LeaderElection {
  readonly client: Client;
  readonly options: LeaderElectionOptions;
  /**
   * The work of the leader. Called at the beginning of each term, and never concurrently: after a lost term the
   * election waits until `lead` has settled, and then tries to acquire the Lease again. The Lease is renewed until
   * `lead` has settled, also after a stop. If `lead` resolves while the Lease is held, the election ends. If `lead`
   * rejects, the election ends, too, unless the term is lost and the rejection is the reason of one of its signals.
   */
  lead(term: LeaderTerm): Promise<void>;
  /**
   * Called when the holder of the Lease has changed, also if this candidate is the new holder. '': there is no holder.
   * Must not throw.
   */
  readonly onHolder?: (identity: string) => void;
  /** Records events on the Lease when this candidate becomes the leader and when it stops leading. Default: none. */
  readonly recorder?: Pick<EventRecorder, 'normal'>;
  /** Ends the election: the term's `signal` aborts, and the Lease is released after `lead` has settled. */
  readonly signal?: AbortSignalLike;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  /** Returns a number in [0, 1). Default: Math.random. */
  readonly random?: () => number;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
}

/**
 * client-go's jitter factor: the wait between two attempts may exceed retryPeriodMs by this factor, and retryPeriodMs
 * times this factor must be less than renewDeadlineMs.
 */
const JITTER_FACTOR = 1.2;

/**
 * Takes part in an election until the signal aborts or `lead` ends it. Rejects with the error of `lead`, otherwise
 * resolves. Failed requests are logged and retried. Throws ConfigError for options that contradict each other.
 */
export async function runLeaderElection(election: LeaderElection): Promise<void> {
  await new Candidate(election).run();
}

type CompleteOptions = Required<LeaderElectionOptions>;

class Candidate {
  readonly #election: LeaderElection;
  readonly #options: CompleteOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #lease: string;
  readonly #lock: LeaseLock;
  #reportedHolder: string | undefined;

  constructor(election: LeaderElection) {
    this.#election = election;
    this.#options = completeElectionOptions(election.options);
    this.#clock = election.clock ?? systemClock;
    this.#logger = election.logger ?? SILENT;
    this.#lease = `${this.#options.namespace}/${this.#options.name}`;
    this.#lock = new LeaseLock({ ...this.#options, client: election.client, clock: this.#clock });
  }

  async run(): Promise<void> {
    for (let term = await this.#acquire(); term !== undefined; term = await this.#acquire())
      if (await this.#lead(term)) return;
  }

  get #stopped(): boolean {
    return this.#election.signal?.aborted === true;
  }

  /** Tries until this candidate holds the Lease. Resolves with undefined if the election is stopped. */
  async #acquire(): Promise<HeldTerm | undefined> {
    const { identity, renewDeadlineMs, retryPeriodMs } = this.#options;
    while (!this.#stopped) {
      // A write is not cancelled at a stop: its outcome would be unknown, and the Lease might stay held.
      const attempt = await this.#lock.acquire(this.#send(this.#election.signal), this.#send());
      this.#report();
      if (attempt.kind === 'held') {
        const term = new HeldTerm({
          clock: this.#clock,
          lease: this.#lease,
          identity,
          transitions: attempt.transitions,
          renewDeadlineMs,
          acquiredAt: attempt.startedAt,
          stop: this.#election.signal,
        });
        // The term may already be lost if the process was paused during the request.
        if (!term.lost.aborted) return term;
        term.end();
      } else if (attempt.kind === 'failed' && !this.#stopped)
        this.#logger.warn('cannot acquire the Lease', { lease: this.#lease, reason: attempt.error.message });
      await this.#wait(retryPeriodMs * (1 + JITTER_FACTOR * (this.#election.random ?? Math.random)()));
    }
    return undefined;
  }

  /** Leads for one term. Resolves with true if the election ends with it. */
  async #lead(term: HeldTerm): Promise<boolean> {
    this.#logger.info('became the leader', { lease: this.#lease, identity: term.identity });
    this.#recordEvent('became leader');
    const worked = new AbortController();
    const renewing = this.#renew(term, worked.signal);
    let overdue: Timer | undefined;
    const stopListening = onAbort(term.lost, () => (overdue = this.#warnOverdue()));
    const failure = await this.#work(term);
    stopListening();
    overdue?.cancel();
    worked.abort();
    await renewing;
    const held = !term.lost.aborted;
    term.end();
    if (held && this.#options.releaseOnCancel) await this.#release(term);
    this.#logger.info('stopped leading', { lease: this.#lease, identity: term.identity });
    this.#recordEvent('stopped leading');
    if (failure !== undefined) throw failure;
    return held || this.#stopped;
  }

  /** Runs `lead`. Resolves with its error, except for the reason of a lost term. */
  async #work(term: HeldTerm): Promise<Error | undefined> {
    if (this.#stopped) return undefined;
    try {
      await this.#election.lead(term);
      return undefined;
    } catch (caught) {
      const told = term.signal.aborted && (caught === term.signal.reason || caught === term.lost.reason);
      return told ? undefined : toError(caught);
    }
  }

  /** Warns if `lead` does not settle after its term is lost, because this candidate cannot lead again before. */
  #warnOverdue(): Timer {
    const { leaseDurationMs } = this.#options;
    const warn = (): void =>
      this.#logger.warn('the Lease is lost and the work of the leader has not ended', { lease: this.#lease });
    return this.#clock.setTimer(leaseDurationMs, warn, { background: true });
  }

  /** Renews the Lease until the work has ended or the term is lost. */
  async #renew(term: HeldTerm, worked: AbortSignal): Promise<void> {
    const { retryPeriodMs } = this.#options;
    const ended = AbortSignal.any([term.lost, worked]);
    let tookMs = 0;
    while (await this.#wait(Math.max(0, retryPeriodMs - tookMs), ended)) {
      const startedAt = this.#clock.monotonic();
      const attempt = await this.#lock.renew(this.#send(term.lost));
      this.#report();
      if (attempt.kind === 'held') term.renewed(attempt.startedAt);
      else if (attempt.kind === 'not-held')
        term.lose(attempt.holder === '' ? 'its holder was removed' : `it is held by ${attempt.holder}`);
      else if (!term.lost.aborted)
        this.#logger.warn('cannot renew the Lease', { lease: this.#lease, reason: attempt.error.message });
      tookMs = this.#clock.monotonic() - startedAt;
    }
    if (term.lost.aborted)
      this.#logger.warn('lost the Lease', { lease: this.#lease, reason: abortReason(term.lost).message });
  }

  /** Releases the Lease. The request must start before the deadline of the term, although the term has ended. */
  async #release(term: HeldTerm): Promise<void> {
    const send: Send = async (call) => {
      if (term.expired) throw abortReason(term.lost);
      return this.#send()(call);
    };
    try {
      await this.#lock.release(send);
      this.#report();
    } catch (caught) {
      this.#logger.warn('cannot release the Lease', { lease: this.#lease, reason: toError(caught).message });
    }
  }

  /** Limits each request to half of renewDeadlineMs, so that one request that hangs does not lose the Lease. */
  #send(signal?: AbortSignalLike): Send {
    const clock = this.#clock;
    const timeoutMs = this.#options.renewDeadlineMs / 2;
    return (call) => timedCall({ clock, timeoutMs, signal }, (signal) => call({ signal }));
  }

  /** Waits. Resolves with false if the signal aborts. */
  async #wait(delayMs: number, signal: AbortSignalLike | undefined = this.#election.signal): Promise<boolean> {
    try {
      await sleep(this.#clock, delayMs, signal === undefined ? {} : { signal });
      return true;
    } catch {
      // The signal aborted: nothing else rejects.
      return false;
    }
  }

  #recordEvent(change: string): void {
    const { lease } = this.#lock;
    if (lease !== undefined)
      this.#election.recorder?.normal(lease, 'LeaderElection', `${this.#options.identity} ${change}`);
  }

  #report(): void {
    const { holder } = this.#lock;
    if (holder === undefined || holder === this.#reportedHolder) return;
    this.#reportedHolder = holder;
    this.#logger.info('the holder of the Lease changed', { lease: this.#lease, holder });
    this.#election.onHolder?.(holder);
  }
}

/** Checks the options as client-go does, and sets the defaults of its core components. Throws ConfigError. */
export function completeElectionOptions(options: LeaderElectionOptions): CompleteOptions {
  const complete: CompleteOptions = {
    ...options,
    leaseDurationMs: options.leaseDurationMs ?? 15_000,
    renewDeadlineMs: options.renewDeadlineMs ?? 10_000,
    retryPeriodMs: options.retryPeriodMs ?? 2_000,
    releaseOnCancel: options.releaseOnCancel ?? true,
  };
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = complete;
  for (const field of ['namespace', 'name', 'identity'] as const)
    if (complete[field] === '') throw new ConfigError(`leader election: ${field} must not be empty`);
  for (const field of ['leaseDurationMs', 'renewDeadlineMs', 'retryPeriodMs'] as const)
    if (!(complete[field] > 0 && complete[field] < Number.POSITIVE_INFINITY))
      throw new ConfigError(`leader election: ${field} must be a number above 0, not ${complete[field]}`);
  if (leaseDurationMs <= renewDeadlineMs)
    throw new ConfigError(
      `leader election: leaseDurationMs (${leaseDurationMs}) must be greater than renewDeadlineMs (${renewDeadlineMs})`,
    );
  if (renewDeadlineMs <= JITTER_FACTOR * retryPeriodMs)
    throw new ConfigError(
      `leader election: renewDeadlineMs (${renewDeadlineMs}) must be greater than retryPeriodMs * ${JITTER_FACTOR} (${JITTER_FACTOR * retryPeriodMs})`,
    );
  return complete;
}
