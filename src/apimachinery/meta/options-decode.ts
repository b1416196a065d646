/**
 * The result types and parameter decoders that the options of all verbs share. Only the first value of a parameter
 * counts, unless the option is a list.
 */

import { parseGoInt } from '../scalars/go-number.ts';
import type { FieldIssue } from '../validation/field-issue.ts';
import type { QueryParams } from './query.ts';

/** A parameter cannot be converted. Answered with a BadRequest that has this message. */
export interface MalformedOptions {
  readonly ok: false;
  readonly message: string;
}

/** The options are well formed but break a rule. Answered with an Invalid that has these causes. */
export interface InvalidOptions {
  readonly ok: false;
  readonly issues: readonly FieldIssue[];
}

export type DecodedOptions<T> = { readonly ok: true; readonly value: T } | MalformedOptions;

/** Decoded and validated options. */
export type OptionsResult<T> = DecodedOptions<T> | InvalidOptions;

export function isMalformed(result: MalformedOptions | InvalidOptions): result is MalformedOptions {
  return 'message' in result;
}

/** Validates decoded options. */
export function checkOptions<T>(decoded: DecodedOptions<T>, validate: (value: T) => FieldIssue[]): OptionsResult<T> {
  if (!decoded.ok) return decoded;
  const issues = validate(decoded.value);
  return issues.length === 0 ? decoded : { ok: false, issues };
}

export function textParam(params: QueryParams, name: string): string {
  return params.get(name)?.[0] ?? '';
}

export function listParam(params: QueryParams, name: string): readonly string[] {
  return params.get(name) ?? NO_VALUES;
}

/** Undefined if absent. `0`, and `false` in any case, are false. Any other value is true, also the empty one. */
export function boolParam(params: QueryParams, name: string): boolean | undefined {
  const value = params.get(name)?.[0];
  return value === undefined ? undefined : value !== '0' && !FALSE.test(value);
}

/** Undefined if absent. The empty text is not an integer. */
export function intParam(params: QueryParams, name: string): DecodedOptions<number | bigint | undefined> {
  const text = params.get(name)?.[0];
  if (text === undefined) return ABSENT;
  const parsed = parseGoInt(text);
  return parsed.ok ? { ok: true, value: toJsonInteger(parsed.value) } : parsed;
}

// The reference compares with Unicode case folding: a long s (U+017F) counts as an s.
const FALSE = /^false$/iu;
const NO_VALUES: readonly string[] = [];
const ABSENT: DecodedOptions<undefined> = { ok: true, value: undefined };

function toJsonInteger(value: bigint): number | bigint {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}
