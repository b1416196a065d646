/**
 * The logger for people: one short line per message. An error follows its message on the same line. The stack comes
 * below it, unless the cause lies outside of the program (`isExternalError`).
 */
import type { Clock } from '../../base/clock.ts';
import { isExternalError } from '../../base/errors.ts';
import type { LogFields, Logger } from '../../base/logger.ts';
import { type Colour, paint } from './colour.ts';

export interface TextLoggerOptions {
  readonly clock: Clock;
  readonly debug: boolean;
  readonly colour: boolean;
  /** Removes credentials. Called before colours are added, because their codes hide the start of a word. */
  readonly redact: (text: string) => string;
  /** Called with whole lines. */
  readonly write: (text: string) => void;
}

type Level = 'debug' | 'info' | 'warn' | 'error';

const LEVEL_COLOURS: Readonly<Record<Level, Colour>> = { debug: 'grey', info: 'cyan', warn: 'yellow', error: 'red' };

export function createTextLogger({ clock, debug, colour, redact, write }: TextLoggerOptions): Logger {
  const tint = colour ? paint : (_colour: Colour, text: string): string => text;
  const log = (level: Level, message: string, fields: LogFields | undefined, error?: Error): void => {
    const time = tint('grey', new Date(clock.now()).toTimeString().slice(0, 8));
    const text = redact(visible(message) + (error === undefined ? '' : `: ${oneLine(error.message)}`));
    const shown = redact(formatFields(fields));
    const frames = error === undefined ? [] : framesOf(error).map((frame) => tint('grey', `  ${redact(frame)}`));
    const line = `${time} ${tint(LEVEL_COLOURS[level], level.padEnd(5))} ${text}${shown === '' ? '' : ` ${tint('grey', shown)}`}`;
    write(`${[line, ...frames].join('\n')}\n`);
  };
  return {
    debug: (message, fields) => {
      if (debug) log('debug', message, fields);
    },
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, error, fields) => log('error', message, fields, error),
  };
}

/** Returns the lines of the stack and of the causes; nothing for an external error and one without frames. */
function framesOf(error: Error): string[] {
  const lines: string[] = [];
  for (let at: unknown = error; at instanceof Error && !isExternalError(error); at = at.cause) {
    if (at !== error) lines.push(`caused by ${at.name}: ${oneLine(at.message)}`);
    const frames = isExternalError(at) ? [] : (at.stack?.split('\n') ?? []).filter((line) => /^\s+at /.test(line));
    lines.push(...frames.map((frame) => visible(frame.trim())));
  }
  return lines;
}

function formatFields(fields: LogFields | undefined): string {
  return Object.entries(fields ?? {})
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${name}=${typeof value === 'string' && /[\s"=\p{Cc}]/u.test(value) ? quoted(value) : value}`,
    )
    .join(' ');
}

/** Quotes a text and escapes all control characters, because terminals interpret them and clients control the text. */
function quoted(text: string): string {
  return escapeControls(JSON.stringify(text));
}

function oneLine(text: string): string {
  return visible(text.replace(/\s*\n\s*/g, ' '));
}

/** Escapes control characters. */
function visible(text: string): string {
  return escapeControls(text.replace(/[\0-\x1f]/g, (control) => JSON.stringify(control).slice(1, -1)));
}

function escapeControls(text: string): string {
  return text.replace(/[\x7f-\x9f]/g, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
