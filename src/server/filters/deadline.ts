/**
 * The deadline filter.
 *
 * Invariants: a request that is not long-running is answered at its deadline, or at most TICK_MS later, whatever its
 * endpoint does. A request that is answered synchronously costs no timer and no promise. An endpoint that exceeds the
 * deadline runs to its end, and its answer is discarded.
 */
import { parseDuration } from '../../apimachinery/scalars/duration.ts';
import { StatusError, statusOf } from '../../apimachinery/status/status.ts';
import { badRequest, timeout } from '../../apimachinery/status/status-catalogue.ts';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import { type Deadline, Deadlines } from '../deadlines.ts';
import { type Answer, startClosed } from '../http/exchange.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { statusAnswer } from '../http/respond.ts';
import type { RequestFilter, ServerRequest } from '../http/server-request.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The default and the maximum. The query parameter `timeout` may set less. */
  readonly requestTimeoutMs: number;
  readonly isLongRunning: (info: RequestInfo) => boolean;
  readonly metrics: RequestMetrics | undefined;
  /** Called with the 400 for a malformed timeout. The request is not authenticated yet. */
  readonly onRefused: (request: ServerRequest, answer: Answer) => void;
}

export function withDeadline(options: DeadlineOptions): RequestFilter {
  const { isLongRunning, requestTimeoutMs } = options;
  const pending = new Deadlines(options.clock);
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
      // 0 stands for the default, and the server's timeout is the maximum.
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
  pending: Deadlines,
  { logger, metrics }: DeadlineOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let expired = false;
    const entry: Deadline = {
      index: undefined,
      deadline: request.deadline,
      expire(): void {
        expired = true;
        metrics?.refused(request, 504);
        const failure = new StatusError(timeout('request did not complete within the allotted timeout', 0));
        request.failure = failure;
        resolve(statusAnswer(request, failure.status));
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
