import { describe, expect, test } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

describe('a unified diff', () => {
  test('shows three lines of context around each change and groups near changes', () => {
    const lines = (changed: readonly number[]) =>
      Array.from({ length: 24 }, (_, i) => (changed.includes(i) ? `x${i}` : `${i}`));
    expect(unifiedDiff(lines([]), lines([2, 8, 20]))).toBe(
      [
        '@@ -1,13 +1,13 @@',
        ' [',
        '  "0",',
        '  "1",',
        '- "2",',
        '+ "x2",',
        '  "3",',
        '  "4",',
        '  "5",',
        '  "6",',
        '  "7",',
        '- "8",',
        '+ "x8",',
        '  "9",',
        '  "10",',
        '  "11",',
        '@@ -19,7 +19,7 @@',
        '  "17",',
        '  "18",',
        '  "19",',
        '- "20",',
        '+ "x20",',
        '  "21",',
        '  "22",',
        '  "23"',
        '',
      ].join('\n'),
    );
  });

  test('counts lines as diff does and escapes HTML characters', () => {
    expect(unifiedDiff(null, null)).toBe('');
    expect(unifiedDiff(1, '<&>')).toBe('@@ -1 +1 @@\n-1\n+"\\u003c\\u0026\\u003e"\n');
    expect(unifiedDiff({}, { a: [] })).toBe('@@ -1 +1,3 @@\n-{}\n+{\n+ "a": []\n+}\n');
  });

  test('matches the longest common run first', () => {
    expect(unifiedDiff(['a', 'b', 'x', 'y', 'z'], ['x', 'y', 'z', 'a', 'b'])).toBe(
      '@@ -1,7 +1,7 @@\n [\n- "a",\n- "b",\n  "x",\n  "y",\n- "z"\n+ "z",\n+ "a",\n+ "b"\n ]\n',
    );
  });

  test('is empty for very long texts', () => {
    expect(unifiedDiff(Array(3000).fill(1), [])).toBe('');
  });
});
