/**
 * The Go types and `%v` texts of decoded JSON values, for messages that must equal the reference's. Recursive: the
 * value must fit the call stack.
 */
import type { JsonValue } from '../base/json-value.ts';
import { getField } from '../base/json-value.ts';
import { compareUtf8 } from '../base/utf8.ts';
import { formatNumber } from './go-format.ts';

/** The Go type of a decoded value. Two values can be merged only if their types are equal. */
export type DecodedType =
  | 'nil'
  | 'string'
  | 'bool'
  | 'int64'
  | 'float64'
  | '[]interface {}'
  | 'map[string]interface {}';

export function decodedType(value: JsonValue): DecodedType {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}

/** A value as Go's `%v` prints it: `map[a:1 b:[x <nil>]]`. */
export function formatDecoded(value: JsonValue): string {
  return format(value, (scalar) =>
    scalar === null ? '<nil>' : typeof scalar === 'boolean' ? String(scalar) : formatNumber(scalar),
  );
}

/** A value as Go's `%s` prints it. A value that is not a string is marked, as in `%!s(int64=5)`. */
export function formatDecodedText(value: JsonValue): string {
  return format(value, (scalar) =>
    scalar === null
      ? '%!s(<nil>)'
      : `%!s(${decodedType(scalar)}=${typeof scalar === 'boolean' ? String(scalar) : formatNumber(scalar)})`,
  );
}

function format(value: JsonValue, scalar: (value: null | boolean | number | bigint) => string): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (Array.isArray(value)) return `[${value.map((item) => format(item, scalar)).join(' ')}]`;
  const fields = Object.keys(value)
    .sort(compareUtf8)
    .map((key) => `${key}:${format(getField(value, key) as JsonValue, scalar)}`);
  return `map[${fields.join(' ')}]`;
}
