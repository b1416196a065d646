/**
 * Runs the conformance data of the CEL specification: all files except those listed below, and of each file all cases
 * that do not use a protobuf message. docs/compatibility.md has the results.
 */
import { describe, expect, test } from 'vitest';
import { formatType } from './check/format-type.ts';
import { type ConformanceCase, conformanceFile, conformanceFileNames } from './conformance.fixtures.ts';
import { createEnvironment } from './create-environment.ts';
import type { CheckResult, Environment } from './environment.ts';
import { OPTIONALS_LIBRARY } from './libraries/optionals.ts';
import { STANDARD_LIBRARY } from './libraries/standard/standard.ts';
import { STANDARD_STRINGS_LIBRARY } from './libraries/strings/standard-strings.fixtures.ts';
import { TWO_VARIABLE_COMPREHENSIONS_LIBRARY } from './libraries/two-variable-comprehensions.ts';
import type { Library } from './library.ts';
import { equalValues } from './runtime/equality.ts';
import { formatLiteral } from './runtime/format-value.ts';
import { typeOfValue } from './runtime/type-of-value.ts';
import { uncheckedExpression } from './unchecked.fixtures.ts';
import { CelDouble, CelError, type Value } from './values.ts';

/** The files that are not run, with the reason. */
const EXCLUDED: Readonly<Record<string, string>> = {
  bindings_ext: 'cel.bind is in none of the environments of Kubernetes',
  block_ext: 'cel.block is in none of the environments of Kubernetes',
  dynamic: 'protobuf: well-known messages in messages',
  enums: 'protobuf: enums of messages',
  math_ext: 'Kubernetes lacks the library',
  encoders_ext: 'Kubernetes lacks the library',
  proto2: 'protobuf: messages',
  proto2_ext: 'protobuf: extensions of messages',
  proto3: 'protobuf: messages',
  unknowns: 'the file is empty',
  wrappers: 'protobuf: wrapper messages',
};

/** The files that are run: the number of cases, and how many of them use a protobuf message and are left out. */
const RUN: Readonly<Record<string, readonly [cases: number, leftOut: number]>> = {
  basic: [43, 0],
  comparisons: [406, 72],
  conversions: [109, 0],
  fields: [60, 0],
  fp_math: [30, 0],
  integer_math: [64, 0],
  lists: [39, 0],
  logic: [30, 0],
  macros: [44, 0],
  macros2: [46, 0],
  namespace: [3, 0],
  optionals: [70, 11],
  parse: [219, 26],
  plumbing: [5, 0],
  string: [51, 0],
  string_ext: [209, 3],
  timestamps: [76, 1],
  type_deductions: [47, 21],
};

const REPEATED_KEY = 'like in cel-go, the last of equal keys counts; the specification demands an error';
const TEST_OF_NOTHING =
  'like in Kubernetes, an optional selection from a value without fields is none; the specification demands an error';
const BEYOND_THE_END =
  "like in Kubernetes' version of cel-go, a search from after the end finds nothing; the specification demands an error";
const CHECKER_OFF = 'the checker resolves qualified names and containers, and the case switches it off';

/**
 * The cases whose result differs from the specification, by file. The first three reasons were verified with cel-go.
 */
const MISSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fields: {
    'qualified_identifier_resolution/map_value_repeat_key': REPEATED_KEY,
    'qualified_identifier_resolution/map_value_repeat_key_heterogeneous': REPEATED_KEY,
    'qualified_identifier_resolution/qualified_identifier_resolution_unchecked': CHECKER_OFF,
  },
  namespace: { 'namespace/self_eval_container_lookup_unchecked': CHECKER_OFF },
  optionals: {
    'optionals/map_null_entry_no_such_key': TEST_OF_NOTHING,
    'optionals/map_present_key_invalid_field': TEST_OF_NOTHING,
  },
  string_ext: {
    'value_errors/indexof_out_of_range': BEYOND_THE_END,
    'value_errors/lastindexof_out_of_range': BEYOND_THE_END,
  },
  type_deductions: {
    'legacy_nullable_types/null_assignable_to_abstract_parameter_candidate':
      'like in cel-go, a list of an optional and a null is a list of nulls; the specification demands a list of optionals',
  },
};

