/**
 * The fuzz runner: feeds mutated inputs to every decoder of user input, in bounded loops. It fails if a decoder throws,
 * if its counted work is not bounded by the length of the input, or if memory grows. usage: main.ts [--inputs N]
 * [--seed S] [--target BEGINNING] [--timings]
 */
import { parseArgs } from 'node:util';
import { toError } from '../../src/base/errors.ts';
import { admissionTargets } from './admission-targets.ts';
import { applyTargets } from './apply-targets.ts';
import { celTargets } from './cel-targets.ts';
import { certificateTargets } from './certificate-targets.ts';
import { clientTargets } from './client-targets.ts';
import { crdTargets } from './crd-targets.ts';
import { h2Targets } from './h2-targets.ts';
import { createKindTargets } from './kind-targets.ts';
import { mutate, stretch } from './mutate.ts';
import { createRandom } from './random.ts';
import { schemaTargets } from './schema-targets.ts';
import { snapshotTargets } from './snapshot-targets.ts';
import { createStepCounter, type StepCounter } from './steps.ts';
import { targets as decoders, type FuzzTarget } from './targets.ts';

/** The default limit of counted blocks per input byte, on average over a batch and for each stretched input. */
const STEPS_PER_BYTE = 150;
const STEPS_PER_INPUT = 5_000;
const BATCH = 500;
/** The number of inputs of each size in the stretch phase. */
const STRETCHED = 12;
const STRETCH_SIZES = [4_096, 16_384, 65_536];
/** The heap growth between the first tenth and the end that counts as a leak. */
const MAX_GROWTH_BYTES = 24 * 1024 * 1024;

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    target: { type: 'string' },
    timings: { type: 'boolean', default: false },
  },
});
const wanted = Number(values.inputs);
const seed = Number(values.seed);
const collect = (globalThis as { gc?: () => void }).gc;

function heapAfterCollection(): number {
  if (collect === undefined) throw new Error('run with --expose-gc');
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

interface Report {
  readonly accepted: number;
  readonly refused: number;
  readonly failures: readonly string[];
  readonly worstStepsPerByte: number;
  readonly growth: number;
}

function inputsOf({ inputs = 1 }: FuzzTarget): number {
  return Math.ceil(wanted * inputs);
}

async function fuzz(target: FuzzTarget, steps: StepCounter): Promise<Report> {
  const random = createRandom(seed);
  const inputs = inputsOf(target);
  const corpus = target.corpus.map((item) => Buffer.from(item as string));
  const words = target.words.map((item) => Buffer.from(item as string));
  const failures: string[] = [];
  let accepted = 0;
  let refused = 0;
  let worst = 0;
  let baseline = 0;

  const { stepsPerByte = STEPS_PER_BYTE, stepsPerInput = STEPS_PER_INPUT } = target;

  const run = async (input: Buffer): Promise<void> => {
    try {
      if (await target.run(input)) accepted++;
      else refused++;
    } catch (caught) {
      if (failures.length < 5)
        failures.push(`threw ${toError(caught).stack} on ${JSON.stringify(input.toString('latin1').slice(0, 400))}`);
    }
  };
  const measure = async (bytes: number, count: number, what: string): Promise<void> => {
    const taken = await steps.take();
    worst = Math.max(worst, taken / Math.max(1, bytes));
    if (taken > bytes * stepsPerByte + count * stepsPerInput && failures.length < 5) {
      failures.push(`${what}: ${taken} steps for ${count} inputs of ${bytes} bytes`);
    }
  };

  for (const input of corpus) {
    await steps.take();
    const shown = JSON.stringify(input.toString('latin1').slice(0, 200));
    if (!(await target.run(input))) failures.push(`refuses its own corpus entry ${shown}`);
    // The first run may fill caches.
    await steps.take();
    await target.run(input);
    await measure(input.length, 1, `corpus entry ${shown}`);
  }
  await steps.take();
  for (let done = 0; done < inputs; done += BATCH) {
    let bytes = 0;
    const batch = Array.from({ length: Math.min(BATCH, inputs - done) }, () => mutate(corpus, words, random));
    await steps.take();
    for (const input of batch) {
      bytes += input.length;
      await run(input);
    }
    await measure(bytes, batch.length, `batch at ${done}`);
    if (done <= inputs / 10) baseline = heapAfterCollection();
  }
  const growth = heapAfterCollection() - baseline;
  if (growth > MAX_GROWTH_BYTES) failures.push(`the heap grew by ${growth} bytes`);

  for (const size of STRETCH_SIZES) {
    for (let i = 0; i < STRETCHED; i++) {
      const input = stretch(mutate(corpus, words, random), size, random);
      await steps.take();
      await run(input);
      await measure(input.length, 1, `stretched to ${input.length}`);
    }
  }
  return { accepted, refused, failures, worstStepsPerByte: worst, growth };
}

const targets = [
  ...decoders,
  ...clientTargets,
  ...schemaTargets,
  ...snapshotTargets,
  ...crdTargets,
  ...applyTargets,
  ...celTargets,
  ...admissionTargets,
  ...certificateTargets,
  ...h2Targets,
  ...createKindTargets(),
];
const chosen = targets.filter((target) => values.target === undefined || target.name.startsWith(values.target));
if (chosen.length === 0)
  throw new Error(`no target ${values.target}; there are ${targets.map((target) => target.name).join(', ')}`);
console.log(
  `fuzz: ${wanted} mutated inputs for each of ${chosen.length} targets, seed ${seed}, bound ${STEPS_PER_BYTE} steps per byte`,
);
const steps = await createStepCounter();
let failed = 0;
for (const target of chosen) {
  const started = performance.now();
  const report = await fuzz(target, steps);
  if (report.failures.length > 0) failed++;
  const time = values.timings ? `, ${((performance.now() - started) / 1000).toFixed(1)} s` : '';
  console.log(
    `${report.failures.length === 0 ? 'ok  ' : 'FAIL'} ${target.name}: ${report.accepted} accepted, ${report.refused} refused, ` +
      `at most ${report.worstStepsPerByte.toFixed(0)} steps per byte, heap ${(report.growth / 2 ** 20).toFixed(1)} MiB${time}`,
  );
  for (const failure of report.failures) console.log(`     ${failure}`);
}
await steps.stop();
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
