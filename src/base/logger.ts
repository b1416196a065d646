/** Logging as an interface: the platform writes the lines. Invariant: fields are plain data; nobody puts a secret, a token or a body into one. */

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** `error` is printed with its stack and causes. */
  error(message: string, error?: Error, fields?: LogFields): void;
}

/** Says nothing. */
export const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
