/**
 * The vocabulary of kubectl scripts: a script is a list of command lines, run in order against each server. Invariant:
 * a script has a namespace and a folder of its own, so scripts run side by side.
 */
import type { TokenUser } from '../peers/peer.ts';

export interface StepOptions {
  /** The program of the command line. Default `kubectl`. */
  readonly program?: 'kubectl' | 'helm' | 'helm4';
  readonly stdin?: string;
  /** Default `admin`. */
  readonly user?: TokenUser;
  /** The editor: a shell command that gets the path of the file. */
  readonly editor?: string;
  readonly timeoutMs?: number;
  /** Command lines that run during this one, which is a watch and is ended after them. */
  readonly during?: readonly string[];
  /** Command lines that run during this one, which ends by itself. */
  readonly meanwhile?: readonly string[];
  /** The expected standard output of our server, normalised, with exit code 0. The reference is not run. */
  readonly expected?: string;
  /**
   * Repeats the command on each server until it exits with this code, because loops take time. Only for commands that
   * change nothing.
   */
  readonly retryUntil?: number;
  /** `{{uid}}` in the files of the script becomes the uid of this object on each server, before the command runs. */
  readonly uidOf?: string;
  /** The exit code that both servers must lead to. Default: any, if it is the same. */
  readonly exit?: number;
  /** Runs the line without `-n`, because its files name several namespaces. Default false. */
  readonly unscoped?: boolean;
  /** The part of standard output that is compared. Default: all of it. */
  readonly view?: (stdout: string) => string;
  /** The part of standard error that is compared. Default: all of it. */
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

/** A command line of kubectl. `{{ns}}` is the script's namespace, which `-n` names unless the line has another. */
export function $(line: string, options: StepOptions = {}): Step {
  return { line, ...options };
}

/** Splits a line as a shell does, with single quotes, double quotes and blanks. Nothing is expanded. */
export function splitLine(line: string): string[] {
  const words: string[] = [];
  for (const match of line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)) {
    words.push(
      match[0].replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
    );
  }
  return words;
}
