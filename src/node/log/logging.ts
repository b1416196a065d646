/**
 * Where log lines go: text for a person on a terminal, JSON (pino) for everything else, always to standard error. Invariant: what looks like a credential is
 * struck out of every text before it is written, whoever wrote it there; a line is written when the call returns, so none is lost when the process ends.
 */
import { writeSync } from 'node:fs';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { LogFields, Logger } from '../../base/logger.ts';

export interface LoggingOptions {
  readonly format: 'text' | 'json';
  /** klog's number: debug lines are written from 2 on. Default 0. */
  readonly verbosity?: number;
  /** A file descriptor. Default 2, standard error. */
  readonly descriptor?: number;
  readonly clock?: Clock;
}

const DEBUG_FROM = 2;
const STRUCK = '[redacted]';
/**
 * Authorization headers, bearer tokens (they have a digit; words after "bearer" mostly have none), JWTs (the first part begins as JSON does), private keys. Clients
 * choose some of what is logged, so each alternative begins at few places and looks at a bounded text, or at one that no other start looks at: the time is linear.
 */
const SECRETS =
  /\b(authorization["':=\s]{1,8}(?:bearer|basic)\s{1,8})[^\s"',]+|\b(bearer\s{1,8})(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}|(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,8192}?-----END [A-Z ]{0,40}PRIVATE KEY-----/gi;

/** The text without what looks like a credential. */
export function strikeSecrets(text: string): string {
  return text.replace(
    SECRETS,
    (_match, header: string | undefined, bearer: string | undefined) => `${header ?? bearer ?? ''}${STRUCK}`,
  );
}

/** Loads pino only for JSON: a person at a terminal need not wait for it. */
export async function createLogger(options: LoggingOptions): Promise<Logger> {
  return options.format === 'json' ? createJsonLogger(options) : createTextLogger(options);
}

async function createJsonLogger(options: LoggingOptions): Promise<Logger> {
  const { descriptor = 2, verbosity = 0, clock = systemClock } = options;
  // The default export is the one that a bundle of it has too.
  const { default: pino } = await import('pino');
  const logger = pino(
    {
      level: verbosity >= DEBUG_FROM ? 'debug' : 'info',
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    { write: (line: string) => writeAll(descriptor, strikeSecrets(line)) },
  );
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, error, fields) =>
      logger.error(error === undefined ? (fields ?? {}) : { ...fields, err: error }, message),
  };
}

function createTextLogger(options: LoggingOptions): Logger {
  const { descriptor = 2, verbosity = 0, clock = systemClock } = options;
  const write = (level: string, message: string, fields: LogFields | undefined, error?: Error): void => {
    const time = new Date(clock.now()).toTimeString().slice(0, 8);
    const lines = [`${time} ${level.padEnd(5)} ${message}${formatFields(fields)}`];
    for (let at: unknown = error; at instanceof Error; at = at.cause)
      lines.push(at === error ? (at.stack ?? String(at)) : `caused by ${at.stack ?? String(at)}`);
    writeAll(descriptor, strikeSecrets(`${lines.join('\n')}\n`));
  };
  return {
    debug: (message, fields) => {
      if (verbosity >= DEBUG_FROM) write('debug', message, fields);
    },
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, error, fields) => write('error', message, fields, error),
  };
}

function formatFields(fields: LogFields | undefined): string {
  return Object.entries(fields ?? {})
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => ` ${name}=${typeof value === 'string' && /[\s"=\p{Cc}]/u.test(value) ? quoted(value) : value}`,
    )
    .join('');
}

/** A client chose the text, and a terminal obeys control characters: none of them is left. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A pipe that is full for a moment is tried again; one that nobody reads any more loses the line, for there is nobody to tell. */
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
