import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { invalidSelector, isEmptySelector, labelsDoNotMatch, selectorMatches } from './label-selector.ts';

describe('a selector', () => {
  test('matches labels: none if absent, all if empty', () => {
    const selector = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'DoesNotExist' }] };
    expect(selectorMatches(selector, { a: 'b' })).toBe(true);
    expect(selectorMatches(selector, { a: 'b', c: '' })).toBe(false);
    expect(selectorMatches(undefined, { a: 'b' })).toBe(false);
    expect(selectorMatches({}, undefined)).toBe(true);
  });

  test('has no result if invalid', () => {
    expect(selectorMatches({ matchExpressions: [{ key: 'a', operator: 'Foo' }] }, {})).toBeUndefined();
    expect(selectorMatches({ matchLabels: { constructor: 'x' } }, {})).toBe(false);
  });

  test('is empty without requirements', () => {
    expect(isEmptySelector({ matchLabels: {}, matchExpressions: [] })).toBe(true);
    expect(isEmptySelector({ matchExpressions: [{ key: 'a', operator: 'Exists' }] })).toBe(false);
  });

  test('is the value of an issue about it', () => {
    expect(formatIssue(invalidSelector({ matchLabels: { b: '1' } }, FieldPath.of('s'), 'bad'))).toBe(
      's: Invalid value: {"matchLabels":{"b":"1"}}: bad',
    );
    expect(formatIssue(labelsDoNotMatch(undefined, FieldPath.of('t')))).toBe(
      't.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    );
  });
});
