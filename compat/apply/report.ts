/** The classification and report of differences between sequences. */
import { type Judged, judge, type Outcome } from '../common/outcome.ts';
import { KNOWN, type KnownApplyDifference } from './known.ts';
import type { SequenceResult, StepDifference } from './run.ts';
import { formatStep } from './sequence.ts';
import { nameOf } from './subject.ts';

const SHOWN_DIFFERENCES = 6;
const SHOWN_TEXT = 500;

/** With `ignoreKnown` nothing is known. */
export function judgeSequences(
  results: readonly SequenceResult[],
  ignoreKnown: boolean,
): { judged: Judged<SequenceResult>[]; outcome: Outcome } {
  return judge(results, ignoreKnown ? [] : KNOWN, (entry, _result, difference: StepDifference) =>
    matches(entry, difference),
  );
}

export function isKnown(difference: StepDifference): boolean {
  return KNOWN.some((entry) => matches(entry, difference));
}

function matches(entry: KnownApplyDifference, { step, where, reference, candidate }: StepDifference): boolean {
  return (
    (entry.step === undefined || entry.step.test(step)) &&
    entry.difference.test(`${where}: ${reference} → ${candidate}`)
  );
}

/** Prints each sequence with unknown differences: its seed, its steps (the minimised ones if known), the differences. */
export function printSequences(judged: readonly Judged<SequenceResult>[], all: boolean): void {
  const limit = all ? Number.POSITIVE_INFINITY : SHOWN_DIFFERENCES;
  for (const { result, unknown } of judged) {
    if (unknown.length === 0) continue;
    const { sequence, minimised } = result;
    console.log(`\n${sequence.title}, ${nameOf(sequence.subject)}${sequence.clocked ? ', clocked' : ''}`);
    if (minimised !== undefined) console.log(`  minimised:\n${minimised}`);
    else
      for (const [i, step] of sequence.steps.entries())
        console.log(`  ${i + 1}. ${formatStep(sequence.subject, step)}`);
    for (const { index, where, reference, candidate } of (unknown as readonly StepDifference[]).slice(0, limit))
      console.log(
        `    step ${index + 1} ${where}\n      reference ${cut(reference)}\n      ours      ${cut(candidate)}`,
      );
    if (unknown.length > limit) console.log(`    and ${unknown.length - limit} more`);
  }
}

function cut(text: string): string {
  return text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}… (${text.length} characters)` : text;
}
