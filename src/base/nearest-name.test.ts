import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

describe('nearestName', () => {
  it.each([
    ['converson', 'conversion'],
    ['conversions', 'conversion'],
    ['Conversion', 'conversion'],
    ['storage', undefined],
    ['', undefined],
  ])('of %j is %j', (wanted, expected) => {
    expect(nearestName(wanted, ['conversion', 'priority'])).toBe(expected);
  });
});
