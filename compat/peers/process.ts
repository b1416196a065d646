/** Child processes of the suites. Invariant: a started child ends by `stop()`, or when the runner exits. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { delimiter, isAbsolute, join } from 'node:path';

export interface Child {
  readonly pid: number;
  /** Undefined while it runs, otherwise its exit code or signal. */
  ended(): string | undefined;
  /** Sends SIGTERM, and SIGKILL after `graceMs`. Resolves when the process is gone. */
  stop(graceMs?: number): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

export interface ChildPlace {
  readonly cwd?: string;
  /** Added to the environment of the runner. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program whose output goes to a file. Throws with the reason if it cannot be started. */
export function startChild(program: string, args: readonly string[], logFile: string, place: ChildPlace = {}): Child {
  const log = openSync(logFile, 'a');
  const env = { ...process.env, ...place.env };
  const child = spawn(program, args, { ...place, env, stdio: ['ignore', log, log] });
  closeSync(log);
  if (child.pid === undefined) {
    // The error event follows in the next turn; it has no more to say than the sentence below.
    child.once('error', () => undefined);
    throw new Error(`${program} cannot be started: ${startProblem(program, place.cwd)}`);
  }
  running.add(child);
  let end: string | undefined;
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      end ??= error.message;
    });
    child.once('exit', (code, signal) => {
      end = signal === null ? `exit code ${code}` : `signal ${signal}`;
      running.delete(child);
      resolve();
    });
  });
  return {
    pid: child.pid,
    ended: () => end,
    async stop(graceMs = 5000) {
      if (end !== undefined) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** Returns why a program did not start. Node reports that only in a later turn, and not whether the folder is missing. */
function startProblem(program: string, cwd: string | undefined): string {
  if (cwd !== undefined && !existsSync(cwd)) return `the folder ${cwd} does not exist`;
  const paths = isAbsolute(program) || program.includes('/') ? [program] : searched(program);
  const found = paths.find((path) => existsSync(path));
  if (found === undefined)
    return paths[0] === program ? 'the file does not exist' : 'no folder of PATH has such a program';
  try {
    accessSync(found, constants.X_OK);
  } catch {
    return `${found} is not executable`;
  }
  return 'the system refused a new process, such as for too many processes or open files';
}

function searched(program: string): readonly string[] {
  return (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
}

/** Sends one GET and returns status and body. Rejects if there is no answer. */
export function probe(url: string, ca: string, token?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const sent = request(url, { ca, headers, timeout: 2000, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        body += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
      answer.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer from ${url} within 2 s`)));
    sent.on('error', reject);
    sent.end();
  });
}

export interface ReadyOptions {
  readonly what: string;
  readonly child: Child;
  readonly logFile: string;
  /** Returns true once the server is ready. A rejection counts as false. */
  check(): Promise<boolean>;
  /** Default 600 tries, 50 ms apart. */
  readonly tries?: number;
}

/**
 * Polls until the check holds. Throws one sentence and the end of the log if the child ends first or the tries run out.
 */
export async function waitUntilReady(options: ReadyOptions): Promise<void> {
  const { what, child, logFile, tries = 600 } = options;
  let last = '';
  for (let i = 0; i < tries; i++) {
    const ended = child.ended();
    if (ended !== undefined)
      throw new Error(`${what} ended with ${ended} before it was ready:\n${tail(readFileSync(logFile, 'utf8'))}`);
    try {
      if (await options.check()) return;
      last = 'it answers, but is not ready';
    } catch (error) {
      last = (error as Error).message;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} is not ready after ${tries} tries (${last}):\n${tail(readFileSync(logFile, 'utf8'))}`);
}

function tail(text: string): string {
  return text.split('\n').slice(-25).join('\n');
}
