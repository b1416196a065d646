/**
 * Runs the calls of structured-merge-diff's own tests through our code and compares the results; then compares merge
 * types and sequences of applies and updates with the reference's field manager.
 * usage: main.ts [--op NAME] [--seed S] [--sequences N]
 * Fails on any difference, and if a kind of call is missing from the recording.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { JsonObject } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { buildOracle, startOracle } from '../reference/oracle.ts';
import { compareScales, compareSequences, compareTypes } from './differential.ts';
import { RecordedSchema } from './merge-schema.ts';
import { type Recording, record } from './record.ts';
import { type Difference, replay } from './replay.ts';
import { replayUpdater } from './replay-updater.ts';

const SHOWN = 5;
const SCALES = 1000;
const OPS = [
  ...['union', 'intersection', 'difference', 'recursive-difference', 'leaves', 'equals', 'has', 'string', 'order'],
  ...['filter', 'read', 'ensure-named', 'validate', 'field-set', 'merge', 'compare', 'remove', 'extract', 'reconcile'],
  ...['update', 'apply'],
];

const { values } = parseArgs({
  options: {
    op: { type: 'string' },
    seed: { type: 'string', default: '1' },
    sequences: { type: 'string', default: '2000' },
    recorded: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
// The bundle runs from .cache/run/compat/structured-merge.
const root = dirname(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))));

interface Row {
  calls: number;
  failed: number;
}

const rows = new Map<string, Row>(OPS.map((op) => [op, { calls: 0, failed: 0 }]));

async function run({ suite, lines }: Recording): Promise<void> {
  const schemas = new Map<number, RecordedSchema>();
  for (const call of lines) {
    const op = call['op'] as string;
    if (op === 'schema') {
      schemas.set(call['id'] as number, new RecordedSchema(call['types'] as JsonObject[]));
      continue;
    }
    if (values.op !== undefined && values.op !== op) continue;
    const row = rows.get(op);
    if (row === undefined) throw new Error(`no replay of ${op}`);
    row.calls++;
    const difference = await attempt(() =>
      op === 'update' || op === 'apply' ? replayUpdater(call, schemas) : replay(call, schemas),
    );
    if (difference === undefined) continue;
    row.failed++;
    if (row.failed <= SHOWN) console.log(`FAIL ${suite} ${writeJson(call).slice(0, 1500)}\n      ${difference}`);
  }
}

async function attempt(call: () => Difference | Promise<Difference>): Promise<Difference> {
  try {
    return await call();
  } catch (error) {
    return String((error as Error).stack);
  }
}

if (values.recorded) for (const recording of record(root)) await run(recording);
let [total, failed, missing] = [0, 0, 0];
for (const [op, row] of rows) {
  if (!values.recorded) break;
  total += row.calls;
  failed += row.failed;
  if (row.calls === 0 && values.op === undefined) missing++;
  console.log(
    `${row.failed === 0 && row.calls > 0 ? 'ok  ' : 'FAIL'} ${op}: ${row.calls} calls, ${row.failed} differences`,
  );
}
if (values.recorded) console.log(`${total - failed} of ${total} calls agree`);

const oracle = startOracle(buildOracle(root));
const types = await compareTypes(oracle, join(root, 'compat', 'reference', 'oracle'));
for (const difference of types.differences.slice(0, SHOWN)) console.log(`FAIL ${difference}`);
console.log(
  `${types.differences.length === 0 ? 'ok  ' : 'FAIL'} merge types: ${types.pairs} types, ${types.differences.length} differences`,
);
const sequences = await compareSequences(oracle, Number(values.seed), Number(values.sequences));
for (const failure of sequences.failures.slice(0, SHOWN)) console.log(`FAIL ${failure}`);
console.log(
  `${sequences.failures.length === 0 ? 'ok  ' : 'FAIL'} sequences: ${values.sequences} of ${sequences.steps} steps ` +
    `(${sequences.conflicts} conflicts, ${sequences.refused - sequences.conflicts} other refusals), ${sequences.failures.length} differences`,
);
const scales = await compareScales(oracle, Number(values.seed), SCALES);
for (const failure of scales.slice(0, SHOWN)) console.log(`FAIL ${failure}`);
console.log(`${scales.length === 0 ? 'ok  ' : 'FAIL'} scales: ${SCALES} questions, ${scales.length} differences`);
await oracle.stop();
failed += types.differences.length + sequences.failures.length + scales.length + (types.pairs === 0 ? 1 : 0);
process.exitCode = failed === 0 && missing === 0 ? 0 : 1;
