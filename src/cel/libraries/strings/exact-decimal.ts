/**
 * The formatting of doubles with a given number of digits, rounded like in Go: to the nearest, ties to even.
 * JavaScript's functions round ties up.
 */

interface Decimal {
  readonly digits: string;
  /** The number of digits before the decimal point; may be negative. */
  readonly point: number;
}

/** The exact digits of a finite value that is not negative. */
function exactDecimal(value: number): Decimal {
  if (value === 0) return { digits: '0', point: 1 };
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  const exponent = Math.max(biased, 1) - 1075;
  // 2^-n is 5^n over 10^n.
  const digits = (exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits, point: digits.length + Math.min(0, exponent) };
}

/** Rounds to `count` digits, which may be zero or less. */
function roundTo({ digits, point }: Decimal, count: number): Decimal {
  if (count >= digits.length) return { digits: digits.padEnd(count, '0'), point };
  if (count < 0) return { digits: '', point };
  const kept = digits.slice(0, count);
  const next = digits.charCodeAt(count) - 48;
  const isTie = next === 5 && /^0*$/.test(digits.slice(count + 1));
  const isOdd = count > 0 && kept.charCodeAt(count - 1) % 2 === 1;
  if (next < 5 || (isTie && !isOdd)) return { digits: kept, point };
  const raised = (BigInt(kept === '' ? '0' : kept) + 1n).toString().padStart(count, '0');
  return { digits: raised, point: point + raised.length - count };
}

/** `%.nf` of a finite value that is not negative. */
export function toFixedExact(value: number, precision: number): string {
  const decimal = exactDecimal(value);
  const rounded = roundTo(decimal, decimal.point + precision);
  const all = rounded.digits.padStart(rounded.digits.length + Math.max(0, 1 - rounded.point), '0');
  const point = Math.max(1, rounded.point);
  const whole = all.slice(0, point) || '0';
  const fraction = all.slice(point, point + precision).padEnd(precision, '0');
  return precision === 0 ? whole : `${whole}.${fraction}`;
}

/** The digits and the exponent of `%.ne` of a finite value that is not negative. */
export function toExponentialExact(value: number, precision: number): { mantissa: string; exponent: number } {
  if (value === 0) return { mantissa: precision === 0 ? '0' : `0.${'0'.repeat(precision)}`, exponent: 0 };
  const { digits, point } = roundTo(exactDecimal(value), precision + 1);
  const fraction = digits.slice(1, precision + 1);
  return { mantissa: precision === 0 ? (digits[0] as string) : `${digits[0]}.${fraction}`, exponent: point - 1 };
}
