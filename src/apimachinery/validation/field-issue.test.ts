import { describe, expect, it } from 'vitest';
import {
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  formatIssue,
  formatIssueBody,
  formatIssues,
  internalError,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-issue.ts';
import { FieldPath } from './field-path.ts';

const path = FieldPath.of('spec', 'a');

describe('formatIssue', () => {
  it.each<[FieldIssue, string]>([
    [notFound(path, 'x'), 'spec.a: Not found: "x"'],
    [required(path, ''), 'spec.a: Required value'],
    [required(path, 'name it'), 'spec.a: Required value: name it'],
    [duplicate(path, 'x'), 'spec.a: Duplicate value: "x"'],
    [invalid(path, 'x"', 'no quotes'), 'spec.a: Invalid value: "x\\"": no quotes'],
    [notSupported(path, 'x', ['A', 'B']), 'spec.a: Unsupported value: "x": supported values: "A", "B"'],
    [notSupported(path, 'x', []), 'spec.a: Unsupported value: "x"'],
    [forbidden(path, 'not here'), 'spec.a: Forbidden: not here'],
    [tooLong(path, 'secret', 10), 'spec.a: Too long: may not be more than 10 bytes'],
    [tooLong(path, 'secret', 1), 'spec.a: Too long: may not be more than 1 byte'],
    [tooLong(path, 'secret', -1), 'spec.a: Too long: value is too long'],
    [tooMany(path, 3, 1), 'spec.a: Too many: 3: must have at most 1 item'],
    [tooMany(path, -1, 2), 'spec.a: Too many: must have at most 2 items'],
    [tooMany(path, 3, -1), 'spec.a: Too many: 3: has too many items'],
    [typeInvalid(path, 5, 'must be text'), 'spec.a: Invalid value: 5: must be text'],
    [internalError(path, 'broke'), 'spec.a: Internal error: broke'],
    [invalid(undefined, 'x', 'bad'), '<nil>: Invalid value: "x": bad'],
  ])('%# prints as the reference does', (issue, expected) => {
    expect(formatIssue(issue)).toBe(expected);
  });

  it('prints values of every type', () => {
    const texts = [null, true, 9007199254740993n, 0.5, [], { b: 1, a: '<' }].map((value) =>
      formatIssueBody(invalid(path, value, '')),
    );
    expect(texts).toEqual([
      'Invalid value: null',
      'Invalid value: true',
      'Invalid value: 9007199254740993',
      'Invalid value: 0.5',
      'Invalid value: []',
      'Invalid value: {"a":"\\u003c","b":1}',
    ]);
  });

  it('prints a value of a declared type as JSON, in the order of its keys', () => {
    expect(formatIssueBody(declared(invalid(path, { b: 1, a: '<' }, '')))).toBe('Invalid value: {"b":1,"a":"\\u003c"}');
    expect(formatIssueBody(declared(invalid(path, 'a<\u00a0', '')))).toBe('Invalid value: "a\\u003c\u00a0"');
  });
});

describe('formatIssues', () => {
  it('prints one issue alone, several in brackets and none as nothing', () => {
    const a = required(path, '');
    const b = forbidden(path, 'x');
    expect(formatIssues([])).toBe('');
    expect(formatIssues([a])).toBe('spec.a: Required value');
    expect(formatIssues([a, b])).toBe('[spec.a: Required value, spec.a: Forbidden: x]');
  });

  it('prints a repeated text once, and without brackets if nothing else remains', () => {
    const a = required(path, '');
    const b = forbidden(path, 'x');
    expect(formatIssues([a, b, a])).toBe('[spec.a: Required value, spec.a: Forbidden: x]');
    expect(formatIssues([a, a])).toBe('spec.a: Required value');
  });
});
