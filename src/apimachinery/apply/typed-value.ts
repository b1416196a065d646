/** A value together with the merge type against which it was validated. */
import type { JsonValue } from '../../base/json-value.ts';
import type { MergeType } from './merge-type.ts';
import type { TypedIssue } from './typed-issue.ts';
import { type ValidateOptions, validateTyped } from './validate-typed.ts';

/** Invariant: the value passed `validateTyped` for the type. The value is shared and must not be modified. */
export interface TypedValue {
  readonly value: JsonValue;
  readonly type: MergeType;
}

export type TypedResult =
  | { readonly ok: true; readonly typed: TypedValue }
  | { readonly ok: false; readonly issues: readonly TypedIssue[] };

/** Validates a value against a type. The result shares the value. */
export function asTyped(value: JsonValue, type: MergeType, options?: ValidateOptions): TypedResult {
  const issues = validateTyped(value, type, options);
  return issues === undefined ? { ok: true, typed: { value, type } } : { ok: false, issues };
}
