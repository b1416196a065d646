/** The default logger of operators: one line of JSON per message, on the console. */
import { systemClock } from '../base/clock.ts';
import type { LogFields, Logger } from '../base/logger.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Writes messages of the level and above. Errors go to standard error on Node, with their stacks. */
export function consoleLogger(options: { readonly level?: LogLevel } = {}): Logger {
  const least = LEVELS.indexOf(options.level ?? 'info');
  const write = (level: LogLevel, message: string, fields: LogFields | undefined, error?: Error): void => {
    if (LEVELS.indexOf(level) < least) return;
    const time = new Date(systemClock.now()).toISOString();
    const line = JSON.stringify({
      time,
      level,
      message,
      ...fields,
      ...(error === undefined ? {} : { error: error.stack ?? error.message }),
    });
    // biome-ignore lint/suspicious/noConsole: this is the logger
    if (level === 'error') console.error(line);
    // biome-ignore lint/suspicious/noConsole: this is the logger
    else console.log(line);
  };
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, error, fields) => write('error', message, fields, error),
  };
}
