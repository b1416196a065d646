import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { validateConditions } from './conditions.ts';

const PATH = FieldPath.of('status', 'conditions');
const GOOD = { type: 'A', status: 'True', reason: 'R', message: '', lastTransitionTime: '2020-01-01T00:00:00Z' };

describe('conditions', () => {
  test('are valid if complete', () => {
    expect(validateConditions([GOOD, { ...GOOD, type: 'example.com/B', reason: 'A,B:c_' }], PATH)).toEqual([]);
  });

  test('are invalid if a field is missing or malformed or a type occurs twice', () => {
    const bad = { type: 'A', status: 'Maybe', observedGeneration: -1, reason: '9', message: 'm'.repeat(32769) };
    expect(validateConditions([GOOD, bad, { ...GOOD, type: 'b c', reason: '' }], PATH).map(formatIssue)).toEqual([
      'status.conditions[1].type: Duplicate value: "A"',
      'status.conditions[1].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      'status.conditions[1].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
      'status.conditions[1].lastTransitionTime: Required value',
      expect.stringMatching(
        /^status\.conditions\[1\]\.reason: Invalid value: "9": a condition reason must start with /,
      ),
      'status.conditions[1].message: Too long: may not be more than 32768 bytes',
      expect.stringMatching(/^status\.conditions\[2\]\.type: Invalid value: "b c": name part must consist of /),
      'status.conditions[2].reason: Required value',
    ]);
  });
});
