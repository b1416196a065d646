/** The report of a run: similar misses once with their number, a line for each project, a line for each aspect. */
import { count, type Judged, judge, type Outcome } from '../common/outcome.ts';
import type { Difference } from '../diff/compare.ts';
import { KNOWN, type KnownCrdDifference } from './known.ts';
import { ASPECTS, type Aspect, type Result } from './session.ts';
import { signatureOf } from './signature.ts';

const SHOWN_DIFFERENCES = 4;
const SHOWN_TEXT = 400;
const SHOWN_MISSES = 60;

/** With `ignoreKnown` nothing is known. */
export function judgeResults(
  results: readonly Result[],
  ignoreKnown: boolean,
): { judged: Judged<Result>[]; outcome: Outcome } {
  return judge(results, ignoreKnown ? [] : KNOWN, matches);
}

function matches(entry: KnownCrdDifference, result: Result, { where, reference, candidate }: Difference): boolean {
  return (
    (entry.aspect === undefined || entry.aspect === result.aspect) &&
    entry.request.test(`${result.crd} / ${result.title}`) &&
    (entry.difference ?? /^/).test(`${where}: ${reference} → ${candidate}`)
  );
}

/** Prints the first miss of each sort, those with a minimised request first. `all` prints every one. */
export function printMisses(judged: readonly Judged<Result>[], all: boolean, messages: boolean): void {
  const groups = new Map<string, Judged<Result>[]>();
  for (const one of judged) {
    if (one.unknown.length === 0 || (one.result.aspect === 'messages' && !messages)) continue;
    const { aspect, title } = one.result;
    const key = all ? String(groups.size) : signatureOf(one.unknown, aspect, aspect === 'definition' ? title : '');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  const sorted = [...groups.values()].sort((a, b) => b.length - a.length);
  for (const group of sorted.slice(0, all ? Number.POSITIVE_INFINITY : SHOWN_MISSES)) {
    const { result, unknown } = group.find((one) => one.result.minimised !== undefined) ?? (group[0] as Judged<Result>);
    console.log(
      `\n${result.aspect}: ${result.crd} / ${result.title}${group.length > 1 ? `   (${group.length} alike)` : ''}`,
    );
    for (const { where, reference, candidate } of unknown.slice(0, SHOWN_DIFFERENCES))
      console.log(`    ${where}\n      reference ${cut(reference)}\n      ours      ${cut(candidate)}`);
    if (unknown.length > SHOWN_DIFFERENCES) console.log(`    and ${unknown.length - SHOWN_DIFFERENCES} more`);
    if (result.minimised !== undefined) console.log(result.minimised.replace(/^/gm, '    | '));
  }
  if (!all && sorted.length > SHOWN_MISSES) console.log(`\nand ${sorted.length - SHOWN_MISSES} other sorts of misses`);
}

/** Prints for each project the agreed definitions and objects of all. */
export function printProjects(judged: readonly Judged<Result>[]): void {
  console.log(
    `\n${'project'.padEnd(22)}${'CRDs'.padStart(6)}${'definitions'.padStart(14)}${'objects'.padStart(14)}${'the rest'.padStart(14)}`,
  );
  const projects = [...new Set(judged.map(({ result }) => result.project))];
  for (const project of projects) {
    const own = judged.filter(({ result }) => result.project === project);
    const crds = new Set(own.map(({ result }) => result.crd)).size;
    const share = (of: (aspect: Aspect) => boolean): string => {
      const { agreed, known, total } = count(own.filter(({ result }) => of(result.aspect)));
      return `${agreed + known}/${total}`.padStart(14);
    };
    const main = ['definition', 'object', 'messages'];
    console.log(
      `${project.padEnd(22)}${String(crds).padStart(6)}${share((a) => a === 'definition')}${share((a) => a === 'object')}${share((a) => !main.includes(a))}`,
    );
  }
}

export interface AspectShare {
  readonly aspect: Aspect;
  readonly share: number;
  readonly unknown: number;
}

/** Prints one line for each aspect and returns the shares. */
export function printAspects(judged: readonly Judged<Result>[]): AspectShare[] {
  console.log('');
  return ASPECTS.map((aspect) => {
    const { agreed, known, unknown, total } = count(judged.filter(({ result }) => result.aspect === aspect));
    const share = total === 0 ? 1 : agreed / total;
    console.log(
      `${aspect.padEnd(20)}${`${agreed}/${total}`.padStart(14)}  ${(100 * share).toFixed(2)} %${known === 0 ? '' : ` (${known} differ in known ways)`}`,
    );
    return { aspect, share, unknown };
  });
}

function cut(text: string): string {
  return text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}… (${text.length} characters)` : text;
}
