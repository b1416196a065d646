/**
 * The Quantity parser. It accepts and refuses exactly what the reference does. Work is linear in the text, which is
 * limited to MAX_QUANTITY_LENGTH; exponents are never expanded.
 */
import { MAX_INT64, NANO, pow10, type Quantity, type QuantityFormat, ZERO_QUANTITY } from './quantity.ts';

/** A longer text is refused as if its digits could not be read. The reference has no such limit. */
export const MAX_QUANTITY_LENGTH = 4096;

export const QUANTITY_FORMAT_ERROR =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
export const QUANTITY_NUMERIC_ERROR = 'unable to parse numeric part of quantity';
export const QUANTITY_SUFFIX_ERROR = "unable to parse quantity's suffix";

export type ParsedQuantity = { readonly ok: true; readonly value: Quantity } | QuantityError;

export interface QuantityError {
  readonly ok: false;
  readonly message: string;
}

interface Suffix {
  readonly format: QuantityFormat;
  /** A power of ten, or of two if the format is BinarySI. */
  readonly exponent: number;
}

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map<string, Suffix>([
  ['', { format: 'DecimalSI', exponent: 0 }],
  ['n', { format: 'DecimalSI', exponent: -9 }],
  ['u', { format: 'DecimalSI', exponent: -6 }],
  ['m', { format: 'DecimalSI', exponent: -3 }],
  ['k', { format: 'DecimalSI', exponent: 3 }],
  ['M', { format: 'DecimalSI', exponent: 6 }],
  ['G', { format: 'DecimalSI', exponent: 9 }],
  ['T', { format: 'DecimalSI', exponent: 12 }],
  ['P', { format: 'DecimalSI', exponent: 15 }],
  ['E', { format: 'DecimalSI', exponent: 18 }],
  ['Ki', { format: 'BinarySI', exponent: 10 }],
  ['Mi', { format: 'BinarySI', exponent: 20 }],
  ['Gi', { format: 'BinarySI', exponent: 30 }],
  ['Ti', { format: 'BinarySI', exponent: 40 }],
  ['Pi', { format: 'BinarySI', exponent: 50 }],
  ['Ei', { format: 'BinarySI', exponent: 60 }],
]);

const SUFFIX_LETTERS = new Set([...'eEinumkKMGTP'].map((letter) => letter.charCodeAt(0)));

// Digits that always fit int64. Longer numbers are `wide`, as in the reference.
const MAX_SAFE_DIGITS = 18;

/**
 * The exact amount of a text. Values finer than 10^-9 are rounded away from zero; binary amounts are limited to
 * ±(2^63-1). As in the reference, a number may be empty (`Ki` is zero), and an exponent beyond 32 bits wraps.
 */
export function parseQuantity(text: string): ParsedQuantity {
  const end = text.length;
  if (end === 0) return failure(QUANTITY_FORMAT_ERROR);
  if (end > MAX_QUANTITY_LENGTH) return failure(QUANTITY_NUMERIC_ERROR);
  if (text === '0') return { ok: true, value: ZERO_QUANTITY };

  const first = text.charCodeAt(0);
  const negative = first === 45;
  const begin = negative || first === 43 ? 1 : 0;
  let at = begin;
  while (at < end && text.charCodeAt(at) === 48) at++;
  const wholeStart = at;
  at = skipDigits(text, at);
  const whole = at === wholeStart ? '0' : text.slice(wholeStart, at);
  let fraction = '';
  let someDigit = at > begin;
  if (at < end && text.charCodeAt(at) === 46) {
    const from = at + 1;
    at = skipDigits(text, from);
    fraction = text.slice(from, at);
    someDigit ||= fraction !== '';
  }

  const suffixStart = at;
  while (at < end && SUFFIX_LETTERS.has(text.charCodeAt(at))) at++;
  if (at < end && (text.charCodeAt(at) === 45 || text.charCodeAt(at) === 43)) at++;
  at = skipDigits(text, at);
  if (at < end) return failure(QUANTITY_FORMAT_ERROR);
  const suffix = interpretSuffix(text.slice(suffixStart));
  if (suffix === undefined) return failure(QUANTITY_SUFFIX_ERROR);

  const narrow = parseNarrow(text, whole, fraction, suffix, negative);
  if (narrow !== undefined) return { ok: true, value: narrow };
  if (!someDigit) return failure(QUANTITY_NUMERIC_ERROR);
  const value =
    suffix.format === 'BinarySI'
      ? parseWideBinary(whole, fraction, suffix.exponent, negative)
      : parseWideDecimal(whole, fraction, suffix, negative);
  return { ok: true, value };
}

