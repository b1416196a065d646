import { describe, expect, test } from 'vitest';
import { overlappingIndex, parseIndexes } from './job-indexes.ts';

describe('indexes', () => {
  test.each([
    ['', 0],
    ['4', 1],
    ['1-2,4', 3],
    ['+1', 1],
  ])('%s are counted', (text, count) => {
    expect(parseIndexes(text, 5)).toEqual({ ok: true, count });
  });

  test.each([
    ['4-2', 'non-increasing order, previous: 4, current: 2'],
    ['1,1', 'non-increasing order, previous: 1, current: 1'],
    ['7', 'too large index: "7"'],
    ['1-x', 'cannot convert string to integer for index: "x"'],
    ['1,', 'cannot convert string to integer for index: ""'],
    [
      '1-2-3',
      `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
    ],
  ])('%s are invalid', (text, message) => {
    expect(parseIndexes(text, 5)).toEqual({ ok: false, message });
  });

  test('of two lists overlap at the first index that is in both', () => {
    expect(overlappingIndex('0,2-4', '1,3', 5)).toBe(3);
    expect(overlappingIndex('0,2', '1,3-4', 5)).toBeUndefined();
    expect(overlappingIndex('x,1', 'y,1', 5)).toBe(1);
    expect(overlappingIndex('', '1', 5)).toBeUndefined();
  });
});
