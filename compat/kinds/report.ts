/** The report of a run: similar misses once with their number, a line for each kind, a line for each aspect. */
import { count, type Judged, judge, type Outcome } from '../common/outcome.ts';
import { signatureOf } from '../crds/signature.ts';
import type { Difference } from '../diff/compare.ts';
import { KNOWN, type KnownKindDifference } from './known.ts';
import { ASPECTS, type Aspect, type Result } from './session.ts';

const SHOWN_DIFFERENCES = 6;
const SHOWN_TEXT = 400;
const SHOWN_MISSES = 80;
const SHOWN_REQUEST = 1500;

/** With `ignoreKnown` nothing is known. */
export function judgeResults(
  results: readonly Result[],
  ignoreKnown: boolean,
): { judged: Judged<Result>[]; outcome: Outcome } {
  return judge(results, ignoreKnown ? [] : KNOWN, matches);
}

function matches(entry: KnownKindDifference, result: Result, { where, reference, candidate }: Difference): boolean {
  return (
    (entry.aspect === undefined || entry.aspect === result.aspect) &&
    entry.request.test(`${result.kind} / ${result.title}`) &&
    (entry.difference ?? /^/).test(`${where}: ${reference} → ${candidate}`)
  );
}

export interface PrintOptions {
  /** Prints every miss, not one of each sort. */
  readonly all: boolean;
  /** Prints the request of each miss. */
  readonly verbose: boolean;
  /** Also prints differences of messages or of the order of fields. */
  readonly messages: boolean;
}

export function printMisses(judged: readonly Judged<Result>[], { all, verbose, messages }: PrintOptions): void {
  const groups = new Map<string, Judged<Result>[]>();
  for (const one of judged) {
    if (one.unknown.length === 0 || (one.result.aspect === 'messages' && !messages)) continue;
    const { aspect, kind } = one.result;
    const key = all ? String(groups.size) : signatureOf(one.unknown, kind, aspect);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  const sorted = [...groups.values()].sort((a, b) => b.length - a.length);
  for (const group of sorted.slice(0, all ? Number.POSITIVE_INFINITY : SHOWN_MISSES)) {
    const { result, unknown } = group[0] as Judged<Result>;
    const alike = group.length > 1 ? `   (${group.length} alike)` : '';
    console.log(`\n${result.aspect}: ${result.kind} / ${result.title}${alike}`);
    for (const { where, reference, candidate } of unknown.slice(0, SHOWN_DIFFERENCES))
      console.log(
        `    ${where}\n      reference ${cut(reference, SHOWN_TEXT)}\n      ours      ${cut(candidate, SHOWN_TEXT)}`,
      );
    if (unknown.length > SHOWN_DIFFERENCES) console.log(`    and ${unknown.length - SHOWN_DIFFERENCES} more`);
    if (verbose) console.log(cut(result.request, SHOWN_REQUEST).replace(/^/gm, '    | '));
  }
  if (!all && sorted.length > SHOWN_MISSES) console.log(`\nand ${sorted.length - SHOWN_MISSES} other sorts of misses`);
}

/** Prints a line for each kind: agreed, or different in known ways, of all. */
export function printKinds(judged: readonly Judged<Result>[]): void {
  const groups = new Map<string, Judged<Result>[]>();
  for (const one of judged) {
    const group = groups.get(one.result.kind);
    if (group === undefined) groups.set(one.result.kind, [one]);
    else group.push(one);
  }
  console.log(`\n${'kind'.padEnd(66)}${ASPECTS.map((aspect) => aspect.padStart(12)).join('')}`);
  for (const [kind, own] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const cells = ASPECTS.map((aspect) => {
      const { agreed, known, total } = count(own.filter(({ result }) => result.aspect === aspect));
      return (total === 0 ? '-' : `${agreed + known}/${total}`).padStart(12);
    });
    console.log(`${kind.padEnd(66)}${cells.join('')}`);
  }
}

/** Prints one line for each aspect. Returns the share that agreed; known differences count as misses. */
export function printAspects(judged: readonly Judged<Result>[]): ReadonlyMap<Aspect, number> {
  console.log('');
  return new Map(
    ASPECTS.map((aspect) => {
      const { agreed, known, total } = count(judged.filter(({ result }) => result.aspect === aspect));
      const share = total === 0 ? 1 : agreed / total;
      const note = known === 0 ? '' : ` (${known} differ in known ways)`;
      console.log(`${aspect.padEnd(12)}${`${agreed}/${total}`.padStart(14)}  ${(100 * share).toFixed(2)} %${note}`);
      return [aspect, share];
    }),
  );
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}