function failure(message: string): QuantityError {
  return { ok: false, message };
}

function skipDigits(text: string, at: number): number {
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) break;
  }
  return at;
}

function interpretSuffix(suffix: string): Suffix | undefined {
  const known = SUFFIXES.get(suffix);
  if (known !== undefined) return known;
  const letter = suffix.charCodeAt(0);
  if (letter !== 69 && letter !== 101) return undefined;
  const exponent = /^[eE]([-+]?)0*([0-9]{1,19})$/.exec(suffix);
  if (exponent === null) return undefined;
  const magnitude = BigInt(exponent[2] as string);
  const signed = exponent[1] === '-' ? -magnitude : magnitude;
  if (signed > MAX_INT64 || signed < -MAX_INT64 - 1n) return undefined;
  return { format: 'DecimalExponent', exponent: Number(BigInt.asIntN(32, signed)) };
}

/** Parses the common case of few digits and a small scale. Undefined if the reference uses its big decimal. */
function parseNarrow(
  text: string,
  whole: string,
  fraction: string,
  suffix: Suffix,
  negative: boolean,
): Quantity | undefined {
  const { format } = suffix;
  const digits = fraction === '' ? whole : whole + fraction;
  if (format === 'BinarySI') {
    if (fraction !== '' || 14 - whole.length - Math.trunc((suffix.exponent * 3) / 10) < 0) return undefined;
    const value = Number(digits);
    const unscaled = BigInt(value) << BigInt(suffix.exponent);
    const canonical = ((value % 8) | 0) !== 0;
    return amount(negative ? -unscaled : unscaled, 0, format, canonical ? text : undefined);
  }
  if (digits.length > MAX_SAFE_DIGITS) return undefined;
  const exponent = (suffix.exponent - fraction.length) | 0;
  if (exponent < NANO) return undefined;
  const unscaled = digits.length < 16 ? BigInt(Number(digits)) : BigInt(digits);
  const canonical = exponent % 3 === 0 && digits.charCodeAt(0) !== 48 && !digits.endsWith('000');
  return amount(negative ? -unscaled : unscaled, exponent, format, canonical ? text : undefined);
}

function amount(unscaled: bigint, exponent: number, format: QuantityFormat, text: string | undefined): Quantity {
  return { unscaled, exponent, format, wide: false, text };
}

function parseWideDecimal(whole: string, fraction: string, suffix: Suffix, negative: boolean): Quantity {
  const digits = (whole + fraction).replace(/^0+/, '');
  const { format } = suffix;
  if (digits === '') return { unscaled: 0n, exponent: 0, format, wide: true, text: undefined };
  let exponent = suffix.exponent - fraction.length;
  let unscaled: bigint;
  if (exponent >= NANO) {
    unscaled = BigInt(digits);
    // The reference scales to 10^-9 at once. A large exponent is kept here, which prints the same.
    if (exponent - NANO <= 512) {
      unscaled *= pow10(exponent - NANO);
      exponent = NANO;
    }
  } else {
    const kept = digits.length - (NANO - exponent);
    unscaled = kept > 0 ? BigInt(digits.slice(0, kept)) : 0n;
    if (/[1-9]/.test(kept > 0 ? digits.slice(kept) : digits)) unscaled++;
    exponent = NANO;
  }
  return { unscaled: negative ? -unscaled : unscaled, exponent, format, wide: true, text: undefined };
}

function parseWideBinary(whole: string, fraction: string, power: number, negative: boolean): Quantity {
  let unscaled = MAX_INT64;
  let exponent = 0;
  let format: QuantityFormat = 'BinarySI';
  if (whole.length <= 19) {
    // The first `power - NANO` digits of the fraction decide the result, except for whether a remainder is rounded up:
    // with so many digits, the remainder below 10^-9 is a multiple of the most that the cut digits can add.
    const decisive = fraction.slice(0, power - NANO);
    const cut = /[1-9]/.test(fraction.slice(power - NANO));
    const scaled = (BigInt(whole + decisive) << BigInt(power)) * pow10(-NANO);
    const divisor = pow10(decisive.length);
    let nano = scaled / divisor;
    if (cut || scaled % divisor !== 0n) nano++;
    if (nano <= MAX_INT64 * pow10(-NANO)) {
      unscaled = nano;
      exponent = nano === 0n ? 0 : NANO;
      if (nano > 0n && nano < pow10(-NANO)) format = 'DecimalSI';
    }
  }
  return { unscaled: negative ? -unscaled : unscaled, exponent, format, wide: true, text: undefined };
}
