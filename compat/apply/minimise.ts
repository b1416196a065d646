/**
 * The minimisation of a sequence about which the servers differ: first fewer steps, then smaller bodies. Invariants: the
 * result still differs; the number of tries is bounded.
 */
import type { JsonObject } from '../../src/base/json-value.ts';
import type { JsonDict } from '../crds/schema.ts';
import { shrink } from '../crds/shrink.ts';
import { type RunOptions, runSequence, type SequenceResult } from './run.ts';
import { formatStep, isDict, type Sequence, type Step } from './sequence.ts';

const MAX_TRIES = 60;
/** A clocked sequence takes a second for each step. */
const MAX_CLOCKED_TRIES = 12;

/** Returns the smallest differing sequence, in words, and its differences. */
export async function minimise(result: SequenceResult, options: RunOptions): Promise<SequenceResult> {
  const { sequence } = result;
  let tries = sequence.clocked ? MAX_CLOCKED_TRIES : MAX_TRIES;
  let last = result;
  const first = result.differences.find((one) => !options.isKnown(one));
  // A smaller sequence must differ in the same place, otherwise it may show something else.
  const place = placeOf(first?.where ?? '');
  const differs = async (smaller: Sequence): Promise<boolean> => {
    if (tries-- <= 0) return false;
    const again = await runSequence(smaller, options);
    if (!again.differences.some((one) => !options.isKnown(one) && placeOf(one.where) === place)) return false;
    last = again;
    return true;
  };
  const end = first?.index ?? sequence.steps.length - 1;
  let steps = sequence.steps.slice(0, end + 1);
  for (let i = steps.length - 2; i >= 0; i--) {
    const fewer = steps.toSpliced(i, 1);
    if (await differs({ ...sequence, steps: fewer })) steps = fewer;
  }
  for (const [i, step] of steps.entries()) {
    if (tries <= 0) break;
    const withBody = (body: JsonObject): Step =>
      step.edit === undefined ? { ...step, body } : { ...step, edit: { ...step.edit, overlay: body } };
    const body = step.edit?.overlay ?? step.body;
    if (!isDict(body)) continue;
    const smallest = await shrink(
      body as JsonDict,
      (smaller) => differs({ ...sequence, steps: steps.with(i, withBody(smaller as JsonObject)) }),
      tries,
    );
    steps = steps.with(i, withBody(smallest as JsonObject));
  }
  return { ...result, minimised: formatMinimal({ ...sequence, steps }, last) };
}

function placeOf(where: string): string {
  return where.replace(/\[\d+\]/g, '[]');
}

function formatMinimal({ subject, steps }: Sequence, { differences }: SequenceResult): string {
  return [
    ...steps.map((step, i) => `  ${i + 1}. ${formatStep(subject, step)}`),
    ...differences.slice(0, 6).map(({ where, reference, candidate }) => `  ${where}: ${reference} → ${candidate}`),
  ].join('\n');
}
