/** Prints how kubectl's outputs compare, as line differences. */
import { KNOWN, type KnownOutput } from './known.ts';
import type { OutputDifference, StepResult } from './run.ts';

const SHOWN_LINES = 14;
const SHOWN_WIDTH = 260;

export interface Judged {
  readonly result: StepResult;
  readonly unknown: readonly OutputDifference[];
}

export interface Outcome {
  readonly agreed: number;
  readonly known: number;
  readonly unknown: number;
  readonly total: number;
  readonly stale: readonly string[];
}

/** Splits every result's differences into known and unknown. With `ignoreKnown` nothing is known. */
export function judge(results: readonly StepResult[], ignoreKnown: boolean): { judged: Judged[]; outcome: Outcome } {
  const occurred = new Set<KnownOutput>();
  let agreed = 0;
  let known = 0;
  const judged = results.map((result): Judged => {
    const unknown = result.differences.filter(({ where, candidate }) => {
      const entry = ignoreKnown
        ? undefined
        : KNOWN.find(
            ({ step, output }) =>
              step.test(`${result.script} / ${result.line}`) && (output ?? /^/).test(`${where}: ${candidate}`),
          );
      if (entry !== undefined) occurred.add(entry);
      return entry === undefined;
    });
    if (result.differences.length === 0) agreed++;
    else if (unknown.length === 0) known++;
    return { result, unknown };
  });
  const stale = ignoreKnown ? [] : KNOWN.filter((entry) => !occurred.has(entry)).map((entry) => entry.id);
  const total = results.length;
  return { judged, outcome: { agreed, known, unknown: total - agreed - known, total, stale } };
}

export function printDifferences(judged: readonly Judged[]): void {
  for (const { result, unknown } of judged) {
    if (unknown.length === 0) continue;
    console.log(`\n${result.script} / kubectl ${result.line}`);
    for (const { where, reference, candidate } of unknown) {
      console.log(`    ${where}`);
      for (const line of lineDifferences(reference, candidate)) console.log(`      ${line.slice(0, SHOWN_WIDTH)}`);
    }
  }
}

/** `-` only the reference has the line, `+` only we have it. */
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

/** The lines of `from` that are left when each line of `other` has taken one away. */
function subtract(from: readonly string[], other: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of other) counts.set(line, (counts.get(line) ?? 0) + 1);
  return from.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  });
}

export function printScripts(judged: readonly Judged[]): void {
  const scripts = new Map<string, { total: number; agreed: number; known: number }>();
  for (const { result, unknown } of judged) {
    const row = scripts.get(result.script) ?? { total: 0, agreed: 0, known: 0 };
    row.total++;
    if (result.differences.length === 0) row.agreed++;
    else if (unknown.length === 0) row.known++;
    scripts.set(result.script, row);
  }
  console.log('');
  for (const [name, { total, agreed, known }] of scripts) {
    const mark = agreed + known === total ? 'ok  ' : 'FAIL';
    console.log(
      `${mark} ${name.padEnd(18)} ${agreed}/${total}${known === 0 ? '' : ` (${known} differ in known ways)`}`,
    );
  }
}
