import { describe, expect, test } from 'vitest';
import { createEnvironment } from './create-environment.ts';
import type { EvaluationLimits, Outcome } from './environment.ts';
import { OPTIONALS_LIBRARY } from './libraries/optionals.ts';
import { STANDARD_LIBRARY } from './libraries/standard/standard.ts';
import { TWO_VARIABLE_COMPREHENSIONS_LIBRARY } from './libraries/two-variable-comprehensions.ts';
import { REFERENCE_EVALUATIONS, REFERENCE_SCHEMA, REFERENCE_VALUE } from './reference-evaluations.fixtures.ts';
import { formatLiteral } from './runtime/format-value.ts';
import { typeOfSchema, valueOfType } from './schema-values.fixtures.ts';
import { CelError, CelStopped } from './values.ts';

const TYPE = typeOfSchema(REFERENCE_SCHEMA);
const SELF = valueOfType(REFERENCE_VALUE, TYPE);
const ENVIRONMENT = createEnvironment({
  libraries: [STANDARD_LIBRARY, OPTIONALS_LIBRARY, TWO_VARIABLE_COMPREHENSIONS_LIBRARY],
  variables: [{ name: 'self', type: TYPE }],
});

function run(source: string, limits?: EvaluationLimits): Outcome {
  const result = ENVIRONMENT.check(source);
  if (!result.ok) throw new Error(result.issues[0]?.message);
  return ENVIRONMENT.program(result.checked).run([SELF], limits);
}

/** The outcome in the format of the reference evaluations. An expression that fails to compile costs nothing. */
function answer(source: string): readonly [string, number] {
  try {
    const outcome = run(source);
    return ['error' in outcome ? `! ${outcome.error.message}` : formatLiteral(outcome.value), outcome.cost];
  } catch (thrown) {
    if (!(thrown instanceof CelError)) throw thrown;
    return [`! program: ${thrown.message}`, 0];
  }
}

describe('values, errors and costs are those of kube-apiserver', () => {
  test.each(REFERENCE_EVALUATIONS)('%s', (source, outcome, cost) => {
    expect(answer(source)).toEqual([outcome, cost]);
  });
});

describe('limits', () => {
  const LOOP = 'self.n.all(a, self.n.all(b, self.n.all(c, a + b + c > 0)))';

  test('an evaluation that costs exactly its limit has a value', () => {
    const { cost } = run(LOOP);
    expect(run(LOOP, { cost })).toEqual({ value: true, cost, steps: expect.any(Number) });
  });

  test('an evaluation that costs more is stopped soon after its limit', () => {
    const outcome = run(LOOP, { cost: 100 });
    expect('error' in outcome && outcome.error).toBeInstanceOf(CelStopped);
    expect('error' in outcome && outcome.error.message).toBe('operation cancelled: actual cost limit exceeded');
    expect(outcome.cost).toBeGreaterThan(100);
    expect(outcome.cost).toBeLessThan(120);
  });

  test('|| and && do not absorb the end of an evaluation', () => {
    expect('error' in run(`${LOOP} || true`, { cost: 100 })).toBe(true);
    expect('error' in run(`true || ${LOOP}`, { cost: 100 })).toBe(false);
  });

  test('the limit applies to expressions without loops too', () => {
    expect('error' in run('self.a + self.b + self.a', { cost: 3 })).toBe(true);
  });

  test('a cancelled loop stops', () => {
    let asked = 0;
    const outcome = run(`self.n.all(x, ${LOOP})`, { cancelled: () => ++asked > 1 });
    expect('error' in outcome && outcome.error).toMatchObject({
      reason: 'cancelled',
      message: 'operation interrupted',
    });
    expect(asked).toBe(2);
  });
});

describe('evaluate', () => {
  test('throws the error that run returns', () => {
    const result = ENVIRONMENT.check('self.n[9]');
    if (!result.ok) throw new Error('does not compile');
    const program = ENVIRONMENT.program(result.checked);
    expect(() => program.evaluate([SELF])).toThrow(new CelError('index out of bounds: 9'));
    expect(() => program.evaluate([undefined])).toThrow('no such attribute(s): self');
  });

  test('a program may be run several times', () => {
    const result = ENVIRONMENT.check('self.n.map(x, x * 2).filter(y, y > 4)');
    if (!result.ok) throw new Error('does not compile');
    const program = ENVIRONMENT.program(result.checked);
    const first = program.evaluate([SELF]);
    expect(formatLiteral(first.value)).toBe('[10, 8]');
    expect(program.evaluate([SELF])).toEqual(first);
  });
});

test('collecting a large list takes time in proportion to its size', () => {
  const environment = createEnvironment({
    libraries: [STANDARD_LIBRARY],
    variables: [{ name: 'n', type: typeOfSchema({ type: 'array', items: { type: 'integer' } }) }],
  });
  const result = environment.check('n.map(x, x + 1).map(x, x > 0, x).size()');
  if (!result.ok) throw new Error('does not compile');
  const items = Array.from({ length: 100_000 }, (_, index) => index);
  const list = valueOfType(items, typeOfSchema({ type: 'array', items: { type: 'integer' } }));
  expect(environment.program(result.checked).evaluate([list]).value).toBe(100_000);
});
