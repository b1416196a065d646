/**
 * The classification and report of differences between answers. Invariant: a difference is known only if its request
 * and its text both match an entry.
 */
import { type Judged, judge, type Outcome } from '../common/outcome.ts';
import type { Difference } from './compare.ts';
import { KNOWN, type KnownDifference } from './known.ts';
import type { StepResult } from './run.ts';

const SHOWN_DIFFERENCES = 8;
const SHOWN_TEXT = 300;

/** With `ignoreKnown` nothing is known. */
export function judgeSteps(
  results: readonly StepResult[],
  ignoreKnown: boolean,
): { judged: Judged<StepResult>[]; outcome: Outcome } {
  return judge(results, ignoreKnown ? [] : KNOWN, matches);
}

function matches(entry: KnownDifference, result: StepResult, difference: Difference): boolean {
  return (
    entry.request.test(`${result.topic} / ${result.case} / ${result.title}`) &&
    (entry.difference ?? /^/).test(`${difference.where}: ${difference.reference} → ${difference.candidate}`)
  );
}

/** Prints the first few differences of each request, or `all` of them. */
export function printDifferences(judged: readonly Judged<StepResult>[], all: boolean): void {
  const limit = all ? Number.POSITIVE_INFINITY : SHOWN_DIFFERENCES;
  for (const { result, unknown } of judged) {
    if (unknown.length === 0) continue;
    console.log(`\n${result.topic} / ${result.case}\n  ${result.title}${describeUser(result)}`);
    for (const { where, reference, candidate } of unknown.slice(0, limit)) {
      console.log(`    ${where}\n      reference ${cut(reference)}\n      ours      ${cut(candidate)}`);
    }
    if (unknown.length > limit) console.log(`    and ${unknown.length - limit} more`);
  }
}

function describeUser({ step }: StepResult): string {
  if (step.token !== undefined) return ' with a token';
  return step.user === undefined ? '' : ` as ${step.user}`;
}

function cut(text: string): string {
  return text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}… (${text.length} characters)` : text;
}
