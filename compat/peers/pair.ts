/** The two servers of a comparison, started and stopped together. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKeelson } from './keelson.ts';
import { type Credentials, makeCredentials, type Peer } from './peer.ts';
import { startReference } from './reference.ts';

export interface Pair {
  readonly reference: Peer;
  /** Ours, or a second reference if the suite checks itself. */
  readonly candidate: Peer;
  stop(): Promise<void>;
}

/** Ours without control loops, or a second reference. */
export type Candidate = 'keelson' | 'reference';
/** Flags of both servers. */
export type PairFlags = readonly string[] | ((credentials: Credentials) => readonly string[]);

/** Ours with the loops of `--controllers`. */
export interface CandidateWithLoops {
  readonly controllers: string;
}

/** Runs the work on fresh servers and stops them, whatever the outcome. */
export async function onFreshPair<T>(
  candidate: Candidate | CandidateWithLoops,
  flags: PairFlags,
  work: (pair: Pair) => Promise<T>,
): Promise<T> {
  const pair = await startPair(candidate, flags);
  try {
    return await work(pair);
  } finally {
    await pair.stop();
  }
}

/** Starts both. Throws if one does not become ready; then nothing is left running. */
export async function startPair(candidate: Candidate | CandidateWithLoops, given: PairFlags = []): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'compat-credentials-'));
  const started: Peer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((peer) => peer.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const credentials = await makeCredentials(folder);
    const flags = typeof given === 'function' ? given(credentials) : given;
    const keep = async (starting: Promise<Peer>): Promise<Peer> => {
      const peer = await starting;
      started.push(peer);
      return peer;
    };
    const [first, second] = await Promise.allSettled([
      keep(startReference({ credentials, flags })),
      keep(
        candidate === 'reference'
          ? startReference({ credentials, flags, name: 'reference-2' })
          : startKeelson({ credentials, flags, ...(candidate !== 'keelson' && candidate) }),
      ),
    ]);
    if (first.status === 'rejected') throw first.reason;
    if (second.status === 'rejected') throw second.reason;
    return { reference: first.value, candidate: second.value, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
