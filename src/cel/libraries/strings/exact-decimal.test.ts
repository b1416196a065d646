import { describe, expect, it } from 'vitest';
import { toExponentialExact, toFixedExact } from './exact-decimal.ts';

describe('toFixedExact', () => {
  it.each([
    [0, 2, '0.00'],
    [2.5, 0, '2'],
    [3.5, 0, '4'],
    [0.25, 1, '0.2'],
    [0.35, 1, '0.3'],
    [0.05, 1, '0.1'],
    [0.5, 0, '0'],
    [0.04, 1, '0.0'],
    [0.1, 20, '0.10000000000000000555'],
    [999999.9999999, 6, '1000000.000000'],
    [1e22, 1, '10000000000000000000000.0'],
    [5e-324, 3, '0.000'],
    [1234.5678, 2, '1234.57'],
  ])('writes %d with %d digits as %s', (value, precision, text) => {
    expect(toFixedExact(value, precision)).toBe(text);
  });
});

describe('toExponentialExact', () => {
  it.each([
    [0, 2, '0.00', 0],
    [1052.032911275, 6, '1.052033', 3],
    [0.00001234, 6, '1.234000', -5],
    [9.9999999, 2, '1.00', 1],
    [9.5, 0, '1', 1],
    [8.5, 0, '8', 0],
    [1e100, 3, '1.000', 100],
  ])('writes %d with %d digits as %s and %d', (value, precision, mantissa, exponent) => {
    expect(toExponentialExact(value, precision)).toEqual({ mantissa, exponent });
  });
});
