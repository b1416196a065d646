/**
 * The logging interface; the platform writes the lines. Fields are plain data and must never contain a secret, a token
 * or a body.
 */

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** Logs the error with its stack and causes. */
  error(message: string, error?: Error, fields?: LogFields): void;
}

/** A logger that drops everything. */
export const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