const LIBRARIES: readonly Library[] = [
  STANDARD_LIBRARY,
  OPTIONALS_LIBRARY,
  TWO_VARIABLE_COMPREHENSIONS_LIBRARY,
  STANDARD_STRINGS_LIBRARY,
];

const BASE = environmentOf(LIBRARIES, '');

function environmentOf(libraries: readonly Library[], container: string): Environment {
  return createEnvironment({
    libraries,
    container,
    variables: [],
    homogeneousLiterals: false,
    validateLiterals: false,
    escapedFields: true,
  });
}

/** The difference between the result and the expectation; undefined if there is none. */
function judge(expected: ConformanceCase): string | undefined {
  const { container, functions, source, variables } = expected;
  const isPlain = container === '' && functions.functions.length === 0;
  const environment = (isPlain ? BASE : environmentOf([...LIBRARIES, functions], container)).extend({ variables });
  const result = expected.unchecked ? parseOnly(environment, expected) : environment.check(source);
  if (!result.ok) return expected.error ? undefined : `does not compile: ${result.issues[0]?.message}`;
  const { checked } = result;
  if (expected.type !== undefined && formatType(checked.type) !== formatType(expected.type))
    return `is of type ${formatType(checked.type)} instead of ${formatType(expected.type)}`;
  if (expected.checkOnly) return undefined;
  let outcome: { value: Value } | { error: Error };
  try {
    outcome = environment.program(checked).run(variables.map(({ name }) => expected.bindings.get(name)));
  } catch (thrown) {
    if (!(thrown instanceof CelError)) throw thrown;
    outcome = { error: thrown };
  }
  if ('error' in outcome) return expected.error ? undefined : `fails: ${outcome.error.message}`;
  if (expected.error) return `gives ${formatLiteral(outcome.value)} instead of an error`;
  if (expected.value === undefined || isSame(outcome.value, expected.value)) return undefined;
  return `gives ${formatLiteral(outcome.value)} instead of ${formatLiteral(expected.value)}`;
}

function parseOnly(environment: Environment, { source, variables }: ConformanceCase): CheckResult {
  const parsed = environment.parse(source);
  return parsed.ok ? { ok: true, checked: uncheckedExpression(source, parsed.expr, LIBRARIES, variables) } : parsed;
}

/** True if the values are equal and of the same type. NaN equals NaN. */
function isSame(actual: Value, expected: Value): boolean {
  if (actual instanceof CelDouble && expected instanceof CelDouble) return Object.is(actual.value, expected.value);
  return typeOfValue(actual).kind === typeOfValue(expected).kind && equalValues(actual, expected);
}

describe('the conformance data of the CEL specification', () => {
  test('every file is either run or left out for a reason', () => {
    expect([...Object.keys(RUN), ...Object.keys(EXCLUDED)].sort()).toEqual([...conformanceFileNames()].sort());
  });

  test('at least 98 percent of the cases that are run pass', () => {
    const run = Object.values(RUN).reduce((sum, [cases, leftOut]) => sum + cases - leftOut, 0);
    const missed = Object.values(MISSES).reduce((sum, misses) => sum + Object.keys(misses).length, 0);
    expect(run).toBeGreaterThan(1400);
    expect((run - missed) / run).toBeGreaterThan(0.98);
  });

  test.each(Object.entries(RUN))('%s passes but for the known misses', (name, [cases, leftOut]) => {
    const file = conformanceFile(name);
    expect([file.cases.length + file.leftOut, file.leftOut]).toEqual([cases, leftOut]);
    const known = MISSES[name] ?? {};
    const faults = file.cases.flatMap((each) => {
      const fault = judge(each);
      if (known[each.name] !== undefined) return fault === undefined ? [`${each.name} passes`] : [];
      return fault === undefined ? [] : [`${each.name}: ${each.source} ${fault}`];
    });
    expect(faults).toEqual([]);
  });
});
