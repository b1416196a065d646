/**
 * The key order of goyaml v2: letters after all other characters, runs of digits by their number (`a2` before `a10`).
 */

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

export function compareYamlKeys(a: string, b: string): number {
  if (a === b) return 0;
  const left = [...a];
  const right = [...b];
  let i = 0;
  while (i < left.length && i < right.length && left[i] === right[i]) i++;
  const l = left[i];
  const r = right[i];
  if (l === undefined || r === undefined) return left.length - right.length;
  const isLetter = [LETTER.test(l), LETTER.test(r)];
  if (isLetter[0] && isLetter[1]) return points(l, r);
  if (isLetter[0] || isLetter[1]) return isLetter[1] ? -1 : 1;
  // Zeros that continue a number count; leading zeros do not.
  const continues = (l === '0' || r === '0') && continuesNumber(left, i);
  const [numberLeft, endLeft] = digitsFrom(left, i, continues);
  const [numberRight, endRight] = digitsFrom(right, i, continues);
  if (numberLeft !== numberRight) return numberLeft < numberRight ? -1 : 1;
  return endLeft !== endRight ? endLeft - endRight : points(l, r);
}

function continuesNumber(chars: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && DIGIT.test(chars[i] as string); i--) if (chars[i] !== '0') return true;
  return false;
}

/** The number at `at`, modulo 2^64 as in the reference, and the end of its digits. */
function digitsFrom(chars: readonly string[], at: number, continues: boolean): [bigint, number] {
  let value = continues ? 1n : 0n;
  let end = at;
  for (; end < chars.length && DIGIT.test(chars[end] as string); end++)
    value = BigInt.asIntN(64, value * 10n + BigInt((chars[end] as string).codePointAt(0) as number) - 48n);
  return [value, end];
}

function points(a: string, b: string): number {
  return (a.codePointAt(0) as number) - (b.codePointAt(0) as number);
}
