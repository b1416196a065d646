/** Floats as Go's `strconv.FormatFloat(f, 'g', -1, bits)` prints them: `%g` with the fewest digits. */

/** 32 bits rounds the value first. Infinities and NaN print as `+Inf`, `-Inf` and `NaN`. */
export function formatGoFloat(value: number, bits: 32 | 64): string {
  const rounded = bits === 32 ? Math.fround(value) : value;
  if (Number.isNaN(rounded)) return 'NaN';
  if (!Number.isFinite(rounded)) return rounded > 0 ? '+Inf' : '-Inf';
  const sign = rounded < 0 || Object.is(rounded, -0) ? '-' : '';
  const [mantissa, exponentText] = shortest(Math.abs(rounded), bits).split('e') as [string, string];
  const digits = mantissa.replace('.', '');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 6) return `${sign}${exponentForm(digits, exponent)}`;
  return sign + fixedForm(digits, exponent);
}

function shortest(value: number, bits: 32 | 64): string {
  if (bits === 64) return value.toExponential();
  for (let precision = 0; precision < 9; precision++) {
    const text = value.toExponential(precision);
    if (Math.fround(Number(text)) === value) return text;
  }
  return value.toExponential();
}

function exponentForm(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  const magnitude = Math.abs(exponent).toString().padStart(2, '0');
  return `${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${magnitude}`;
}

function fixedForm(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return digits + '0'.repeat(exponent + 1 - digits.length);
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}
