/**
 * The crash test: a child process with many concurrent writers is killed with SIGKILL at random moments, again and
 * again. After each restart every acknowledged write must be stored, no write may be stored in part, the revision must
 * not have fallen, and the resumed watch must have seen every change exactly once.
 *
 * Usage: run-ts.mjs test/crash/main.ts --rounds N [--writers 64] [--seed S]
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { type ChildStart, runChild } from './child.ts';
import { randomFrom } from './model.ts';
import { Witness } from './witness.ts';

type Child = ChildProcessByStdio<Writable, Readable, null>;

const { values: options } = parseArgs({
  options: {
    child: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    writers: { type: 'string', default: '64' },
    seed: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});

if (options.child !== undefined) await runChild(JSON.parse(options.child) as ChildStart);
else process.exitCode = (await runRounds()) ? 0 : 1;

async function runRounds(): Promise<boolean> {
  const rounds = Number(options.rounds);
  const writers = Number(options.writers);
  const seed = options.seed === undefined ? Date.now() % 0x7fffffff : Number(options.seed);
  const random = randomFrom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'keelson-crash-'));
  const witness = new Witness(seed, writers);
  const started = performance.now();
  console.log(`crash test: ${rounds} rounds, ${writers} writers, seed ${seed}`);
  try {
    for (let round = 1; round <= rounds; round++) {
      // In one round of eight the child is killed while it opens the store, so that recovery itself is interrupted.
      const early = random(8) === 0;
      const delay = early ? random(400) : 100 + random(1400);
      await runRound({ folder, seed, writers, after: witness.seen }, witness, { delay, early });
      const when = early ? 'while opening' : `after ${delay} ms`;
      console.log(`round ${round}: killed ${when}; ${witness.roundSummary()}`);
    }
    await runRound({ folder, seed, writers, after: witness.seen }, witness, undefined);
  } finally {
    if (options.keep) console.log(`folder kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  for (const violation of witness.violations) console.error(`VIOLATION: ${violation}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${witness.totalSummary()}, ${seconds} s: ${witness.violations.length} violations`);
  return witness.violations.length === 0;
}

/** Runs the child once. Without `kill` it ends by itself when everything has been compared. */
async function runRound(
  start: ChildStart,
  witness: Witness,
  kill: { readonly delay: number; readonly early: boolean } | undefined,
): Promise<void> {
  const script = process.argv[1] as string;
  const child: Child = spawn(process.execPath, ['--enable-source-maps', script, '--child', JSON.stringify(start)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // The child may have been killed before it is told to write.
  child.stdin.on('error', () => {});
  const ended = new Promise<string>((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const killLater = (): void => {
    timer = setTimeout(() => child.kill('SIGKILL'), kill?.delay);
  };
  if (kill?.early) killLater();
  witness.beginRound();
  // Until the end of the pipe, because lines that the child wrote before it was killed count.
  for await (const line of completeLines(child.stdout)) {
    if (!witness.hear(line)) continue;
    child.stdin.write(`${JSON.stringify(kill === undefined ? 'stop' : witness.done())}\n`);
    if (kill !== undefined && !kill.early) killLater();
  }
  clearTimeout(timer);
  const end = await ended;
  if (end !== (kill === undefined ? 'exit code 0' : 'SIGKILL')) witness.violate(`the child ended with ${end}`);
  if (kill === undefined && !witness.compared) witness.violate('the last state was not compared');
}

/** The lines that end with a newline. The kill may have cut the last one. */
async function* completeLines(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
