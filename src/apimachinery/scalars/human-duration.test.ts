import { describe, expect, test } from 'vitest';
import { formatHumanDuration } from './human-duration.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const Y = 365 * D;

describe('formatHumanDuration', () => {
  const cases: readonly (readonly [milliseconds: number, text: string])[] = [
    [0, '0s'],
    [999, '0s'],
    [-1999, '0s'],
    [-2000, '<invalid>'],
    [119 * S, '119s'],
    [2 * M, '2m'],
    [2 * M + 1 * S, '2m1s'],
    [10 * M - 1, '9m59s'],
    [10 * M + 59 * S, '10m'],
    [3 * H - 1, '179m'],
    [3 * H, '3h'],
    [3 * H + 5 * M, '3h5m'],
    [8 * H - 1, '7h59m'],
    [8 * H + 59 * M, '8h'],
    [2 * D - 1, '47h'],
    [2 * D, '2d'],
    [2 * D + 3 * H, '2d3h'],
    [8 * D + 3 * H, '8d'],
    [2 * Y - 1, '729d'],
    [2 * Y, '2y'],
    [2 * Y + 10 * D, '2y10d'],
    [8 * Y + 10 * D, '8y'],
  ];
  test.each(cases)('%d ms is %s', (milliseconds, text) => {
    expect(formatHumanDuration(milliseconds)).toBe(text);
  });
});
