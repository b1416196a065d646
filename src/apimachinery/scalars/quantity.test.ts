import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatQuantity, MAX_INT64, type Quantity, quantityFromInt } from './quantity.ts';
import {
  addQuantity,
  asApproximateFloat,
  asInt64,
  compareQuantity,
  isZeroQuantity,
  negQuantity,
  quantityMilliValue,
  quantitySign,
  quantityValue,
  subQuantity,
} from './quantity-arithmetic.ts';
import {
  MAX_QUANTITY_LENGTH,
  parseQuantity,
  QUANTITY_FORMAT_ERROR,
  QUANTITY_NUMERIC_ERROR,
  QUANTITY_SUFFIX_ERROR,
} from './quantity-parse.ts';

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.message}`);
  return parsed.value;
}

function canonical(text: string): string {
  return formatQuantity(quantity(text));
}

describe('the canonical form', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['100m', '100m'],
    ['0.1', '100m'],
    ['1.5', '1500m'],
    ['1000m', '1'],
    ['2000', '2k'],
    ['100000000', '100M'],
    ['1.5Gi', '1536Mi'],
    ['2048Ki', '2Mi'],
    ['0.5Ki', '512'],
    ['1.1Ki', '1126400m'],
    ['0.0001Ki', '102400u'],
    ['12e6', '12e6'],
    ['1500e3', '1500e3'],
    ['1000e3', '1e6'],
    ['12E3', '12E3'],
    ['1E', '1E'],
    ['-1.5Mi', '-1536Ki'],
    ['123456789012345678901', '123456789012345678901'],
  ])('of %s is %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it.each([
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['1.0000000001', '1000000001n'],
    ['1e-999999999', '1e-9'],
    ['0.00000000000001Ei', '11529215046069n'],
  ])('rounds %s away from zero, to %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it('caps binary amounts at int64, and no others', () => {
    expect(canonical('8Ei')).toBe('9223372036854775807');
    expect(canonical(`-${'9'.repeat(100)}.5Ki`)).toBe('-9223372036854775807');
    expect(canonical('99999999999999999999')).toBe('99999999999999999999');
  });

  it('treats unusual but accepted texts as the reference does', () => {
    expect(canonical('+1')).toBe('+1');
    expect(canonical('01')).toBe('01');
    expect(canonical('1.234')).toBe('1.234');
    expect(canonical('1.Ki')).toBe('1.Ki');
    expect(canonical('Ki')).toBe('0');
    expect(canonical('1000E')).toBe('1');
    expect(canonical('1e4294967299')).toBe('1e4294967299');
    expect(quantity('1e4294967299').exponent).toBe(3);
  });

  it('does not expand an exponent into digits', () => {
    expect(canonical('1e999999999')).toBe('1e999999999');
    expect(canonical('1234567890123456789e999999999')).toBe('1234567890123456789e999999999');
    expect(quantityValue(quantity('1e999999999'))).toBe(MAX_INT64);
    expect(compareQuantity(quantity('1e999999999'), quantity('9e999999998'))).toBe(1);
    expect(compareQuantity(quantity('-1e999999999'), quantity('1n'))).toBe(-1);
    expect(formatQuantity(addQuantity(quantity('1Gi'), quantity('1e999999999')))).toBe('1e999999999');
  });
});

describe('refusal', () => {
  it.each([
    ['', QUANTITY_FORMAT_ERROR],
    ['x', QUANTITY_FORMAT_ERROR],
    ['1 ', QUANTITY_FORMAT_ERROR],
    ['1.2.3', QUANTITY_FORMAT_ERROR],
    ['--1', QUANTITY_SUFFIX_ERROR],
    ['1KiB', QUANTITY_FORMAT_ERROR],
    ['1ki', QUANTITY_SUFFIX_ERROR],
    ['1e', QUANTITY_SUFFIX_ERROR],
    ['1e+', QUANTITY_SUFFIX_ERROR],
    ['1e99999999999999999999', QUANTITY_SUFFIX_ERROR],
    ['Ei', QUANTITY_NUMERIC_ERROR],
    ['1'.repeat(MAX_QUANTITY_LENGTH + 1), QUANTITY_NUMERIC_ERROR],
  ])('of %j names the part that is wrong', (text, message) => {
    expect(parseQuantity(text)).toEqual({ ok: false, message });
  });
});

describe('conversions', () => {
  it('gives an int64 only where the notation is a whole number of 64 bits', () => {
    expect(asInt64(quantity('50000k'))).toBe(50000000n);
    expect(asInt64(quantity('1Mi'))).toBe(1048576n);
    expect(asInt64(quantity('1.0'))).toBeUndefined();
    expect(asInt64(quantity('1.5Gi'))).toBeUndefined();
    expect(asInt64(quantity('10E'))).toBeUndefined();
  });

  it('rounds integer values away from zero and saturates them', () => {
    expect(quantityValue(quantity('1m'))).toBe(1n);
    expect(quantityValue(quantity('-1500m'))).toBe(-2n);
    expect(quantityValue(quantity('100E'))).toBe(MAX_INT64);
    expect(quantityMilliValue(quantity('1.0001'))).toBe(1001n);
    expect(quantityMilliValue(quantity('2'))).toBe(2000n);
  });

  it('approximates as a double', () => {
    expect(asApproximateFloat(quantity('1500m'))).toBe(1.5);
    expect(asApproximateFloat(quantity('1e400'))).toBe(Number.POSITIVE_INFINITY);
    expect(asApproximateFloat(quantity('-1Ki'))).toBe(-1024);
  });

  it('builds amounts from integers', () => {
    expect(formatQuantity(quantityFromInt(2048, 'BinarySI'))).toBe('2Ki');
    expect(formatQuantity(quantityFromInt(0))).toBe('0');
  });
});

describe('arithmetic', () => {
  it('keeps the format of the left side, or takes the right one if that is zero', () => {
    expect(formatQuantity(addQuantity(quantity('1Gi'), quantity('1024M')))).toBe('2048576Ki');
    expect(formatQuantity(addQuantity(quantity('1Gi'), quantity('1Gi')))).toBe('2Gi');
    expect(formatQuantity(addQuantity(quantity('0'), quantity('1024Ki')))).toBe('1Mi');
    expect(formatQuantity(subQuantity(quantity('1'), quantity('100m')))).toBe('900m');
  });

  it('stays exact beyond int64', () => {
    const sum = addQuantity(quantity('9E'), quantity('9E'));
    expect(formatQuantity(sum)).toBe('18E');
    expect(compareQuantity(subQuantity(sum, quantity('9E')), quantity('9E'))).toBe(0);
  });
});

const suffix = fc.constantFrom(
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'e5',
  'e-7',
);
const text = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.bigInt({ min: 0n, max: 10n ** 22n }),
    fc.option(fc.nat(10 ** 6), { nil: undefined }),
    suffix,
  )
  .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${unit}`);
