/**
 * Decimal integers in text, read as the reference's language reads them, with its error texts.
 * Invariant: linear, and no bigint longer than int64 is made.
 */
import type { JsonValue } from '../base/json-value.ts';
import { quote } from './go-format.ts';

export type ParsedInt =
  | { readonly ok: true; readonly value: bigint }
  | { readonly ok: false; readonly message: string };

const DECIMAL = /^[-+]?[0-9]+$/;

/** A signed decimal integer of `bits` bits. `caller` is the function that the text of a failure names. */
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

/** What the reference's decoder says about a JSON value that a Go type cannot hold. */
export function cannotUnmarshal(value: JsonValue, goType: string, literal?: string): string {
  return `json: cannot unmarshal ${jsonKind(value)}${literal === undefined ? '' : ` ${literal}`} into Go value of type ${goType}`;
}

/** The name of a value's JSON type in those texts. */
export function jsonKind(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
