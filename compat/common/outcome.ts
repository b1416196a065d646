/**
 * The classification of the results of a comparison: equal, different in a known way, or different otherwise.
 * Invariant: every difference counts, and a known difference that no longer occurs is reported.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../peers/programs.ts';

export interface KnownEntry {
  /** The name in docs/compatibility.md. */
  readonly id: string;
  readonly reason: string;
}

export interface Result<D> {
  readonly differences: readonly D[];
}

export interface Judged<R extends Result<unknown>> {
  readonly result: R;
  readonly unknown: R['differences'];
}

export interface Outcome {
  readonly agreed: number;
  readonly known: number;
  readonly unknown: number;
  readonly total: number;
  /** The ids of entries that no difference matched. */
  readonly stale: readonly string[];
}

/** Splits the differences of every result into known and unknown ones. */
export function judge<D, R extends Result<D>, K extends KnownEntry>(
  results: readonly R[],
  known: readonly K[],
  matches: (entry: K, result: R, difference: D) => boolean,
): { judged: Judged<R>[]; outcome: Outcome } {
  const occurred = new Set<K>();
  const judged = results.map((result): Judged<R> => {
    const unknown = result.differences.filter((difference) => {
      const entry = known.find((candidate) => matches(candidate, result, difference));
      if (entry !== undefined) occurred.add(entry);
      return entry === undefined;
    });
    return { result, unknown };
  });
  const stale = known.filter((entry) => !occurred.has(entry)).map((entry) => entry.id);
  return { judged, outcome: { ...count(judged), stale } };
}

export interface Counts {
  readonly agreed: number;
  readonly known: number;
  readonly unknown: number;
  readonly total: number;
}

export function count(judged: readonly Judged<Result<unknown>>[]): Counts {
  const agreed = judged.filter(({ result }) => result.differences.length === 0).length;
  const known = judged.filter(({ result, unknown }) => result.differences.length > 0 && unknown.length === 0).length;
  return { agreed, known, unknown: judged.length - agreed - known, total: judged.length };
}

/** Returns the results with unknown differences. */
export function differing<R extends Result<unknown>>(judged: readonly Judged<R>[]): R[] {
  return judged.filter(({ unknown }) => unknown.length > 0).map(({ result }) => result);
}

/** Prints one line for each group of results, in order of appearance. */
export function printGroups<R extends Result<unknown>>(
  judged: readonly Judged<R>[],
  groupOf: (result: R) => string,
): void {
  const groups = new Map<string, Judged<R>[]>();
  for (const one of judged) {
    const group = groups.get(groupOf(one.result));
    if (group === undefined) groups.set(groupOf(one.result), [one]);
    else group.push(one);
  }
  console.log('');
  for (const [name, members] of groups) {
    const { agreed, known, unknown, total } = count(members);
    const mark = unknown === 0 ? 'ok  ' : 'FAIL';
    console.log(
      `${mark} ${name.padEnd(18)} ${agreed}/${total}${known === 0 ? '' : ` (${known} differ in known ways)`}`,
    );
  }
}

/** Returns one complaint for each id that docs/compatibility.md does not have as `**id.**`. */
export function unlistedIds(known: readonly KnownEntry[]): string[] {
  const page = readFileSync(join(ROOT, 'docs', 'compatibility.md'), 'utf8');
  return known
    .filter(({ id }) => !page.includes(`**${id}.**`))
    .map(({ id }) => `docs/compatibility.md has no line "**${id}.**"`);
}
