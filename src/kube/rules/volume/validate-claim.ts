/** Specs of claims, alone and in templates. Invariant: pure; the issues are the reference's, in its order. */
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';

/** What a stored claim has already may stay. */
export interface ClaimContext {
  /** The spec of the stored claim; undefined for a create and for templates. */
  readonly old?: JsonObject | undefined;
}

/** The spec of a claim, or of one item of a StatefulSet's volumeClaimTemplates (of which nothing else is judged). */
export function validateClaimSpec(_spec: JsonObject, _path: FieldPath, _context: ClaimContext = {}): FieldIssue[] {
  return [];
}

/** The claim template of an ephemeral volume: its metadata has labels and annotations alone. */
export function validateClaimTemplate(_template: JsonObject, _path: FieldPath): FieldIssue[] {
  return [];
}

/** Warnings about the spec of a claim or of a claim template; `path` is that which the reference shows before `resources`. */
export function claimSpecWarnings(_spec: JsonObject, _path: FieldPath): readonly string[] {
  return [];
}
