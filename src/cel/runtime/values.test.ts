import { describe, expect, test } from 'vitest';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelOptional,
  CelTimestamp,
  CelUint,
  type Value,
} from '../values.ts';
import { compareValues, equalValues } from './equality.ts';
import { formatLiteral, formatPlain } from './format-value.ts';
import { formatDecimal, parseGoFloat } from './go-strconv.ts';
import { addInts, divideInts, intOf, intOfDouble, MAX_INT, MIN_INT, moduloInts, multiplyInts } from './integers.ts';
import { concatLists, entriesOf, insertEntry, NativeList, NativeMap, valueFromJson } from './native-values.ts';
import { codePoints, sizeForCost } from './sizes.ts';
import { formatTimestamp, inZone, parseTimestamp } from './timestamps.ts';

describe('ints', () => {
  test('are numbers if they are safe integers, and otherwise bigints', () => {
    expect(addInts(Number.MAX_SAFE_INTEGER, 1)).toBe(9_007_199_254_740_992n);
    expect(addInts(9_007_199_254_740_992n, -1)).toBe(Number.MAX_SAFE_INTEGER);
    expect(multiplyInts(3_037_000_499, 3_037_000_499)).toBe(9_223_372_030_926_249_001n);
  });

  test('fail out of the range of 64 bits', () => {
    expect(() => addInts(MAX_INT, 1)).toThrow('integer overflow');
    expect(() => divideInts(MIN_INT, -1)).toThrow('integer overflow');
    expect(() => moduloInts(MIN_INT, -1)).toThrow('integer overflow');
    expect(() => intOf(2n ** 63n)).toThrow('integer overflow');
    expect(() => intOfDouble(2 ** 63)).toThrow('integer overflow');
    expect(() => intOfDouble(Number.NaN)).toThrow('integer overflow');
  });

  test('are never minus zero', () => {
    expect([multiplyInts(0, -5), divideInts(-1, 2), moduloInts(-4, 2), intOfDouble(-0.5)]).toEqual([0, 0, 0, 0]);
  });
});

describe('equality', () => {
  test.each<[Value, Value, boolean]>([
    [1, new CelDouble(1), true],
    [1, new CelUint(1n), true],
    [new CelUint(2n ** 63n), new CelDouble(2 ** 63), true],
    [-1, new CelUint(2n ** 64n - 1n), false],
    [new CelDouble(Number.NaN), new CelDouble(Number.NaN), false],
    [1, '1', false],
    [true, 1, false],
    [null, false, false],
    [new CelTimestamp(5n, 3600), new CelTimestamp(5n), true],
    [new CelDuration(5n), new CelTimestamp(5n), false],
    [new CelOptional(1), new CelOptional(new CelDouble(1)), true],
    [new CelOptional(undefined), new CelOptional(1), false],
    [valueFromJson([1, { a: [2] }]), valueFromJson([1, { a: [2] }]), true],
    [valueFromJson({ a: 1 }), valueFromJson({ b: 1 }), false],
    [new Uint8Array([1]), new Uint8Array([1]), true],
  ])('of %o and %o is %s', (a, b, equal) => {
    expect([equalValues(a, b), equalValues(b, a)]).toEqual([equal, equal]);
  });

  test('of a list with its own equality uses that', () => {
    class Bag extends CelList {
      readonly size: number = 2;
      at(index: number): Value {
        return index;
      }
      override equals(other: CelList): boolean {
        return other.size === this.size;
      }
    }
    expect(equalValues(new Bag(), new NativeList([7, 8]))).toBe(true);
    expect(equalValues(new NativeList([7, 8]), new Bag())).toBe(false);
  });
});

