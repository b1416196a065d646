import { describe, expect, it } from 'vitest';
import { intOrStringFromJson, intValue } from './int-or-string.ts';

describe('int-or-string', () => {
  it('takes an int32 or text from JSON, and null as zero', () => {
    expect(intOrStringFromJson(5)).toEqual({ ok: true, value: 5 });
    expect(intOrStringFromJson('50%')).toEqual({ ok: true, value: '50%' });
    expect(intOrStringFromJson(null)).toEqual({ ok: true, value: 0 });
  });

  it.each([
    [1.5, 'json: cannot unmarshal number 1.5 into Go value of type int32'],
    [2147483648, 'json: cannot unmarshal number 2147483648 into Go value of type int32'],
    [9007199254740993n, 'json: cannot unmarshal number 9007199254740993 into Go value of type int32'],
    [true, 'json: cannot unmarshal bool into Go value of type int32'],
    [[], 'json: cannot unmarshal array into Go value of type int32'],
    [{}, 'json: cannot unmarshal object into Go value of type int32'],
  ])('refuses %s', (value, message) => {
    expect(intOrStringFromJson(value)).toEqual({ ok: false, message });
  });

  it('gives the integer of text that is one, and zero for other text', () => {
    expect(intValue('12')).toBe(12);
    expect(intValue('http')).toBe(0);
    expect(intValue('99999999999999999999')).toBe(2 ** 63);
  });
});
