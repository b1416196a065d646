/**
 * The log lines of requests that are answered with a server error: the reason of the Status, the error and its stack.
 * Invariant: an external error, such as a full disk, has at most one line per interval, however many requests fail.
 */
import { isStatusError, statusOf } from '../../apimachinery/status/status.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { isExternalError } from '../../base/errors.ts';
import { getField } from '../../base/json-value.ts';
import type { LogFields, Logger } from '../../base/logger.ts';
import type { Answer } from '../http/exchange.ts';
import { statusFromBytes } from './audit/audit-event.ts';

const INTERVAL_MS = 10_000;
const MESSAGE = 'a request was answered with an error';
/** The longest text of an answer that is logged. */
const MAX_TEXT = 500;

export class FailureLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #lastMessage = '';
  #lastAt = Number.NEGATIVE_INFINITY;
  #suppressed = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** `failure` is the error that the answer was made from; undefined if an endpoint returned the answer. */
  report(failure: Error | undefined, answer: Answer, fields: LogFields): void {
    if (failure === undefined) {
      this.#logger.error(MESSAGE, undefined, { ...fields, ...textOf(answer) });
      return;
    }
    const error = sourceOf(failure);
    const reason = statusOf(failure)?.reason;
    if (!isExternalError(error)) {
      this.#logger.error(MESSAGE, error, { ...fields, reason });
      return;
    }
    const now = this.#clock.monotonic();
    if (error.message === this.#lastMessage && now - this.#lastAt < INTERVAL_MS) {
      this.#suppressed++;
      return;
    }
    const suppressed = this.#suppressed === 0 ? undefined : this.#suppressed;
    this.#lastMessage = error.message;
    this.#lastAt = now;
    this.#suppressed = 0;
    this.#logger.error(MESSAGE, error, { ...fields, reason, suppressed });
  }
}

/** Returns the error behind a StatusError, which has the stack; the StatusError itself if it has no cause. */
function sourceOf(failure: Error): Error {
  return isStatusError(failure) && failure.cause instanceof Error ? failure.cause : failure;
}

/** Returns the reason and the text of an answer that was not made from an error. */
function textOf(answer: Answer): LogFields {
  if (answer.kind !== 'bytes' || answer.headers['content-encoding'] !== undefined) return {};
  const status = statusFromBytes(answer.body);
  if (status !== undefined) {
    const [reason, message] = [getField(status, 'reason'), getField(status, 'message')];
    return {
      reason: typeof reason === 'string' ? reason : undefined,
      error: typeof message === 'string' ? message : undefined,
    };
  }
  if (!String(answer.headers['content-type']).startsWith('text/plain')) return {};
  const lines = decodeUtf8(answer.body).trim().split('\n');
  // Health endpoints list their checks; those with a minus have failed.
  const failed = lines.filter((line) => line.startsWith('[-]'));
  return { error: (failed.length > 0 ? failed : lines).join('; ').slice(0, MAX_TEXT) };
}
