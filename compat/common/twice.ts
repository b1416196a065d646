/**
 * What differs counts if it differs twice. The reference's loops write when they come to it, and tools print what they happen to see: two servers that truly differ do so again on a second try, on fresh
 * servers. Invariant: a difference that did not repeat is told, never dropped in silence.
 */
import type { Result } from './outcome.ts';

export interface SecondTry<R extends Result<unknown>> {
  /** Those of the results that differ in ways that nobody listed. */
  differing(results: readonly R[]): readonly R[];
  /** The part of the suite that has to be run as a whole to have this result again. */
  partOf(result: R): string;
  /** What was asked, the same in both runs. */
  nameOf(result: R): string;
  /** Runs these parts on fresh servers. */
  run(parts: ReadonlySet<string>): Promise<readonly R[]>;
}

/** The results, with those of the second run in place of what differed in the first alone. */
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
    console.log(`differed once, and not again: ${name}`);
    return other;
  });
}

/** The same question may be asked several times in one part. */
function numbered(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}
