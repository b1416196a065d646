/**
 * Quantity: an exact amount with a unit, such as `1500m`, `1536Mi` or `12e6`. Invariant: the value is exactly
 * `unscaled × 10^exponent`. No operation expands a large exponent into digits, so work is bounded by the digits that
 * were written, not by the size of the number.
 */

/** The family of suffixes with which an amount is printed. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Quantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /**
   * True where the reference uses a big decimal instead of its 64-bit form: more than 18 digits, a fraction of a binary
   * unit, or a sum that overflowed. Only `asInt64` depends on it.
   */
  readonly wide: boolean;
  /** The text it was parsed from, if the reference treats that as canonical. Formatting returns it unchanged. */
  readonly text: string | undefined;
}

export const ZERO_QUANTITY: Quantity = { unscaled: 0n, exponent: 0, format: 'DecimalSI', wide: false, text: '0' };

export const MAX_INT64: bigint = 2n ** 63n - 1n;
export const MIN_INT64: bigint = -(2n ** 63n);

/** The finest exponent. Finer amounts are rounded away from zero. */
export const NANO = -9;

/**
 * The most digits that arithmetic and binary formatting may create. `addQuantity` and `formatQuantity` describe what
 * happens beyond.
 */
export const MAX_DIGITS = 8192;

const DECIMAL_SUFFIXES: ReadonlyMap<number, string> = new Map([
  [-9, 'n'],
  [-6, 'u'],
  [-3, 'm'],
  [0, ''],
  [3, 'k'],
  [6, 'M'],
  [9, 'G'],
  [12, 'T'],
  [15, 'P'],
  [18, 'E'],
]);
const BINARY_SUFFIXES: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const POWERS: readonly bigint[] = Array.from({ length: 64 }, (_, i) => 10n ** BigInt(i));

/** 10^n for n ≥ 0. The caller bounds n. */
export function pow10(n: number): bigint {
  return POWERS[n] ?? 10n ** BigInt(n);
}

export function fitsInt64(value: bigint): boolean {
  return value <= MAX_INT64 && value >= MIN_INT64;
}

/** The amount `value`, which must be an integer. Default format: DecimalSI. */
export function quantityFromInt(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return quantityFromScaled(value, 0, format);
}

/** The amount `value × 10^exponent`, for an integer `value`. Default format: DecimalSI. */
export function quantityFromScaled(
  value: number | bigint,
  exponent: number,
  format: QuantityFormat = 'DecimalSI',
): Quantity {
  const unscaled = BigInt(value);
  return { unscaled, exponent, format, wide: !fitsInt64(unscaled), text: undefined };
}

/**
 * The canonical form: no fraction, the largest suffix that loses nothing. A binary amount below 1024 or with a fraction
 * is printed with decimal suffixes. Two habits of the reference are kept because its clients read them back: a text
 * that was canonical enough when parsed is returned unchanged (`+1`, `1.234`), and a decimal amount whose exponent has
 * no suffix (from 10^21 on) is printed without one. A binary amount of more than MAX_DIGITS digits, which only
 * arithmetic creates, is printed in decimal exponent form.
 */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return '0';
  if (quantity.format !== 'BinarySI') return formatDecimal(quantity, quantity.format);
  if (quantity.exponent > MAX_DIGITS) return formatDecimal(quantity, 'DecimalExponent');
  const whole = integerValue(quantity);
  if (whole === undefined || (whole > -1024n && whole < 1024n)) return formatDecimal(quantity, 'DecimalSI');
  return formatBinary(whole);
}

/** The value as an integer; undefined if it has a fraction. The caller bounds the exponent. */
function integerValue({ unscaled, exponent }: Quantity): bigint | undefined {
  if (exponent >= 0) return unscaled * pow10(exponent);
  if (exponent < -MAX_DIGITS) return undefined;
  const divisor = pow10(-exponent);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

function formatDecimal({ unscaled, exponent }: Quantity, format: 'DecimalSI' | 'DecimalExponent'): string {
  const digits = unscaled.toString();
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  // The reference keeps exponents in 32 bits and prints the largest ones wrapped.
  let power = (exponent + digits.length - end) | 0;
  let number = digits.slice(0, end);
  const extra = ((power % 3) + 3) % 3;
  if (extra !== 0) {
    number += extra === 1 ? '0' : '00';
    power -= extra;
  }
  if (format === 'DecimalExponent') return power === 0 ? number : `${number}e${power}`;
  return number + (DECIMAL_SUFFIXES.get(power) ?? '');
}

function formatBinary(value: bigint): string {
  let power = 0;
  while ((value & 1023n) === 0n) {
    value >>= 10n;
    power++;
  }
  return value.toString() + (BINARY_SUFFIXES[power] ?? '');
}
