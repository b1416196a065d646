import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareInstant,
  formatMicroTime,
  formatTime,
  instantFromMillis,
  microTimeFromJson,
  microTimeToJson,
  parseMicroTime,
  parseTime,
  timeFromJson,
  timeToJson,
  ZERO_INSTANT,
} from './time.ts';

describe('Time', () => {
  it.each([
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z', 0],
    ['2024-01-01T00:30:00+01:00', '2023-12-31T23:30:00Z', 0],
    ['2024-01-01T00:00:00.5-00:30', '2024-01-01T00:30:00Z', 500_000_000],
    ['2024-01-01T00:00:00,123456789999Z', '2024-01-01T00:00:00Z', 123_456_789],
    ['2024-01-01T5:00:00Z', '2024-01-01T05:00:00Z', 0],
    ['2024-01-01T00:00:00+24:60', '2023-12-30T23:00:00Z', 0],
    ['9999-12-31T23:59:59-01:00', '10000-01-01T00:59:59Z', 0],
    ['0000-01-01T00:00:00+01:00', '-0001-12-31T23:00:00Z', 0],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00Z', 0],
  ])('reads %s', (text, printed, nanos) => {
    const parsed = parseTime(text);
    if (!parsed.ok) throw new Error(parsed.message);
    expect(formatTime(parsed.value)).toBe(printed);
    expect(parsed.value.nanos).toBe(nanos);
  });

  it.each([
    ['', 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
    ['2024-1-01', 'parsing time "2024-1-01" as "2006-01-02T15:04:05Z07:00": cannot parse "1-01" as "01"'],
    ['2024-13-01T00:00:00Z', 'parsing time "2024-13-01T00:00:00Z": month out of range'],
    ['2023-02-29T00:00:00Z', 'parsing time "2023-02-29T00:00:00Z": day out of range'],
    ['2024-01-01T24:00:00Z', 'parsing time "2024-01-01T24:00:00Z": hour out of range'],
    ['2024-01-01T00:00:00Zx', 'parsing time "2024-01-01T00:00:00Zx": extra text: "x"'],
    [
      '2024-01-01 00:00:00Z',
      'parsing time "2024-01-01 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T"',
    ],
    [
      '2024-01-01T00:00:00',
      'parsing time "2024-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
    ],
    ['2024-01-01T00:00:00+25:00', 'parsing time "2024-01-01T00:00:00+25:00": time zone offset hour out of range'],
  ])('refuses %j', (text, message) => {
    expect(parseTime(text)).toEqual({ ok: false, message });
  });

  it('has null for the zero instant', () => {
    expect(timeFromJson(null)).toEqual({ ok: true, value: ZERO_INSTANT });
    expect(timeToJson(ZERO_INSTANT)).toBeNull();
    expect(microTimeToJson(ZERO_INSTANT)).toBeNull();
    expect(formatTime(ZERO_INSTANT)).toBe('0001-01-01T00:00:00Z');
  });

  it('takes only text from JSON', () => {
    const message = 'json: cannot unmarshal object into Go value of type string';
    expect(timeFromJson({})).toEqual({ ok: false, message });
    expect(microTimeFromJson({})).toEqual({ ok: false, message });
  });
});

describe('MicroTime', () => {
  it('reads and prints exactly six digits', () => {
    const parsed = parseMicroTime('2024-01-01T00:00:00.000042Z');
    expect(parsed).toEqual({ ok: true, value: { seconds: 1704067200, nanos: 42_000 } });
    expect(formatMicroTime({ seconds: 1704067200, nanos: 42_999 })).toBe('2024-01-01T00:00:00.000042Z');
    const layout = '2006-01-02T15:04:05.000000Z07:00';
    expect(parseMicroTime('2024-01-01T00:00:00Z')).toEqual({
      ok: false,
      message: `parsing time "2024-01-01T00:00:00Z" as "${layout}": cannot parse "Z" as ".000000"`,
    });
    expect(parseMicroTime('2024-01-01T00:00:00.1234567Z')).toMatchObject({ ok: false });
  });
});

describe('laws', () => {
  const millis = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });

  it('reads back what it prints, in order', () => {
    fc.assert(
      fc.property(millis, millis, (a, b) => {
        const x = instantFromMillis(a);
        expect(parseMicroTime(formatMicroTime(x))).toEqual({ ok: true, value: x });
        expect(parseTime(formatTime(x))).toEqual({ ok: true, value: { ...x, nanos: 0 } });
        expect(Math.sign(compareInstant(x, instantFromMillis(b)))).toBe(Math.sign(a - b));
      }),
      { seed: 20242, numRuns: 300 },
    );
  });
});
