/** A server of `keelson open` in a comparison. */
import { readFileSync } from 'node:fs';
import { startCommand } from '../peers/keelson.ts';
import type { Credentials, Peer } from '../peers/peer.ts';
import { keelsonCli } from '../peers/programs.ts';

/** A large snapshot takes long to read. */
const TRIES = 1200;

export interface OpenedBackup extends Peer {
  /** From the start of the process until /readyz answers 200. */
  readonly readyMs: number;
  /** The output so far. */
  output(): string;
}

/** Opens a snapshot. Throws with the end of its output if the server does not become ready. */
export async function openBackup(
  path: string,
  credentials: Credentials,
  flags: readonly string[] = [],
): Promise<OpenedBackup> {
  const started = performance.now();
  const peer = await startCommand({
    name: 'keelson open',
    credentials,
    command: () => [keelsonCli(), 'open', path],
    flags,
    tries: TRIES,
  });
  return { ...peer, readyMs: performance.now() - started, output: () => readFileSync(peer.logFile, 'utf8') };
}
