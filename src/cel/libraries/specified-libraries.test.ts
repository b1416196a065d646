/** The libraries that the specification describes and Kubernetes does not have, or not in this version. What is expected is what cel-go 0.26 says. */
import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../create-environment.ts';
import { showValue } from '../show-value.fixtures.ts';
import { ENCODERS_LIBRARY } from './encoders.ts';
import { MATH_LIBRARY } from './math.ts';
import { STANDARD_LIBRARY } from './standard.ts';
import { STANDARD_STRINGS_LIBRARY } from './strings.ts';

const ENVIRONMENT = createEnvironment({
  libraries: [STANDARD_LIBRARY, STANDARD_STRINGS_LIBRARY, MATH_LIBRARY, ENCODERS_LIBRARY],
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

describe('libraries of the specification', () => {
  it.each([
    ['math.greatest(1)', '1'],
    ['math.greatest(1, 2.0)', 'double(2)'],
    ['math.greatest(1u, 2)', '2'],
    ['math.greatest(1, 2, 3)', '3'],
    ['math.greatest([1, 5, 3])', '5'],
    ['math.greatest([1.5, 2.5])', 'double(2.5)'],
    ['math.greatest()', 'issue: math.greatest() requires at least one argument'],
    ["math.greatest('a')", 'issue: math.greatest() invalid single argument value'],
    ["math.greatest(1, 'a')", 'issue: math.greatest() simple literal arguments must be numeric'],
    ['math.greatest([])', 'issue: math.greatest() invalid single argument value'],
    ['math.greatest({})', 'issue: math.greatest() invalid single argument value'],
    ["math.greatest(dyn('a'))", 'error: no such overload: math.@max(string)'],
    ['math.least(1, 2.0)', '1'],
    ['math.least(3u, 2, 1.5)', 'double(1.5)'],
    ['math.least(dyn([]))', 'error: math.@min(list) argument must not be empty'],
    ['math.least([1, 2u])', '1'],
    ['math.least(-1)', '-1'],
    ['math.least(5, 5.0)', '5'],
    ['math.ceil(1.2)', 'double(2)'],
    ['math.floor(-1.2)', 'double(-2)'],
    ['math.round(2.5)', 'double(3)'],
    ['math.round(-2.5)', 'double(-3)'],
    ['math.round(0.49999999999999994)', 'double(0)'],
    ['math.round(4503599627370497.5)', 'double(4.503599627370498e+15)'],
    ["math.round(double('NaN'))", 'double(NaN)'],
    ["math.round(double('Infinity'))", 'double(+Inf)'],
    ['math.trunc(-1.7)', 'double(-1)'],
    ['math.isInf(1.0/0.0)', 'true'],
    ['math.isNaN(0.0/0.0)', 'true'],
    ['math.isFinite(1.0)', 'true'],
    ['math.abs(-5)', '5'],
    ['math.abs(-5.5)', 'double(5.5)'],
    ['math.abs(5u)', '5u'],
    ['math.abs(-9223372036854775808)', 'error: integer overflow'],
    ['math.sign(-3)', '-1'],
    ['math.sign(0.0)', 'double(0)'],
    ['math.sign(-2.5)', 'double(-1)'],
    ["math.sign(double('NaN'))", 'double(NaN)'],
    ['math.sign(0u)', '0u'],
    ['math.sign(4u)', '1u'],
    ['math.sqrt(49)', 'double(7)'],
    ['math.sqrt(2.0)', 'double(1.4142135623730951)'],
    ['math.sqrt(-1)', 'double(NaN)'],
    ['math.sqrt(4u)', 'double(2)'],
    ['math.bitAnd(5, 3)', '1'],
    ['math.bitAnd(5u, 3u)', '1u'],
    ['math.bitOr(-5, 3)', '-5'],
    ['math.bitXor(5, 3)', '6'],
    ['math.bitXor(1u, 3u)', '2u'],
    ['math.bitNot(1)', '-2'],
    ['math.bitNot(0u)', '18446744073709551615u'],
    ['math.bitNot(-1)', '0'],
    ['math.bitShiftLeft(1, 2)', '4'],
    ['math.bitShiftLeft(1, 63)', '-9223372036854775808'],
    ['math.bitShiftLeft(1, 64)', '0'],
    ['math.bitShiftLeft(1u, 200)', '0u'],
    ['math.bitShiftLeft(1, -1)', 'error: math.bitShiftLeft() negative offset: -1'],
    ['math.bitShiftRight(-1, 60)', '15'],
    ['math.bitShiftRight(1024, 2)', '256'],
    ['math.bitShiftRight(1024u, 64)', '0u'],
    ['math.bitShiftRight(1u, -2)', 'error: math.bitShiftRight() negative offset: -2'],
    ["base64.encode(b'hello')", '"aGVsbG8="'],
    ["base64.encode(b'')", '""'],
    ["base64.decode('aGVsbG8=')", 'b68656c6c6f'],
    ["base64.decode('aGVsbG8')", 'b68656c6c6f'],
    ["base64.decode('')", 'b'],
    ["base64.encode(b'\\xff\\x00')", '"/wA="'],
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
