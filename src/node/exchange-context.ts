/** What the exchanges of one listener share, and how a handler is called: the one place where a handler that fails is caught. */
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
  /** No new requests: connections close after what runs. */
  draining: boolean;
}

/** A connection after its handshake, as the listener sees it. */
export interface ServedConnection extends Connection {
  readonly protocol: 'h2' | 'http/1.1';
  /** Refuses new requests and closes when the last one in progress ends. */
  drain(): void;
  /** Closes at once. */
  destroy(): void;
}

/** An exchange that can send. */
export interface Sender extends Incoming {
  send(answer: Answer): void;
  /** Breaks the answer off, whatever was sent. */
  cut(): void;
}

/** Calls the handler and sends its answer, at once if it is there at once. */
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
    // A header that HTTP does not allow, or a start() that throws.
    answerFailed(context, exchange, caught);
  }
}

/** Breaks off an answer that cannot be sent as it is. */
export function answerFailed(context: ExchangeContext, exchange: Sender, caught: unknown): void {
  report(context, exchange, caught, 'the answer to a request cannot be sent');
  exchange.cut();
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

/** Without the query, which may hold a token. */
function path(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

/** How long a reader may take for so many bytes. */
export function readerDeadline(context: ExchangeContext, bytes: number): number {
  const { limits, wheel } = context;
  return wheel.in(limits.stallTimeoutMs + (bytes * 1000) / limits.slowestReader);
}
