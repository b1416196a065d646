/**
 * The words in which kubectl scripts are written: a script is a list of command lines, run in order against each server. Invariant: a script
 * stands alone; it works in a namespace and a folder of its own, so scripts may run side by side.
 */
import type { TokenUser } from '../peers/peer.ts';

export interface StepOptions {
  /** What the line is a line of; default `kubectl`. */
  readonly program?: 'kubectl' | 'helm';
  readonly stdin?: string;
  /** Default `admin`. */
  readonly user?: TokenUser;
  /** What edits: a shell command that gets the file's path. */
  readonly editor?: string;
  readonly timeoutMs?: number;
  /** Command lines that run while this one (a watch) goes on; it is ended after them. */
  readonly during?: readonly string[];
  /** Command lines that run while this one goes on, which ends by itself. */
  readonly meanwhile?: readonly string[];
  /** The reference is not asked: ours has to show this on standard output, normalised, and exit with 0. */
  readonly expected?: string;
  /** Run again on each server until it exits so: what loops do takes its time. Only for lines that change nothing. */
  readonly retryUntil?: number;
  /** `{{uid}}` in the script's files becomes the uid of this object, which each server gave it, before the line runs. */
  readonly uidOf?: string;
  /** What of standard output is compared; default all of it. */
  readonly view?: (stdout: string) => string;
  /** What of standard error is compared; default all of it. */
  readonly errors?: (stderr: string) => string;
}

export interface Step extends StepOptions {
  readonly line: string;
}

export interface Script {
  readonly name: string;
  /** Files in the folder of the script, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

/** A command line of kubectl. `{{ns}}` is the script's namespace, which `-n` also names unless the line says otherwise. */
export function $(line: string, options: StepOptions = {}): Step {
  return { line, ...options };
}

/** Splits as a shell does, for single quotes, double quotes and blanks; nothing is expanded. */
export function splitLine(line: string): string[] {
  const words: string[] = [];
  for (const match of line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)) {
    words.push(
      match[0].replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
    );
  }
  return words;
}
