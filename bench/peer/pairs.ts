/**
 * Work on several pairs of new servers. Two processes of one build differ by some percent for as long as they live, so
 * a bar of some percent needs the figures of several processes.
 */
import type { Side } from './side.ts';

/** The pairs of the full form. The short form has one. */
export const PAIRS = 5;

export type StartSide = () => Promise<Side>;

/** Starts both servers of each pair, does the work, and stops them. Returns the result of each pair. */
export async function onPairs<T>(
  pairs: number,
  [startOurs, startPeer]: readonly [StartSide, StartSide],
  work: (ours: Side, peer: Side) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const ours = await startOurs();
    try {
      const peer = await startPeer();
      try {
        results.push(await work(ours, peer));
      } finally {
        await peer.stop();
      }
    } finally {
      await ours.stop();
    }
  }
  return results;
}

/** Returns the figures of all pairs, in their order: those of our side, those of the other. */
export function pooled<T>(pairs: readonly (readonly [readonly T[], readonly T[]])[]): [T[], T[]] {
  return [pairs.flatMap(([ours]) => ours), pairs.flatMap(([, peer]) => peer)];
}
