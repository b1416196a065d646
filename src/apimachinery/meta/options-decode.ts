/**
 * What the options of all verbs share: results, and parameters decoded as the reference converts them.
 * Invariant: only the first value of a parameter counts, unless the option is a list.
 */

import { parseGoInt } from '../scalars/go-number.ts';
import type { FieldIssue } from '../validation/field-issue.ts';
import type { QueryParams } from './query.ts';

/** Parameters that cannot be converted; the answer is a BadRequest with this message. */
export interface MalformedOptions {
  readonly ok: false;
  readonly message: string;
}

/** Well-formed options that break a rule; the answer is an Invalid with these causes. */
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

/** Validates what was decoded. */
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

/** Undefined if absent. `0` and `false` in any case are false; whatever else is present, even empty, is true. */
export function boolParam(params: QueryParams, name: string): boolean | undefined {
  const value = params.get(name)?.[0];
  return value === undefined ? undefined : value !== '0' && !FALSE.test(value);
}

/** Undefined if absent. Empty text is not an integer. */
export function intParam(params: QueryParams, name: string): DecodedOptions<number | bigint | undefined> {
  const text = params.get(name)?.[0];
  if (text === undefined) return ABSENT;
  const parsed = parseGoInt(text);
  return parsed.ok ? { ok: true, value: toJsonInteger(parsed.value) } : parsed;
}

// Unicode folding, as the reference compares: a long s counts as an s.
const FALSE = /^false$/iu;
const NO_VALUES: readonly string[] = [];
const ABSENT: DecodedOptions<undefined> = { ok: true, value: undefined };

function toJsonInteger(value: bigint): number | bigint {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}
