/** What the reference's JSON decoder says about values that a Go type cannot hold. */
import type { JsonValue } from '../base/json-value.ts';

/** The name of a value's JSON type in those texts. */
export function jsonKind(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** `into` names the place: `Go value of type string`, `Go struct field jsonPatchOp.op of type string`. */
export function cannotUnmarshal(value: JsonValue, into: string, literal?: string): string {
  return `json: cannot unmarshal ${jsonKind(value)}${literal === undefined ? '' : ` ${literal}`} into ${into}`;
}
