/**
 * The second run of what differed. A difference counts if it occurs twice: the loops of kube-apiserver write at times
 * of their own, and tools print what they happen to see, but servers that truly differ do so again on fresh servers.
 * Invariant: a difference that does not occur again is reported, not dropped.
 */
import type { Result } from './outcome.ts';

/** The number of characters of differences that are printed. */
const SHOWN = 600;

export interface SecondTry<R extends Result<unknown>> {
  /** Returns the results with unknown differences. */
  differing(results: readonly R[]): readonly R[];
  /** Returns the part of the suite that must run as a whole to repeat the result. */
  partOf(result: R): string;
  /** Returns the request, which is the same in both runs. */
  nameOf(result: R): string;
  /** Runs the parts on fresh servers. */
  run(parts: ReadonlySet<string>): Promise<readonly R[]>;
}

/** Returns the results, with those of the second run for what differed only in the first. */
export async function differingTwice<R extends Result<unknown>>(
  first: readonly R[],
  { differing, partOf, nameOf, run }: SecondTry<R>,
): Promise<R[]> {
  const doubtful = new Set(differing(first));
  if (doubtful.size === 0) return [...first];
  const second = await run(new Set([...doubtful].map(partOf)));
  const again = new Set(differing(second));
  const names = numbered(first.map((result) => `${partOf(result)} / ${nameOf(result)}`));
  const secondNames = numbered(second.map((result) => `${partOf(result)} / ${nameOf(result)}`));
  const byName = new Map(secondNames.map((name, i) => [name, second[i] as R]));
  return first.map((result, i) => {
    const name = names[i] as string;
    const other = byName.get(name);
    if (!doubtful.has(result) || other === undefined || again.has(other)) return result;
    console.log(`differed once, and not again: ${name}\n  ${JSON.stringify(result.differences).slice(0, SHOWN)}`);
    return other;
  });
}

/** Numbers the names, because a part may send the same request several times. */
function numbered(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}
