/** Runs the built command as an operator does. */
import { spawn, spawnSync } from 'node:child_process';
import type { MoveResult } from '../../src/controlplane/node/move/move-data.ts';
import { keelsonCli } from '../peers/programs.ts';

export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `keelson storage ...` to its end. */
export function storageCommand(...args: readonly string[]): CommandEnd {
  const { status, stdout, stderr } = spawnSync(process.execPath, [keelsonCli(), 'storage', ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return { code: status, stdout, stderr };
}

/** Runs a command that must succeed, and returns its report. */
export function moved(...args: readonly string[]): MoveResult {
  const { code, stdout, stderr } = storageCommand(...args, '--output=json');
  if (code !== 0) throw new Error(`keelson storage ${args.join(' ')}: exit code ${code}: ${stderr}`);
  return JSON.parse(stdout) as MoveResult;
}

/** Starts a command and kills it when `when` resolves. Resolves once it is gone. Throws if it ended before. */
export async function killedCommand(when: () => Promise<void>, ...args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [keelsonCli(), 'storage', ...args], { stdio: 'ignore' });
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  await when();
  child.kill('SIGKILL');
  const code = await gone;
  if (code !== null) throw new Error(`the command ended with ${code} before it was killed`);
}
