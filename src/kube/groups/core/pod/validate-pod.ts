/** Validation of Pods on create, and the rules that creates and updates share. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { addIssues, type FieldIssue, forbidden } from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/name-rules.ts';
import type { ObjectMetaRules } from '../../../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { metaFacts } from '../../../../server/resource/strategy-fields.ts';
import { validateKubeMeta } from '../../../shared/validate-kube-meta.ts';
import { podValidationOptions } from './spec/make-pod-validation-options.ts';
import type { PodValidationOptions } from './spec/pod-validation-options.ts';
import { validateImageSpace } from './spec/validate-containers.ts';
import { validatePodSpec } from './spec/validate-pod-spec.ts';
import { validatePodAnnotations, validateProfilesMatch } from './validate-pod-annotations.ts';

export const METADATA: FieldPath = FieldPath.of('metadata');
export const SPEC: FieldPath = FieldPath.of('spec');
export const POD_RULES: ObjectMetaRules = { namespaced: true, name: nameIsDnsSubdomain };

export function validatePodCreate(pod: JsonObject): FieldIssue[] {
  const spec = objectAt(pod, 'spec') ?? {};
  const issues = validatePodParts(pod, podValidationOptions(pod, { isPod: true, old: undefined }));
  if (objectsAt(spec, 'ephemeralContainers').length > 0)
    issues.push(forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create'));
  if (textAt(spec, 'nodeName') !== '' && objectsAt(spec, 'schedulingGates').length > 0)
    issues.push(forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  addIssues(issues, validateProfilesMatch(pod, SPEC));
  return issues;
}

/** The rules for metadata and spec on create and update. */
export function validatePodParts(pod: JsonObject, options: PodValidationOptions): FieldIssue[] {
  const spec = objectAt(pod, 'spec') ?? {};
  const issues = [
    ...validateKubeMeta(metaFacts(pod), POD_RULES, METADATA),
    ...validatePodAnnotations(pod, options, METADATA.child('annotations')),
    ...validatePodSpec(spec, objectAt(pod, 'metadata') ?? {}, options, SPEC),
  ];
  if (textAt(spec, 'serviceAccountName') === '') forbidTokens(spec, issues);
  for (const list of ['containers', 'initContainers'])
    objectsAt(spec, list).forEach((container, i) => {
      addIssues(issues, validateImageSpace(container, SPEC.child(list).index(i)));
    });
  return issues;
}

/** A projected token needs a service account. */
function forbidTokens(spec: JsonObject, issues: FieldIssue[]): void {
  objectsAt(spec, 'volumes').forEach((volume, i) => {
    objectsAt(volume, 'projected', 'sources').forEach((source, j) => {
      if (fieldAt(source, 'serviceAccountToken') === undefined) return;
      const at = SPEC.child('volumes').index(i).child('projected', 'sources').index(j).child('serviceAccountToken');
      issues.push(forbidden(at, 'must not be specified when serviceAccountName is not set'));
    });
  });
}
