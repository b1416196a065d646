/** IntOrString: a field that holds an int32 or a string, often a percentage. The JSON form is the value itself. */
import type { JsonValue } from '../../base/json-value.ts';
import { formatNumber } from '../go-format.ts';
import { cannotUnmarshal } from '../go-json.ts';
import { parseGoInt } from './go-number.ts';

export type IntOrString = number | string;

export type ParsedIntOrString =
  | { readonly ok: true; readonly value: IntOrString }
  | { readonly ok: false; readonly message: string };

/** Reads the JSON form: an int32 or a string; null is 0. Anything else fails with the reference's message. */
export function intOrStringFromJson(value: JsonValue): ParsedIntOrString {
  if (typeof value === 'string') return { ok: true, value };
  if (value === null) return { ok: true, value: 0 };
  if (typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31)
    return { ok: true, value: value + 0 };
  const literal = typeof value === 'number' || typeof value === 'bigint' ? formatNumber(value) : undefined;
  return { ok: false, message: cannotUnmarshal(value, 'Go value of type int32', literal) };
}

/**
 * The integer, also of a string that is one; 0 for any other string. An integer beyond int64 becomes the nearest int64.
 */
export function intValue(value: IntOrString): number {
  if (typeof value === 'number') return value;
  const parsed = parseGoInt(value, 'Atoi');
  if (parsed.ok) return Number(parsed.value);
  if (!parsed.message.endsWith('value out of range')) return 0;
  return value.startsWith('-') ? -(2 ** 63) : 2 ** 63;
}
