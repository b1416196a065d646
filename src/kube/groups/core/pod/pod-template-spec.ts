/** The rules of pod templates, for the kinds that contain one. Kinds outside of this folder import only this file. */
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
import { podValidationOptions } from './spec/make-pod-validation-options.ts';
import { validatePodSpec } from './spec/validate-pod-spec.ts';
import { validatePodAnnotations, validateProfilesMatch } from './validate-pod-annotations.ts';

export interface PodSpecContext {
  /** The stored template; some invalid values are accepted if it has them. Undefined on create. */
  readonly old?: JsonObject | undefined;
  /** Whether containers may be privileged. Default true: no container runs here. */
  readonly allowPrivileged?: boolean;
}

/** The defaults of a pod template. Idempotent. */
export function setPodTemplateDefaults(template: JsonObject): void {
  setTemplateDefaults(template);
}

/** Validates labels, annotations and spec. The kind that contains the template checks the restart policy. */
export function validatePodTemplateSpec(
  template: JsonObject,
  path: FieldPath,
  { old, allowPrivileged = true }: PodSpecContext = {},
): FieldIssue[] {
  const options = podValidationOptions(template, { isPod: false, allowPrivileged, old });
  const spec = objectAt(template, 'spec') ?? {};
  const specPath = path.child('spec');
  // As in kube-apiserver, these paths lack the step `metadata`.
  const annotationsPath = path.child('annotations');
  const issues = [
    ...validateLabels(labelsAt(template, 'metadata', 'labels'), path.child('labels')),
    ...validateAnnotations(labelsAt(template, 'metadata', 'annotations'), annotationsPath),
    ...validatePodAnnotations(template, options, annotationsPath),
    ...validatePodSpec(spec, undefined, options, specPath),
    ...validateProfilesMatch(template, specPath),
  ];
  if (objectsAt(spec, 'ephemeralContainers').length > 0)
    issues.push(forbidden(specPath.child('ephemeralContainers'), 'ephemeral containers not allowed in pod template'));
  return issues;
}

/** Warnings about a template. As in kube-apiserver, the stored template makes no difference. */
export function podTemplateWarnings(
  template: JsonObject,
  _old: JsonObject | undefined,
  path: FieldPath,
): readonly string[] {
  return podHolderWarnings(template, path);
}

/** Drops fields whose feature gates are off, in place, unless the stored template has them. */
export function dropDisabledPodFields(template: JsonObject, old: JsonObject | undefined): void {
  const spec = objectAt(template, 'spec');
  if (spec !== undefined) dropDisabledSpecFields(spec, old === undefined ? undefined : objectAt(old, 'spec'));
}
