/**
 * The strings library in the version that the specification describes. The expected values are those of cel-go 0.26.
 */
import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../../create-environment.ts';
import { showValue } from '../../show-value.fixtures.ts';
import { STANDARD_LIBRARY } from '../standard/standard.ts';
import { STANDARD_STRINGS_LIBRARY } from './standard-strings.fixtures.ts';

const ENVIRONMENT = createEnvironment({
  libraries: [STANDARD_LIBRARY, STANDARD_STRINGS_LIBRARY],
  variables: [],
  homogeneousLiterals: false,
  validateLiterals: false,
});

function outcome(source: string): string {
  const result = ENVIRONMENT.check(source);
  if (!result.ok) return `issue: ${result.issues[0]?.message}`;
  const ended = ENVIRONMENT.program(result.checked).run([]);
  return 'error' in ended ? `error: ${ended.error.message}` : showValue(ended.value);
}

describe('version 4 of the strings library', () => {
  it.each([
    ["'abc'.reverse()", '"cba"'],
    ["'a😀'.reverse()", '"😀a"'],
    ["'%f'.format([1234567.8912])", '"1234567.891200"'],
    ["'%.0f'.format([2.5])", '"2"'],
    ["'%e'.format([1052.032911275])", '"1.052033e+03"'],
    ["'%.2e'.format([1052.032911275])", '"1.05e+03"'],
    ["'%d'.format([1.5])", '"1.5"'],
    ["'%d'.format([1e21])", '"1000000000000000000000"'],
    ["'%s'.format([1e21])", '"1000000000000000000000"'],
    ["'%s'.format([[1.5, 'a', b'b', null, true]])", '"[1.5, a, b, null, true]"'],
    ["'%s'.format([{'b': 2, 'a': [1]}])", '"{a: [1], b: 2}"'],
    ["'%s'.format([duration('1h1.5s')])", '"3601.5s"'],
    ["'%s'.format([timestamp('2023-02-03T23:31:20+01:00')])", '"2023-02-03T22:31:20Z"'],
    ["'%s'.format([[duration('1s'), timestamp('2023-01-01T00:00:00Z')]])", '"[1s, 2023-01-01T00:00:00Z]"'],
    ["'%s'.format([double('NaN')])", '"NaN"'],
    ["'%f'.format([double('-Infinity')])", '"-Infinity"'],
    ["'%x'.format([b'\\xff'])", '"ff"'],
    ["'%X'.format([-30])", '"-1E"'],
    ["'%b'.format([true])", '"1"'],
    ["'%o'.format([-11])", '"-13"'],
    ["'%s'.format([type(1)])", '"int"'],
    ["'%s'.format([1u])", '"1"'],
    ["'%d'.format([18446744073709551615u])", '"18446744073709551615"'],
    ["'%e'.format([0.0])", '"0.000000e+00"'],
    ["'%.10f'.format([0.1])", '"0.1000000000"'],
    ["'%f'.format([-0.0])", '"-0.000000"'],
    ["'%.1f'.format([0.25])", '"0.2"'],
    ["'%.1f'.format([0.35])", '"0.3"'],
    ["'%.3f'.format([1e-10])", '"0.000"'],
    ["'%e'.format([9.9999999])", '"1.000000e+01"'],
    ["'%.0e'.format([9.5])", '"1e+01"'],
  ])('%s is %s', (source, expected) => {
    expect(outcome(source)).toBe(expected);
  });
});
