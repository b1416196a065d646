/**
 * The results of a reconcile. Invariant: every result is one of the four of the union; `checkResult` turns any other
 * value that a reconcile function returns into a failure.
 */
import { formatDuration, parseDuration } from '../apimachinery/scalars/duration.ts';
import { BugError, ConfigError, toError } from '../base/errors.ts';

/** A time span: milliseconds, or a number with a unit, such as `'30s'`, `'1.5h'` or `'250ms'`. */
export type TimeSpan = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

/** The object is as desired. The key is reconciled again when one of its watches reports a change. */
export interface DoneResult {
  readonly result: 'done';
}

/** The key is reconciled again after the delay, or earlier if one of its watches reports a change. */
export interface AfterResult {
  readonly result: 'after';
  readonly delayMs: number;
}

/** The key is reconciled again with exponential backoff. */
export interface FailedResult {
  readonly result: 'failed';
  readonly error: Error;
}

/** The failure is reported, and the key is not retried until one of its watches reports a change. */
export interface TerminalResult {
  readonly result: 'terminal';
  readonly error: Error;
}

export type Result = DoneResult | AfterResult | FailedResult | TerminalResult;

export const done: DoneResult = Object.freeze({ result: 'done' });

/**
 * Returns the result that requeues the key after a delay. A span of 0 reconciles the key again at once. Throws BugError
 * for a negative or malformed time span.
 */
export function after(span: TimeSpan): AfterResult {
  return { result: 'after', delayMs: toMilliseconds(span) };
}

/**
 * Returns a failure. Unlike throwing the error, the status that the reconcile has set is applied. If `error` is a
 * string, it is logged without a stack.
 */
export function failed(error: unknown): FailedResult {
  return { result: 'failed', error: asError(error) };
}

/**
 * Returns a failure that a retry cannot fix, such as an invalid spec. If `error` is a string, it is logged without a
 * stack.
 */
export function terminal(error: unknown): TerminalResult {
  return { result: 'terminal', error: asError(error) };
}

function asError(error: unknown): Error {
  return typeof error === 'string' ? new ConfigError(error) : toError(error);
}

/** Converts a time span. Throws BugError if it is negative, not finite or malformed. */
export function toMilliseconds(span: TimeSpan): number {
  if (typeof span === 'number') {
    if (Number.isFinite(span) && span >= 0) return span;
    throw new BugError(`${span} is not a time span: use milliseconds of at least 0`);
  }
  const parsed = parseDuration(span);
  if (parsed.ok && parsed.value >= 0n) return Number(parsed.value) / 1e6;
  throw new BugError(`${JSON.stringify(span)} is not a time span: use a form such as '30s' or '5m'`);
}

/**
 * Checks the value that a reconcile function has returned. Undefined and null count as `done`. A value that is not a
 * Result becomes a failure whose message shows the value.
 */
export function checkResult(value: unknown): Result {
  if (value === undefined || value === null) return done;
  if (typeof value === 'object' && 'result' in value) {
    const given = value as { result: unknown; delayMs?: unknown; error?: unknown };
    if (given.result === 'done') return done;
    if (given.result === 'after' && typeof given.delayMs === 'number' && given.delayMs >= 0) return value as Result;
    if (given.result === 'failed' || given.result === 'terminal')
      return { result: given.result, error: asError(given.error) };
  }
  return failed(
    new BugError(
      `the reconcile function returned ${describe(value)}: return done, after(...), failed(...), terminal(...) or nothing`,
    ),
  );
}

/** Formats a result for log lines: `after 30s`, `done`. */
export function formatResult(result: Result): string {
  return result.result === 'after' ? `after ${formatMilliseconds(result.delayMs)}` : result.result;
}

/** Formats a duration like Go: `1m30s`. */
export function formatMilliseconds(ms: number): string {
  return formatDuration(BigInt(Math.round(ms * 1e6)));
}

function describe(value: unknown): string {
  const text = typeof value === 'object' ? safeJson(value) : String(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
