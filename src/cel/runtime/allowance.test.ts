import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../create-environment.ts';
import type { Outcome, Program } from '../environment.ts';
import { KUBERNETES_LIBRARIES } from '../libraries/kubernetes.ts';
import type { Library } from '../library.ts';
import { BOOL, INT, listOf, STRING } from '../types.ts';
import { CelStopped } from '../values.ts';
import { NativeList } from './native-values.ts';

const LIMIT = 1_000_000;

const environment = createEnvironment({
  libraries: KUBERNETES_LIBRARIES,
  variables: [
    { name: 'text', type: STRING },
    { name: 'ints', type: listOf(INT) },
  ],
});
const TEXT = 'a'.repeat(1_000_000);
const INTS = new NativeList(Array.from({ length: 100_000 }, (_, i) => i));

function run(source: string): Outcome {
  const result = environment.check(source);
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join());
  return environment.program(result.checked).run([TEXT, INTS], { cost: LIMIT });
}

function doubled(start: string, times: number): string {
  return `[${start}]${'.map(x, x + x)'.repeat(times)}.size() == 1`;
}

describe('an evaluation is stopped if it', () => {
  it.each<[string, string]>([
    ['computes the size of a long text in every iteration', 'ints.all(i, text.size() > i || true)'],
    ['takes a character of a long text in every iteration', "ints.all(i, text.charAt(i) == 'a')"],
    ['parses a long text as a number in every iteration', 'ints.all(i, int(text) == i || true)'],
    ['compares a list inside a list in every iteration', 'ints.all(i, [ints] == [ints])'],
    ['finds matches that each scan the whole text', "text.findAll('a.*b|a').size() == 0"],
    ['compiles a pattern in every iteration', "ints.all(i, 'a'.matches('[\\\\pL' + string(i) + ']{900}') || true)"],
    ['doubles a text of type dyn many times', doubled("dyn('0123456789')", 40)],
    ['doubles bytes of type dyn many times', doubled("dyn(b'0123456789')", 40)],
    [
      'replaces characters by long texts in every iteration',
      "lists.range(2000).map(i, text.substring(0, 1000).replace('a', text.substring(0, 30000))).size() == 1",
    ],
    [
      'formats long texts in every iteration',
      "lists.range(1000).map(i, '%s%s%s'.format([text, text, text])).size() == 1",
    ],
    [
      'formats its own results many times',
      `['0123456789']${".map(x, '%s%s%s%s'.format([x, x, x, x]))".repeat(14)}.size() == 1`,
    ],
    ['compares all items of two long lists', 'sets.equivalent(ints, ints)'],
    ['searches all items of a list in another list', 'sets.intersects(ints, ints.map(i, -1 - i))'],
    ['compiles a huge pattern', "'b'.matches(text.replace('a', 'a?'))"],
    ['matches a large pattern at every position of a long text', "text.matches('a{1,500}$')"],
  ])('%s', (_, source) => {
    const outcome = run(source);
    expect(outcome).toHaveProperty('error');
    expect('error' in outcome && outcome.error).toBeInstanceOf(CelStopped);
    expect('error' in outcome && outcome.error.message).toBe('operation cancelled: actual cost limit exceeded');
  });

  it('has the full allowance again in the next evaluation', () => {
    for (let i = 0; i < 12; i++)
      expect(run("text.replace('a', 'bc').size() == 2000000")).toMatchObject({ value: true });
  });
});

describe('an evaluation inside an evaluation', () => {
  const program = (source: string, libraries: readonly Library[]): Program => {
    const inner = createEnvironment({ libraries, variables: [{ name: 'text', type: STRING }] });
    const result = inner.check(source);
    if (!result.ok) throw new Error(result.issues[0]?.message);
    return inner.program(result.checked);
  };
  const inner = program("text.replace('a', 'bc').size() == 2000000", KUBERNETES_LIBRARIES);
  const library: Library = {
    name: 'nested',
    functions: [
      {
        name: 'nested',
        overloads: [{ id: 'nested', params: [], result: BOOL, evaluate: () => inner.evaluate([TEXT]).value }],
      },
    ],
  };

  it('has an allowance of its own', () => {
    const outer = program('lists.range(12).all(i, nested())', [...KUBERNETES_LIBRARIES, library]);
    expect(outer.run([TEXT])).toMatchObject({ value: true });
  });

  it('does not extend the allowance of the outer one', () => {
    const outer = program('lists.range(100000).all(i, (i > 3 || nested()) && text.size() > 0)', [
      ...KUBERNETES_LIBRARIES,
      library,
    ]);
    const outcome = outer.run([TEXT]);
    expect('error' in outcome && outcome.error).toBeInstanceOf(CelStopped);
  });
});

describe('macros that copy their target', () => {
  it('may be chained', () => {
    expect(run("optional.of('a').optMap(x, x + x).optMap(x, x + x).value() == 'aaaa'")).toMatchObject({ value: true });
  });

  it('are refused if the copies become too many', () => {
    const result = environment.check(`optional.of('a')${'.optMap(x, x + x)'.repeat(40)}.value() == 'a'`);
    expect(result).toMatchObject({
      ok: false,
      issues: [{ message: 'macros copy too much of the expression: limit 100000' }],
    });
  });
});
