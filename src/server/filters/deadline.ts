/**
 * How long a request may take. Invariant: a request that is not long-running is answered at its deadline at the latest
 * (give or take a tick), whatever its endpoint does; one that is answered at once costs no timer and no promise. What
 * is still at work after its deadline goes on, and its answer is thrown away.
 */
import { parseDuration } from '../../apimachinery/scalars/duration.ts';
import { statusOf } from '../../apimachinery/status/status.ts';
import { badRequest, timeout } from '../../apimachinery/status/status-catalogue.ts';
import { ArraySet, type ArraySetItem } from '../../base/array-set.ts';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import { type Answer, startClosed } from '../http/exchange.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { statusAnswer } from '../http/respond.ts';
import type { RequestFilter, ServerRequest } from '../http/server-request.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What a request gets at most, and by default; `timeout` in the query may ask for less. */
  readonly requestTimeoutMs: number;
  readonly isLongRunning: (info: RequestInfo) => boolean;
  readonly metrics: RequestMetrics | undefined;
  /** Told about a request that is refused here, before anybody knows whose it is. */
  readonly onRefused: (request: ServerRequest, answer: Answer) => void;
}

/** How coarse the deadlines are. One timer serves all requests. */
const TICK_MS = 250;

export function withDeadline(options: DeadlineOptions): RequestFilter {
  const { isLongRunning, requestTimeoutMs } = options;
  const pending = new PendingRequests(options.clock);
  return (next) => (request) => {
    if (isLongRunning(request.info)) {
      request.longRunning = true;
      return next(request);
    }
    let timeoutMs = requestTimeoutMs;
    const asked = request.info.params.size === 0 ? undefined : request.info.params.get('timeout')?.[0];
    if (asked !== undefined && asked !== '') {
      const parsed = parseDuration(asked);
      if (!parsed.ok) {
        const message = `invalid timeout specified in the request URL - ${parsed.message}`;
        const answer = statusAnswer(request, badRequest(message));
        options.onRefused(request, answer);
        return answer;
      }
      // 0 is no wish of the client; neither is more than the server gives.
      if (parsed.value > 0n) timeoutMs = Math.min(timeoutMs, Number(parsed.value) / 1e6);
    }
    request.deadline = request.startedAt + timeoutMs;
    const answer = next(request);
    return isPromise(answer) ? answerByDeadline(answer, request, pending, options) : answer;
  };
}

function answerByDeadline(
  answer: Promise<Answer>,
  request: ServerRequest,
  pending: PendingRequests,
  { logger, metrics }: DeadlineOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let expired = false;
    const entry: Entry = {
      index: undefined,
      deadline: request.deadline,
      expire(): void {
        expired = true;
        metrics?.refused(request, 504);
        resolve(statusAnswer(request, timeout('request did not complete within the allotted timeout', 0)));
      },
    };
    pending.add(entry);
    answer.then(
      (ready) => {
        if (expired) startClosed(ready);
        pending.delete(entry);
        resolve(ready);
      },
      (caught) => {
        pending.delete(entry);
        if (expired && statusOf(caught) === undefined)
          logger.error('a request failed after its deadline', toError(caught), { auditId: request.loggedAuditId });
        reject(caught);
      },
    );
  });
}

interface Entry extends ArraySetItem {
  readonly deadline: number;
  expire(): void;
}

/**
 * Requests that wait for their endpoints. The timer is armed when the first one comes and given up when a tick finds
 * nobody: not by every last one that leaves.
 */
class PendingRequests {
  readonly #clock: Clock;
  readonly #entries = new ArraySet<Entry>();
  #ticking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(entry: Entry): void {
    this.#entries.add(entry);
    if (!this.#ticking) this.#arm();
  }

  delete(entry: Entry): void {
    this.#entries.delete(entry);
  }

  #arm(): void {
    this.#ticking = true;
    this.#clock.setTimer(TICK_MS, () => this.#tick(), { background: true });
  }

  #tick(): void {
    this.#ticking = false;
    const now = this.#clock.monotonic();
    this.#entries.visitAll((entry) => {
      if (entry.deadline > now) return;
      this.#entries.delete(entry);
      entry.expire();
    });
    if (this.#entries.size > 0) this.#arm();
  }
}
