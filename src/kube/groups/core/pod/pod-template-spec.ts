/**
 * Pod specs and templates, as every kind that holds one needs them. Invariant: pure; defaults equal the reference's to the field and the issues are its own. This is the
 * front door of `rules/pod/`: other kinds import from here alone.
 */
import { objectAt, objectsAt } from '../../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { validateLabels } from '../../../../apimachinery/validation/label-syntax.ts';
import { validateAnnotations } from '../../../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { labelsAt } from '../../../shared/label-selector.ts';
import { dropDisabledSpecFields } from './drop-disabled-fields.ts';
import { setTemplateDefaults } from './pod-defaults.ts';
import { podHolderWarnings } from './pod-warnings.ts';
import { podChecks } from './spec/make-pod-checks.ts';
import { validatePodSpec } from './spec/validate-pod-spec.ts';
import { validatePodAnnotations, validateProfilesMatch } from './validate-pod-annotations.ts';

export { containerColumns } from './pod-table.ts';

/** What the reference's options for pods depend on: what a stored object has already, and where the spec stands. */
export interface PodSpecContext {
  /** The template of the stored object, whose oddities may stay; undefined for a create. */
  readonly old?: JsonObject | undefined;
  /** Containers may be privileged. Default true: nothing runs here, and whoever tries objects out wants all of them. */
  readonly allowPrivileged?: boolean;
}

/** Defaults of a pod spec inside a template. A Pod itself gets more. Idempotent. */
export function setPodTemplateDefaults(template: JsonObject): void {
  setTemplateDefaults(template);
}

/** Metadata, as far as a template has any, and spec. Which restart policies make sense is the business of the kind that holds it. */
export function validatePodTemplateSpec(
  template: JsonObject,
  path: FieldPath,
  { old, allowPrivileged = true }: PodSpecContext = {},
): FieldIssue[] {
  const checks = podChecks(template, { isPod: false, allowPrivileged, old });
  const spec = objectAt(template, 'spec') ?? {};
  const specPath = path.child('spec');
  // The reference leaves the step `metadata` out here.
  const annotationsPath = path.child('annotations');
  const issues = [
    ...validateLabels(labelsAt(template, 'metadata', 'labels'), path.child('labels')),
    ...validateAnnotations(labelsAt(template, 'metadata', 'annotations'), annotationsPath),
    ...validatePodAnnotations(template, checks, annotationsPath),
    ...validatePodSpec(spec, undefined, checks, specPath),
    ...validateProfilesMatch(template, specPath),
  ];
  if (objectsAt(spec, 'ephemeralContainers').length > 0)
    issues.push(forbidden(specPath.child('ephemeralContainers'), 'ephemeral containers not allowed in pod template'));
  return issues;
}

/** Warnings of a template that is written. What the stored one had does not matter today, as in the reference. */
export function podTemplateWarnings(
  template: JsonObject,
  _old: JsonObject | undefined,
  path: FieldPath,
): readonly string[] {
  return podHolderWarnings(template, path);
}

/** Fields behind feature gates that are off: dropped unless the stored template has them. */
export function dropDisabledPodFields(template: JsonObject, old: JsonObject | undefined): void {
  const spec = objectAt(template, 'spec');
  if (spec !== undefined) dropDisabledSpecFields(spec, old === undefined ? undefined : objectAt(old, 'spec'));
}
