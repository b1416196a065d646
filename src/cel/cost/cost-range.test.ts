import { describe, expect, it } from 'vitest';
import {
  addRanges,
  fixed,
  formatBound,
  multiplyRanges,
  scaleRange,
  UNBOUNDED,
  UNKNOWN_SIZE,
  uniteRanges,
  wrappingMultiplyAdd,
  wrappingSubtract,
} from './cost-range.ts';

describe('ranges', () => {
  it('saturate like in cel-go', () => {
    expect(addRanges(UNKNOWN_SIZE, fixed(5))).toEqual({ min: 5, max: UNBOUNDED });
    expect(multiplyRanges(UNKNOWN_SIZE, fixed(3))).toEqual({ min: 0, max: UNBOUNDED });
    expect(scaleRange(fixed(UNBOUNDED), 2)).toEqual(fixed(UNBOUNDED));
  });

  it('are zero if zero is multiplied by no bound', () => {
    expect(multiplyRanges(UNKNOWN_SIZE, fixed(0))).toEqual(fixed(0));
  });

  it('are scaled and rounded up, also without a bound', () => {
    expect(scaleRange({ min: 1, max: 11 }, 0.1)).toEqual({ min: 1, max: 2 });
    expect(scaleRange(UNKNOWN_SIZE, 0.1)).toEqual({ min: 0, max: Number(1844674407370955264n) });
  });

  it('unite to the smallest range that contains both', () => {
    expect(uniteRanges({ min: 2, max: 3 }, { min: 1, max: 2 })).toEqual({ min: 1, max: 3 });
  });

  it('overflow where uint64 overflows in cel-go', () => {
    expect(wrappingMultiplyAdd(5, 2, 2)).toBe(12);
    expect(wrappingMultiplyAdd(UNBOUNDED, 2, 2)).toBe(0);
    expect(wrappingSubtract(3, 1)).toBe(2);
    expect(wrappingSubtract(1, 3)).toBe(2 ** 64 - 2);
  });

  it('print the maximum like cel-go', () => {
    expect(formatBound(UNBOUNDED)).toBe('18446744073709551615');
    expect(formatBound(Number(1844674407370955264n))).toBe('1844674407370955264');
    expect(formatBound(0)).toBe('0');
  });
});