const amount = text.map(quantity);
const run = { seed: 20240, numRuns: 300 };

describe('laws', () => {
  it('formatting is idempotent', () => {
    fc.assert(
      fc.property(text, (written) => {
        const once = canonical(written);
        expect(canonical(once)).toBe(once);
      }),
      run,
    );
  });

  it('formatting keeps the value below the largest suffix', () => {
    fc.assert(
      fc.property(
        amount.filter((q) => quantityValue(q) < 10n ** 18n && quantityValue(q) > -(10n ** 18n)),
        (q) => {
          expect(compareQuantity(quantity(formatQuantity(q)), q)).toBe(0);
        },
      ),
      run,
    );
  });

  it('order is total and agrees with subtraction', () => {
    fc.assert(
      fc.property(amount, amount, amount, (a, b, c) => {
        expect(compareQuantity(a, b)).toBe(-compareQuantity(b, a) + 0);
        expect(compareQuantity(a, b)).toBe(quantitySign(subQuantity(a, b)));
        const sorted = [a, b, c].sort(compareQuantity) as [Quantity, Quantity, Quantity];
        expect(compareQuantity(sorted[0], sorted[2])).toBeLessThanOrEqual(0);
      }),
      run,
    );
  });

  it('addition commutes, associates and is undone by subtraction', () => {
    fc.assert(
      fc.property(amount, amount, amount, (a, b, c) => {
        const equal = (x: Quantity, y: Quantity): void => expect(compareQuantity(x, y)).toBe(0);
        equal(addQuantity(a, b), addQuantity(b, a));
        equal(addQuantity(addQuantity(a, b), c), addQuantity(a, addQuantity(b, c)));
        equal(subQuantity(addQuantity(a, b), b), a);
        expect(isZeroQuantity(addQuantity(a, negQuantity(a)))).toBe(true);
      }),
      run,
    );
  });

  it('every text gives a value or a message', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0129.+-eEinumkKMGTPx'), maxLength: 12 }), (written) => {
        const parsed = parseQuantity(written);
        if (parsed.ok) expect(formatQuantity(parsed.value)).not.toBe('');
        else expect(parsed.message).toMatch(/quantit/);
      }),
      run,
    );
  });
});
