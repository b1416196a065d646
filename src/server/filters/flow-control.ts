/**
 * The flow control filter: limits the requests in flight and sets the flow of each request.
 *
 * Invariants: every admitted request is released exactly once, when its handler has answered or failed. Long-running
 * requests are never refused and are counted while they are open.
 */
import { isPromise } from '../../base/maybe-promise.ts';
import { MASTERS_GROUP } from '../authorizer.ts';
import type { FlowMatcher } from '../flow-matcher.ts';
import type { Answer } from '../http/exchange.ts';
import type { RequestFilter, ServerRequest } from '../http/server-request.ts';
import { type InFlightGate, inFlightKind, TOO_MANY_REQUESTS } from '../in-flight.ts';
import type { RunningWrites } from '../running-writes.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { type AnswerTracker, trackAnswer } from './tracked-answer.ts';

export interface FlowControlOptions {
  readonly gate: InFlightGate;
  readonly metrics: RequestMetrics | undefined;
  /** Without a matcher, answers have no flow headers. Connects belong to no flow. */
  readonly matcher: FlowMatcher | undefined;
  /** Tracks every running write that is not long-running. Undefined: writes are not tracked. */
  readonly writes: RunningWrites | undefined;
}

export function withFlowControl({ gate, metrics, matcher, writes }: FlowControlOptions): RequestFilter {
  return (next) => (request) => {
    const { info } = request;
    if (matcher !== undefined && (!request.longRunning || info.verb === 'watch'))
      request.flow = matcher.match(request.user, info);
    if (request.longRunning) {
      const answer = next(request);
      const track = (ready: Answer): Answer => trackAnswer(ready, longRunningTracker(gate, metrics, request));
      return isPromise(answer) ? answer.then(track) : track(answer);
    }
    const kind = inFlightKind(info.verb, false);
    let ticket = gate.acquire(kind, false);
    if (ticket === 'refused') {
      if (!request.user.groups.includes(MASTERS_GROUP)) {
        metrics?.refused(request, 429);
        return TOO_MANY_REQUESTS;
      }
      ticket = gate.acquire(kind, true);
    }
    const held = ticket;
    let answer: ReturnType<typeof next>;
    try {
      answer = next(request);
    } catch (caught) {
      gate.release(held);
      throw caught;
    }
    if (!isPromise(answer)) {
      gate.release(held);
      return answer;
    }
    const followed = kind === 'mutating' ? writes : undefined;
    followed?.begin(request);
    return answer.then(
      (ready) => {
        gate.release(held);
        followed?.end(request);
        return ready;
      },
      (caught) => {
        gate.release(held);
        followed?.end(request);
        throw caught;
      },
    );
  };
}

function longRunningTracker(
  gate: InFlightGate,
  metrics: RequestMetrics | undefined,
  request: ServerRequest,
): AnswerTracker {
  return {
    begin(): void {
      gate.acquire('longRunning', false);
      metrics?.longRunning(request, 1);
    },
    end(): void {
      gate.release('longRunning');
      metrics?.longRunning(request, -1);
    },
  };
}
