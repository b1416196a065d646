/**
 * The client of the oracle, a Go program, which is built once into .cache. A missing Go toolchain is an error, never a
 * skip.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Question {
  readonly op: string;
  readonly text?: string;
  readonly rule?: string;
  readonly kind?: string;
  /** JSON text that is put into the question unchanged, so that numbers reach the reference digit by digit. */
  readonly doc?: string;
  readonly patch?: string;
}

export interface Answer {
  readonly ok: boolean;
  /** The JSON text of the answer as the reference printed it; undefined on an error. */
  readonly out: string | undefined;
  readonly error: string | undefined;
  readonly list: readonly string[];
}

export interface Oracle {
  ask(questions: readonly Question[]): Promise<Answer[]>;
  stop(): Promise<void>;
}

export function buildOracle(root: string): string {
  const folder = join(root, 'compat', 'reference', 'oracle');
  const binary = join(root, '.cache', 'oracle');
  mkdirSync(join(root, '.cache'), { recursive: true });
  execFileSync('go', ['build', '-o', binary, '.'], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  return binary;
}

function encode(question: Question): string {
  const { doc, patch, ...rest } = question;
  const raw = `${doc === undefined ? '' : `,"doc":${doc}`}${patch === undefined ? '' : `,"patch":${patch}`}`;
  return `${JSON.stringify(rest).slice(0, -1)}${raw}}\n`;
}

function decode(line: string): Answer {
  const parsed = JSON.parse(line) as { ok: boolean; error?: string; list?: string[] };
  // `out` is cut from the line without parsing, because JSON.parse would round large integers.
  const head = '{"ok":true,"out":';
  let out: string | undefined;
  if (line.startsWith(head)) {
    const tail = parsed.list === undefined ? '}' : `,"list":${JSON.stringify(parsed.list)}}`;
    const end = line.lastIndexOf(',"list":');
    out = line.slice(head.length, parsed.list === undefined ? line.length - tail.length : end);
  }
  return { ok: parsed.ok, out, error: parsed.error, list: parsed.list ?? [] };
}

export function startOracle(binary: string): Oracle {
  const child = spawn(binary, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  return {
    async ask(questions) {
      const sending = (async () => {
        for (const question of questions) {
          if (!child.stdin.write(encode(question))) await new Promise((resolve) => child.stdin.once('drain', resolve));
        }
      })();
      const answers: Answer[] = [];
      for (let i = 0; i < questions.length; i++) {
        const next = await lines.next();
        if (next.done) throw new Error(`the oracle ended after ${i} of ${questions.length} answers`);
        answers.push(decode(next.value));
      }
      await sending;
      return answers;
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
