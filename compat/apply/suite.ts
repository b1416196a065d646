/**
 * A part of the run: sequences on fresh servers, then those that differ again on other fresh servers, minimised.
 * Invariant: a difference counts only if it occurs twice; one that does not is reported.
 */
import { differing } from '../common/outcome.ts';
import { type Client, createClient } from '../diff/client.ts';
import { type Candidate, onFreshPair } from '../peers/pair.ts';
import { minimise } from './minimise.ts';
import { prepare } from './prepare.ts';
import { judgeSequences } from './report.ts';
import { type Clients, type RunOptions, runSequences, type SequenceResult } from './run.ts';
import type { Sequence } from './sequence.ts';

const MAX_MINIMISED = 20;

export interface Part {
  readonly flags: readonly string[];
  /** Returns the sequences. Called once, with the first pair of servers. */
  sequences(clients: Clients): Promise<readonly Sequence[]> | readonly Sequence[];
}

export interface PartOptions extends Omit<RunOptions, 'clients'> {
  readonly candidate: Candidate;
  /** Nothing is known if two references are compared. */
  readonly ignoreKnown: boolean;
}

export async function runPart({ flags, sequences }: Part, options: PartOptions): Promise<SequenceResult[]> {
  const { ignoreKnown, candidate, isKnown } = options;
  const differ = (results: readonly SequenceResult[]): SequenceResult[] =>
    differing(judgeSequences(results, ignoreKnown).judged);
  const first = await withServers(candidate, flags, async (clients) =>
    runSequences(await sequences(clients), { ...options, clients }),
  );
  const doubtful = differ(first);
  if (doubtful.length === 0) return first;
  const second = await withServers(candidate, flags, async (clients) => {
    const run: RunOptions = { clients, isKnown };
    const again = await runSequences(
      doubtful.map(({ sequence }) => sequence),
      run,
    );
    const small = new Map<string, SequenceResult>();
    for (const result of differ(again).slice(0, MAX_MINIMISED))
      small.set(result.sequence.title, await minimise(result, run));
    return again.map((result) => small.get(result.sequence.title) ?? result);
  });
  const byTitle = new Map(second.map((result) => [result.sequence.title, result]));
  const confirmed = new Set(differ(second));
  return first.map((result) => {
    const again = byTitle.get(result.sequence.title);
    if (again !== undefined && !confirmed.has(again))
      console.log(`differed once, and not again: ${result.sequence.title}`);
    return again ?? result;
  });
}

async function withServers<T>(
  candidate: Candidate,
  flags: readonly string[],
  work: (clients: Clients) => Promise<T>,
): Promise<T> {
  return onFreshPair(candidate, flags, async (pair) => {
    const clients: [Client, Client] = [createClient(pair.reference), createClient(pair.candidate)];
    try {
      await Promise.all(clients.map(prepare));
      return await work(clients);
    } finally {
      for (const client of clients) client.close();
    }
  });
}
