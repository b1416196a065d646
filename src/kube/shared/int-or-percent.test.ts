import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { intOrPercentValue, validateAtMost100Percent, validateNonnegativeIntOrPercent } from './int-or-percent.ts';

const PATH = FieldPath.of('x');

describe('an integer or percentage', () => {
  test.each([undefined, 0, 5, '0%', '250%'])('may be %s', (value) => {
    expect(validateNonnegativeIntOrPercent(value, PATH)).toEqual([]);
  });

  test('is invalid if malformed or negative', () => {
    expect(validateNonnegativeIntOrPercent(-1, PATH).map(formatIssue)).toEqual([
      'x: Invalid value: -1: must be greater than or equal to 0',
    ]);
    expect(validateNonnegativeIntOrPercent('5', PATH).map(formatIssue)).toEqual([
      `x: Invalid value: "5": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
    ]);
  });

  test('is at most 100%', () => {
    expect(['100%', 500, 'x%'].flatMap((value) => validateAtMost100Percent(value, PATH))).toEqual([]);
    expect(validateAtMost100Percent('101%', PATH).map(formatIssue)).toEqual([
      'x: Invalid value: "101%": must not be greater than 100%',
    ]);
  });

  test.each([
    [undefined, 0],
    [3, 3],
    ['40%', 40],
    ['7', 7],
    ['x', 0],
  ])('of %s counts as %s', (value, expected) => {
    expect(intOrPercentValue(value)).toBe(expected);
  });
});
