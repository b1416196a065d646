/** Prints the outcome of a comparison. Invariant: the exit code says 0 only if every difference is listed and every listed one occurred. */
import type { Difference } from './compare.ts';
import { KNOWN, type KnownDifference } from './known.ts';
import type { StepResult } from './run.ts';

const SHOWN_DIFFERENCES = 8;
const SHOWN_TEXT = 300;

export interface Outcome {
  readonly agreed: number;
  readonly known: number;
  readonly unknown: number;
  readonly total: number;
  readonly stale: readonly string[];
}

export interface Judged {
  readonly result: StepResult;
  readonly unknown: readonly Difference[];
}

/** Splits every result's differences into known and unknown. With `ignoreKnown` nothing is known. */
export function judge(results: readonly StepResult[], ignoreKnown: boolean): { judged: Judged[]; outcome: Outcome } {
  const occurred = new Set<KnownDifference>();
  let agreed = 0;
  let known = 0;
  const judged = results.map((result): Judged => {
    const unknown = result.differences.filter((difference) => {
      const entry = ignoreKnown ? undefined : KNOWN.find((candidate) => matches(candidate, result, difference));
      if (entry !== undefined) occurred.add(entry);
      return entry === undefined;
    });
    if (result.differences.length === 0) agreed++;
    else if (unknown.length === 0) known++;
    return { result, unknown };
  });
  const stale = ignoreKnown ? [] : KNOWN.filter((entry) => !occurred.has(entry)).map((entry) => entry.id);
  return {
    judged,
    outcome: { agreed, known, unknown: results.length - agreed - known, total: results.length, stale },
  };
}

function matches(entry: KnownDifference, result: StepResult, difference: Difference): boolean {
  return (
    entry.request.test(`${result.topic} / ${result.case} / ${result.title}`) &&
    (entry.difference ?? /^/).test(`${difference.where}: ${difference.reference} → ${difference.candidate}`)
  );
}

/** The first few differences of each request, or `all` of them. */
export function printDifferences(judged: readonly Judged[], all: boolean): void {
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

export function printTopics(judged: readonly Judged[]): void {
  const topics = new Map<string, { total: number; agreed: number; known: number }>();
  for (const { result, unknown } of judged) {
    const row = topics.get(result.topic) ?? { total: 0, agreed: 0, known: 0 };
    row.total++;
    if (result.differences.length === 0) row.agreed++;
    else if (unknown.length === 0) row.known++;
    topics.set(result.topic, row);
  }
  console.log('');
  for (const [name, { total, agreed, known }] of topics) {
    const mark = agreed + known === total ? 'ok  ' : 'FAIL';
    console.log(
      `${mark} ${name.padEnd(18)} ${agreed}/${total}${known === 0 ? '' : ` (${known} differ in known ways)`}`,
    );
  }
}

function describeUser({ step }: StepResult): string {
  if (step.token !== undefined) return ' with a token';
  return step.user === undefined ? '' : ` as ${step.user}`;
}

function cut(text: string): string {
  return text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}… (${text.length} characters)` : text;
}
