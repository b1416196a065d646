import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../create-environment.ts';
import type { Outcome } from '../environment.ts';
import { KUBERNETES_LIBRARIES } from '../libraries/kubernetes.ts';
import { INT, listOf, STRING } from '../types.ts';
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

describe('an evaluation is stopped before it', () => {
  it.each<[string, string]>([
    ['asks for the size of a long text again and again', 'ints.all(i, text.size() > i || true)'],
    ['takes characters of a long text again and again', "ints.all(i, text.charAt(i) == 'a')"],
    ['reads a long text as a number again and again', 'ints.all(i, int(text) == i || true)'],
    ['compares a list inside a list again and again', 'ints.all(i, [ints] == [ints])'],
    ['finds matches that each look at the whole text', "text.findAll('a.*b|a').size() == 0"],
    ['compiles patterns again and again', "ints.all(i, 'a'.matches('[\\\\pL' + string(i) + ']{900}') || true)"],
    ['doubles a text whose type is not known', doubled("dyn('0123456789')", 40)],
    ['doubles bytes whose type is not known', doubled("dyn(b'0123456789')", 40)],
    [
      'replaces characters by long texts, again and again',
      "lists.range(2000).map(i, text.substring(0, 1000).replace('a', text.substring(0, 30000))).size() == 1",
    ],
    [
      'formats long texts, again and again',
      "lists.range(1000).map(i, '%s%s%s'.format([text, text, text])).size() == 1",
    ],
    [
      'formats what it has formatted',
      `['0123456789']${".map(x, '%s%s%s%s'.format([x, x, x, x]))".repeat(14)}.size() == 1`,
    ],
    ['compares all items of two long lists', 'sets.equivalent(ints, ints)'],
    ['looks for all items of a list in another', 'sets.intersects(ints, ints.map(i, -1 - i))'],
    ['compiles a huge pattern', "'b'.matches(text.replace('a', 'a?'))"],
    ['tries every part of a large pattern everywhere', "text.matches('a{1,500}$')"],
  ])('%s', (_, source) => {
    const outcome = run(source);
    expect(outcome).toHaveProperty('error');
    expect('error' in outcome && outcome.error).toBeInstanceOf(CelStopped);
    expect('error' in outcome && outcome.error.message).toBe('operation cancelled: actual cost limit exceeded');
  });

  it('has as much as before for the next one', () => {
    for (let i = 0; i < 12; i++)
      expect(run("text.replace('a', 'bc').size() == 2000000")).toMatchObject({ value: true });
  });
});

describe('macros that copy what they are called on', () => {
  it('may be chained', () => {
    expect(run("optional.of('a').optMap(x, x + x).optMap(x, x + x).value() == 'aaaa'")).toMatchObject({ value: true });
  });

  it('are refused where the copies become too many', () => {
    const result = environment.check(`optional.of('a')${'.optMap(x, x + x)'.repeat(40)}.value() == 'a'`);
    expect(result).toMatchObject({
      ok: false,
      issues: [{ message: 'macros copy too much of the expression: limit 100000' }],
    });
  });
});
