/**
 * The parser of decimal integers with Go's rules and error messages. It is linear, and creates no bigint longer than
 * int64.
 */
import { quote } from '../go-format.ts';

export type ParsedInt =
  | { readonly ok: true; readonly value: bigint }
  | { readonly ok: false; readonly message: string };

const DECIMAL = /^[-+]?[0-9]+$/;

/** Parses a signed decimal integer of `bits` bits. `caller` is the Go function that the error message names. */
export function parseGoInt(text: string, caller: 'ParseInt' | 'Atoi' = 'ParseInt', bits: 32 | 64 = 64): ParsedInt {
  if (!DECIMAL.test(text)) return { ok: false, message: `strconv.${caller}: parsing ${quote(text)}: invalid syntax` };
  const value = text.length <= 15 ? BigInt(Number(text)) : toBigInt(text);
  if (value === undefined || BigInt.asIntN(bits, value) !== value)
    return { ok: false, message: `strconv.${caller}: parsing ${quote(text)}: value out of range` };
  return { ok: true, value };
}

function toBigInt(text: string): bigint | undefined {
  const digits = text.replace(/^[-+]?0*/, '');
  if (digits.length > 19) return undefined;
  const magnitude = BigInt(digits);
  return text.startsWith('-') ? -magnitude : magnitude;
}
