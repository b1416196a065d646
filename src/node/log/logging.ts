/**
 * The loggers: text lines for a terminal, JSON lines (pino) otherwise, both to standard error by default.
 * Invariants: everything that looks like a credential is redacted before a line is written. A line is written when the
 * call returns, so none is lost when the process ends.
 */
import { writeSync } from 'node:fs';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { createTextLogger } from './text-logger.ts';

export interface LoggingOptions {
  readonly format: 'text' | 'json';
  /** klog's verbosity. Debug lines are written from 2 on. Default 0. */
  readonly verbosity?: number;
  /** A file descriptor. Default 2, standard error. */
  readonly descriptor?: number;
  readonly clock?: Clock;
  /** Whether text lines are coloured. Default false. */
  readonly colour?: boolean;
}

const DEBUG_FROM = 2;
const REDACTED = '[redacted]';
/**
 * Matches Authorization headers, bearer tokens (they contain a digit; words after "bearer" usually do not), JWTs (their
 * first part encodes `{"`) and private keys. Clients control parts of log lines, so matching must take linear time:
 * each alternative starts at few positions, and scans either a bounded text or one that no other start scans.
 */
const SECRETS =
  /\b(authorization["':=\s]{1,8}(?:bearer|basic)\s{1,8})[^\s"',]+|\b(bearer\s{1,8})(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}|(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,8192}?-----END [A-Z ]{0,40}PRIVATE KEY-----/gi;

/** Replaces everything that looks like a credential. */
export function redactSecrets(text: string): string {
  return text.replace(
    SECRETS,
    (_match, header: string | undefined, bearer: string | undefined) => `${header ?? bearer ?? ''}${REDACTED}`,
  );
}

/** Creates a logger. Loads pino only for JSON, because loading takes time. */
export async function createLogger(options: LoggingOptions): Promise<Logger> {
  if (options.format === 'json') return createJsonLogger(options);
  const { descriptor = 2, verbosity = 0, clock = systemClock, colour = false } = options;
  const write = (text: string): void => writeAll(descriptor, text);
  return createTextLogger({ clock, debug: verbosity >= DEBUG_FROM, colour, redact: redactSecrets, write });
}

async function createJsonLogger(options: LoggingOptions): Promise<Logger> {
  const { descriptor = 2, verbosity = 0, clock = systemClock } = options;
  // A bundle of pino has only the default export.
  const { default: pino } = await import('pino');
  const logger = pino(
    {
      level: verbosity >= DEBUG_FROM ? 'debug' : 'info',
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    { write: (line: string) => writeAll(descriptor, redactSecrets(line)) },
  );
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, error, fields) =>
      logger.error(error === undefined ? (fields ?? {}) : { ...fields, err: error }, message),
  };
}

/**
 * Retries a full pipe for up to 100 ms. On any other error, such as a closed pipe, the line is lost: there is no other
 * place to report it.
 */
function writeAll(descriptor: number, text: string): void {
  let left = Buffer.from(text);
  for (let attempts = 0; left.length > 0 && attempts < 100; ) {
    try {
      left = left.subarray(writeSync(descriptor, left));
    } catch (caught) {
      const { code } = caught as NodeJS.ErrnoException;
      if (code !== 'EAGAIN') return;
      attempts++;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
