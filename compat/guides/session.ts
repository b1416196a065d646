/** A shell in an empty project with the packed package installed, as the reader of a guide has it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { matchesOutput } from './match-output.ts';
import type { GuideCommand, GuideFile } from './parse-guide.ts';

/** Long enough to compile a Go test whose dependencies are not in the cache. */
const TIMEOUT_MS = 300_000;

export class Session {
  readonly #folder: string;
  readonly #shell: ChildProcess;
  readonly #background: ChildProcess[] = [];
  readonly #env: Readonly<Record<string, string>>;
  #output = '';
  #wake: () => void = () => undefined;
  #count = 0;

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#env = env;
    this.#shell = spawn('bash', ['--norc'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.#output += chunk;
        this.#wake();
      });
  }

  write({ name, text }: GuideFile): void {
    const path = join(this.#folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Returns the output of a command that does not print what the guide says; undefined if it does. */
  async run(command: GuideCommand): Promise<string | undefined> {
    return command.background ? this.#start(command) : this.#execute(command);
  }

  stop(): void {
    // A guide may have stopped its program.
    for (const { pid, exitCode, signalCode } of this.#background)
      if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM');
    this.#shell.kill('SIGKILL');
  }

  async #execute({ text, expected }: GuideCommand): Promise<string | undefined> {
    const mark = `__end_${this.#count++}__`;
    this.#output = '';
    this.#shell.stdin?.write(`{ ${anyPort(text)}\n} 2>&1 </dev/null; echo ${mark}\n`);
    await this.#until(() => this.#output.includes(mark));
    const printed = this.#output.replace(mark, '');
    return matchesOutput(expected, printed) ? undefined : printed;
  }

  async #start({ text, expected }: GuideCommand): Promise<string | undefined> {
    // A process group of its own, because npx does not pass signals on.
    const child = spawn('bash', ['-c', anyPort(text)], { cwd: this.#folder, env: this.#env, detached: true });
    this.#background.push(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        printed += chunk;
        this.#wake();
      });
    const matched = await this.#until(() => matchesOutput(expected, printed));
    return matched ? undefined : printed;
  }

  async #until(condition: () => boolean): Promise<boolean> {
    let expired = false;
    const timer = setTimeout(() => {
      expired = true;
      this.#wake();
    }, TIMEOUT_MS);
    try {
      while (!condition() && !expired)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      return condition();
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A server of a guide listens on any free port, because other servers may run on this machine. */
function anyPort(command: string): string {
  return command.replace(/^npx keelson(?=$| --)/, 'npx keelson --secure-port=0');
}