describe('order', () => {
  test('of numbers is by value', () => {
    expect(compareValues(-1, new CelUint(0n))).toBeLessThan(0);
    expect(compareValues(new CelDouble(1.5), 1)).toBeGreaterThan(0);
    expect(() => compareValues(new CelDouble(Number.NaN), 1)).toThrow('NaN values cannot be ordered');
  });

  test('of strings is by code point', () => {
    expect(compareValues('\uffff', '\u{10000}')).toBeLessThan(0);
    expect('\uffff' < '\u{10000}').toBe(false);
  });

  test('does not exist between types', () => {
    expect(() => compareValues('a', 1)).toThrow(new CelError('no such overload'));
  });
});

describe('maps', () => {
  test('treat equal numbers as one key', () => {
    const map = new NativeMap([[new CelUint(1n), 'one']]);
    expect([map.get(1), map.get(new CelDouble(1)), map.get(new CelDouble(1.5)), map.get('1')]).toEqual([
      'one',
      'one',
      undefined,
      undefined,
    ]);
  });

  test('refuse a second entry with the same key', () => {
    const map = insertEntry(new NativeMap([]), 'a', 1);
    expect([...entriesOf(map)]).toEqual([['a', 1]]);
    expect(() => insertEntry(map, 'a', 2)).toThrow('insert failed: key a already exists');
  });
});

test('lists are joined without copying', () => {
  const joined = concatLists(new NativeList([1]), concatLists(new NativeList([2]), new NativeList([3])));
  expect([joined.size, joined.at(0), joined.at(1), joined.at(2)]).toEqual([3, 1, 2, 3]);
});

test('sizes count code points', () => {
  expect([codePoints('é😀'), codePoints('\ud83d'), sizeForCost(new CelOptional('abc')), sizeForCost(5)]).toEqual([
    2, 1, 3, 1,
  ]);
});

describe('times', () => {
  test('keep the UTC offset with which they were written', () => {
    const written = '2023-01-01T00:00:00.5-03:30';
    const timestamp = parseTimestamp(written);
    expect(timestamp && formatTimestamp(timestamp)).toBe(written);
  });

  test('have the fields of a time zone, including daylight saving time', () => {
    const summer = new CelTimestamp(BigInt(Date.UTC(2023, 6, 1, 12)) * 1_000_000n);
    expect(inZone(summer, 'Europe/Berlin').getUTCHours()).toBe(14);
    expect(inZone(summer, '-02:30').getUTCHours()).toBe(9);
    expect(() => inZone(summer, 'Nowhere')).toThrow('unknown time zone Nowhere');
  });

  test('before year 1 and after 9999 are errors', () => {
    expect(() => parseTimestamp('0000-12-31T23:59:59Z')).toThrow('timestamp overflow');
    expect(parseTimestamp('tomorrow')).toBeUndefined();
  });
});

describe('formatting', () => {
  test.each<[Value, string, string]>([
    [new CelDouble(1e21), '1000000000000000000000.0', '1e+21'],
    [new CelDouble(1.5e-7), '0.00000015', '1.5e-07'],
    [new CelUint(3n), '3u', '3'],
    ['a"b', '"a\\"b"', 'a"b'],
    [new Uint8Array([104, 255]), 'b"\\150\\377"', 'b"\\150\\377"'],
    [new CelDuration(1_500_000_000n), 'duration("1.5s")', '1.5s'],
    [valueFromJson({ b: 1, a: [null] }), '{"a": [null], "b": 1}', '{"a": [null], "b": 1}'],
  ])('of %o', (value, literal, plain) => {
    expect([formatLiteral(value), formatPlain(value)]).toEqual([literal, plain]);
  });

  test('of decimals has no exponent', () => {
    expect([formatDecimal(1.25e21), formatDecimal(-2e-7), formatDecimal(0)]).toEqual([
      '1250000000000000000000',
      '-0.0000002',
      '0',
    ]);
  });

  test('of doubles is parsed like in Go', () => {
    expect(['1e3', '.5', '0x1p-2', '-Inf', 'nan', '1e999', '1_0', ''].map(parseGoFloat)).toEqual([
      1000,
      0.5,
      0.25,
      Number.NEGATIVE_INFINITY,
      Number.NaN,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
