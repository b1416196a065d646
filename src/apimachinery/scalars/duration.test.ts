import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationFromJson, formatDuration, parseDuration } from './duration.ts';

describe('durations', () => {
  it.each([
    ['0', 0n, '0s'],
    ['1h30m', 5400_000_000_000n, '1h30m0s'],
    ['1.5s', 1_500_000_000n, '1.5s'],
    ['-300ms', -300_000_000n, '-300ms'],
    ['1us', 1000n, '1\u00b5s'],
    ['1.5\u03bcs', 1500n, '1.5\u00b5s'],
    ['.5h', 1800_000_000_000n, '30m0s'],
    ['1h0.000000001s', 3600_000_000_001n, '1h0m0.000000001s'],
    ['-9223372036854775808ns', -(2n ** 63n), '-2562047h47m16.854775808s'],
  ])('reads %s', (text, value, printed) => {
    expect(parseDuration(text)).toEqual({ ok: true, value });
    expect(formatDuration(value)).toBe(printed);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    ['.s', 'time: invalid duration ".s"'],
    ['5', 'time: missing unit in duration "5"'],
    ['5d', 'time: unknown unit "d" in duration "5d"'],
    ['1h\u00e9', 'time: unknown unit "h\\xc3\\xa9" in duration "1h\\xc3\\xa9"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['9999999999999999999999h', 'time: invalid duration "9999999999999999999999h"'],
  ])('refuses %j', (text, message) => {
    expect(parseDuration(text)).toEqual({ ok: false, message });
  });

  it('takes only text from JSON', () => {
    expect(durationFromJson('2s')).toEqual({ ok: true, value: 2_000_000_000n });
    expect(durationFromJson(null)).toEqual({ ok: false, message: 'time: invalid duration ""' });
    expect(durationFromJson(5)).toEqual({
      ok: false,
      message: 'json: cannot unmarshal number into Go value of type string',
    });
  });

  it('reads back what it prints', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(parseDuration(formatDuration(value))).toEqual({ ok: true, value });
      }),
      { seed: 20241, numRuns: 300 },
    );
  });
});
