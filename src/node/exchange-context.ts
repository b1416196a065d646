/**
 * State that all exchanges of one listener share, and the call of the handler. Exceptions of handlers are caught here
 * and nowhere else.
 */
import { BugError, toError } from '../base/errors.ts';
import { isPromise } from '../base/maybe-promise.ts';
import type { Answer, Connection, Handler, Incoming } from '../server/http/exchange.ts';
import type { DeadlineWheel } from './deadline-wheel.ts';
import type { ListenerLimits } from './limits.ts';
import type { ProblemReports } from './problems.ts';

export interface ExchangeContext {
  readonly handler: Handler;
  readonly limits: ListenerLimits;
  readonly wheel: DeadlineWheel;
  readonly problems: ProblemReports;
  /**
   * True once the listener drains: no new requests are accepted, and connections close after their last running
   * request.
   */
  draining: boolean;
  /** Decides per request of an HTTP/2 connection whether the connection ends after its requests. Undefined: never. */
  readonly endsConnection?: (() => boolean) | undefined;
}

/** The interface of an established connection that the listener uses. */
export interface ServedConnection extends Connection {
  readonly protocol: 'h2' | 'http/1.1';
  /** Refuses new requests and closes when the last one in progress ends. */
  drain(): void;
  /** Closes at once. */
  destroy(): void;
}

/** A request whose answer can be sent. */
export interface Sender extends Incoming {
  /**
   * Sends the answer; called at most once. Throws if HTTP does not allow a header, or if the answer's `start` throws.
   */
  send(answer: Answer): void;
  /** Resets the stream, or closes the HTTP/1.1 connection, whatever was sent so far. */
  abort(): void;
}

/** Calls the handler and sends its answer, synchronously if the handler answers synchronously. */
export function handle(context: ExchangeContext, exchange: Sender): void {
  let answer: ReturnType<Handler>;
  try {
    answer = context.handler(exchange);
  } catch (caught) {
    fail(context, exchange, caught);
    return;
  }
  if (isPromise(answer)) {
    answer.then(
      (ready) => trySend(context, exchange, ready),
      (caught) => fail(context, exchange, caught),
    );
  } else trySend(context, exchange, answer);
}

function trySend(context: ExchangeContext, exchange: Sender, answer: Answer): void {
  try {
    exchange.send(answer);
  } catch (caught) {
    // HTTP does not allow a header of the answer, or the answer's `start` threw.
    answerFailed(context, exchange, caught);
  }
}

/** Reports and aborts an answer that cannot be sent. */
export function answerFailed(context: ExchangeContext, exchange: Sender, caught: unknown): void {
  report(context, exchange, caught, 'the answer to a request cannot be sent');
  exchange.abort();
}

const FAILED = new TextEncoder().encode('Internal Server Error\n');

function fail(context: ExchangeContext, exchange: Sender, caught: unknown): void {
  report(context, exchange, caught, 'the handler of a request failed');
  trySend(context, exchange, {
    kind: 'bytes',
    status: 500,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: FAILED,
  });
}

function report(context: ExchangeContext, exchange: Sender, caught: unknown, what: string): void {
  const cause = toError(caught);
  const problem = new BugError(`${what}: ${exchange.method} ${path(exchange.target)}: ${cause.message}`, { cause });
  context.problems.report('handler-failed', exchange.connection.remoteAddress, problem.message, problem);
}

/** Removes the query, which may contain a token. */
function path(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

/** Extends the deadline of a client that has made a progress of `bytes`. Little progress gives little more time. */
export function extendDeadline(context: ExchangeContext, deadline: number, bytes: number): number {
  return Math.min(deadline + (bytes * 1000) / context.limits.slowestReader, readerDeadline(context, bytes));
}

/** Returns the deadline for a client that has `bytes` to read. */
export function readerDeadline(context: ExchangeContext, bytes: number): number {
  const { limits, wheel } = context;
  return wheel.in(limits.stallTimeoutMs + (bytes * 1000) / limits.slowestReader);
}
