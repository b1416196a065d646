/** The report of the outputs of kubectl, as differences of lines. */
import { type Judged, judge, type Outcome } from '../common/outcome.ts';
import type { KnownOutput } from './known.ts';
import type { OutputDifference, StepResult } from './run.ts';

const SHOWN_LINES = 14;
const SHOWN_WIDTH = 260;

export function judgeLines(
  results: readonly StepResult[],
  known: readonly KnownOutput[],
): { judged: Judged<StepResult>[]; outcome: Outcome } {
  return judge(results, known, matches);
}

function matches({ step, output }: KnownOutput, result: StepResult, { where, candidate }: OutputDifference): boolean {
  return step.test(`${result.script} / ${result.line}`) && (output ?? /^/).test(`${where}: ${candidate}`);
}

export function printDifferences(judged: readonly Judged<StepResult>[]): void {
  for (const { result, unknown } of judged) {
    if (unknown.length === 0) continue;
    console.log(`\n${result.script} / ${result.program} ${result.line}`);
    for (const { where, reference, candidate } of unknown) {
      console.log(`    ${where}`);
      for (const line of lineDifferences(reference, candidate)) console.log(`      ${line.slice(0, SHOWN_WIDTH)}`);
    }
  }
}

/** `-` is a line of the reference only, `+` one of ours only. */
function lineDifferences(reference: string, candidate: string): string[] {
  const left = reference.split('\n');
  const right = candidate.split('\n');
  const missing = subtract(left, right).map((line) => `- ${line}`);
  const added = subtract(right, left).map((line) => `+ ${line}`);
  const all = [...missing, ...added];
  if (all.length === 0)
    return ['the same lines in another order', ...right.slice(0, SHOWN_LINES).map((line) => `+ ${line}`)];
  if (all.length <= SHOWN_LINES) return all;
  const half = SHOWN_LINES / 2;
  return [...missing.slice(0, half), ...added.slice(0, half), `and ${all.length} lines in all`];
}

/** Returns the lines of `from` that remain when each line of `other` removes one. */
function subtract(from: readonly string[], other: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of other) counts.set(line, (counts.get(line) ?? 0) + 1);
  return from.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  });
}

/** Returns a command line with both outputs, for the log. */
export function formatResult({ script, program, line, differences, reference, candidate }: StepResult): string {
  const show = ({ exit, stdout, stderr }: typeof reference): string =>
    `exit ${exit}\n${stdout}${stderr === '' ? '' : `stderr:\n${stderr}`}`;
  return `=== ${script} / ${program} ${line}${differences.length === 0 ? '' : ' DIFFERS'}\n--- reference ${show(reference)}\n--- ours ${show(candidate)}`;
}
