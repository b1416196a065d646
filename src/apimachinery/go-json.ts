/** Messages of Go's JSON decoder about values that do not fit a Go type. */
import type { JsonValue } from '../base/json-value.ts';

/** The name of a value's JSON type in these messages. */
export function jsonKind(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** `into` names the target: `Go value of type string`, `Go struct field jsonPatchOp.op of type string`. */
export function cannotUnmarshal(value: JsonValue, into: string, literal?: string): string {
  return `json: cannot unmarshal ${jsonKind(value)}${literal === undefined ? '' : ` ${literal}`} into ${into}`;
}
