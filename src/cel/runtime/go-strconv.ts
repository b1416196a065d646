/** The parsing and formatting of doubles, like Go's `strconv`. */

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const HEX = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d+)$/;
const WORD = /^([+-]?)(?:inf|infinity)$/i;

/** Parses a double; undefined for other texts and for numbers out of range. */
export function parseGoFloat(text: string): number | undefined {
  if (/^nan$/i.test(text)) return Number.NaN;
  const word = WORD.exec(text);
  if (word !== null) return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const value = DECIMAL.test(text) ? Number(text) : parseHex(text);
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}

function parseHex(text: string): number | undefined {
  const found = HEX.exec(text);
  if (found === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = ''] = found;
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const magnitude = Number(`0x${digits}`) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -magnitude : magnitude;
}

/** Formats a double without an exponent, like Go's `FormatFloat(value, 'f', -1, 64)`. */
export function formatDecimal(value: number): string {
  const text = String(value);
  const found = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (found === null) return Object.is(value, -0) ? '-0' : text;
  const [, sign = '', whole = '', fraction = '', exponentText = ''] = found;
  const exponent = Number(exponentText);
  const digits = whole + fraction;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(whole.length + exponent, '0');
}
