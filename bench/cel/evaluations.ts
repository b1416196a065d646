/**
 * Rules of custom resources, evaluated with cost counting on an object seen through its schema, compared with the same
 * conditions in plain JavaScript and with @bufbuild/cel. The figure is the time of all twenty together. The rule that
 * is slowest compared with JavaScript is named.
 */
import { type CelInput, celEnv, parse, plan } from '@bufbuild/cel';
import type { JsonObject, JsonValue } from '../../src/base/json-value.ts';
import type { Program } from '../../src/cel/environment.ts';
import type { Value } from '../../src/cel/values.ts';
import { ruleTree } from '../../src/schema/rules/rule-tree.ts';
import { structuralOf } from '../../src/schema/structural/structural-node.ts';
import { type BenchLine, compare, rate } from '../measure.ts';
import { RULES, type Rule, SCHEMA, SUBJECT } from './rules.ts';

const BATCH = 100;
/** The cost limit of a rule of a custom resource. */
const LIMITS = { cost: 1_000_000 };

interface Compiled {
  readonly programs: readonly Program[];
  adapt(): Value;
}

function compile(): Compiled {
  const validations = RULES.map(({ rule }) => ({ rule }));
  const schema = structuralOf({ ...SCHEMA, 'x-kubernetes-validations': validations });
  const tree = ruleTree(schema, false);
  const programs = (tree?.compiled() ?? []).map(({ program, problem, rule }) => {
    if (program === undefined) throw new Error(`${rule.rule}: ${problem}`);
    return program.program;
  });
  if (tree === undefined || programs.length !== RULES.length) throw new Error('not every rule was compiled');
  return { programs, adapt: () => tree.adapt(SUBJECT as unknown as JsonValue) };
}

export function benchCel(options: { rounds: number; ms: number }): BenchLine[] {
  const { programs, adapt } = compile();
  const peers = RULES.map(({ rule }) => plan(celEnv(), parse(rule)));
  const self = celInput(SUBJECT as unknown as JsonValue);
  for (const [i, { rule, holds }] of RULES.entries()) {
    const answers = [programs[i]?.evaluate([adapt(), undefined]).value, holds(SUBJECT), peers[i]?.({ self })];
    if (answers.some((answer) => answer !== true)) throw new Error(`${rule}: ${answers}`);
  }
  let held = 0;
  const ours = (): void => {
    for (let i = 0; i < BATCH; i++) {
      // As in the server: once for all rules of a node.
      const variables = [adapt(), undefined];
      for (const program of programs) if (program.evaluate(variables, LIMITS).value === true) held++;
    }
  };
  const plain = (): void => {
    for (let i = 0; i < BATCH; i++) for (const { holds } of RULES) if (holds(SUBJECT)) held++;
  };
  const other = (): void => {
    for (const peer of peers) if (peer({ self }) === true) held++;
  };
  const perEvaluation = RULES.length * BATCH;
  const beside = compare(ours, plain, options);
  const named = slowest(programs, adapt, options.ms / 8);
  const others = compare(ours, other, options);
  if (held === 0) throw new Error('no rule holds');
  const scaled = { ours: others.ours * perEvaluation, peer: others.peer * RULES.length };
  return [
    {
      name: `20 CEL rules / plain JavaScript (slowest: ${named})`,
      unit: 'evaluations/s',
      ours: beside.ours * perEvaluation,
      peer: beside.peer * perEvaluation,
      ratio: beside.ratio,
      atLeast: 0.05,
    },
    {
      name: '20 CEL rules / @bufbuild/cel',
      unit: 'evaluations/s',
      ...scaled,
      ratio: (others.ratio * perEvaluation) / RULES.length,
      atLeast: 10,
    },
  ];
}

/** Measures each rule alone. With `BENCH_CEL_RULES` all of them are printed. */
function slowest(programs: readonly Program[], adapt: () => Value, ms: number): string {
  const shares = RULES.map(({ rule, holds }: Rule, i) => {
    const program = programs[i] as Program;
    let held = 0;
    const ours = rate(() => {
      for (let times = 0; times < BATCH; times++) if (program.evaluate([adapt(), undefined], LIMITS).value) held++;
    }, ms);
    const plain = rate(() => {
      for (let times = 0; times < BATCH; times++) if (holds(SUBJECT)) held++;
    }, ms);
    return { rule, share: held === 0 ? 0 : ours / plain };
  }).sort((a, b) => a.share - b.share);
  if (process.env['BENCH_CEL_RULES'] !== undefined)
    for (const { rule, share } of shares) console.log(`    ${share.toFixed(3)}  ${rule}`);
  return `${shares[0]?.share.toFixed(3)} of it, ${shares[0]?.rule}`;
}

/** @bufbuild/cel takes bigints as ints. */
function celInput(value: JsonValue): CelInput {
  if (Array.isArray(value)) return value.map(celInput);
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value as JsonObject).map(([key, field]) => [key, celInput(field as JsonValue)]));
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}
