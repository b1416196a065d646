import { describe, expect, it } from 'vitest';
import cases from '../testdata/format-cases.json' with { type: 'json' };
import { formatCheck, isKnownFormat } from './format-check.ts';
import { parseDate, parseDateTime, parseFormatDuration } from './times.ts';

describe('formats', () => {
  it.each(Object.entries(cases))('takes and refuses what the reference does as %s', (format, { good, bad }) => {
    const check = formatCheck(format);
    expect(good.filter((text) => check?.(text) !== true)).toEqual([]);
    expect(bad.filter((text) => check?.(text) !== false)).toEqual([]);
  });

  it('compares names without dashes and knows which formats fit which type', () => {
    expect(formatCheck('datetime')).toBe(formatCheck('date-time'));
    expect(formatCheck('colour')).toBeUndefined();
    expect(isKnownFormat('integer', 'int32')).toBe(true);
    expect(isKnownFormat('string', 'int32')).toBe(false);
    expect(isKnownFormat('', 'uuid')).toBe(true);
    expect(isKnownFormat('object', 'uuid')).toBe(false);
  });

  it('takes time in proportion to the text', () => {
    const long = 'a'.repeat(200_000);
    const started = performance.now();
    for (const format of Object.keys(cases))
      for (const text of [long, `${long}@`, `1.${long}`, `${'1 '.repeat(50_000)}x`]) formatCheck(format)?.(text);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('parses times and durations to nanoseconds', () => {
    expect(parseDate('1970-01-02')).toBe(86_400_000_000_000n);
    expect(parseDate('0001-01-01')).toBe(-62_135_596_800_000_000_000n);
    expect(parseDateTime('1970-01-01T00:00:01.5Z')).toBe(1_500_000_000n);
    expect(parseDateTime('1970-01-01T00:00:01')).toBe(1_000_000_000n);
    expect(parseFormatDuration('2 days')).toBe(172_800_000_000_000n);
    expect(parseFormatDuration('soon')).toBeUndefined();
  });
});
