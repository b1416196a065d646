/**
 * Validation of updates of Pods and of their ephemeral containers. Few fields are mutable: images, the active deadline,
 * added tolerations and removed scheduling gates.
 */

import { quote } from '../../../../apimachinery/go-format.ts';
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkInRange } from '../../../../apimachinery/validation/name-syntax.ts';
import { equalJson, type JsonObject } from '../../../../base/json-value.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';
import { takeField } from '../../../../server/resource/strategy-fields.ts';
import { wholeAt } from '../../../shared/numbers.ts';
import { unifiedDiff } from '../../../shared/unified-diff.ts';
import { validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { podValidationOptions } from './spec/make-pod-validation-options.ts';
import { podSpecGoValue } from './spec/pod-go-value.ts';
import type { PodValidationOptions } from './spec/pod-validation-options.ts';
import { validateImageSpace } from './spec/validate-containers.ts';
import { validateTolerations } from './spec/validate-tolerations.ts';
import { METADATA, SPEC, validatePodParts } from './validate-pod.ts';
import { MIRROR_ANNOTATION, validatePodAnnotations, validatePodAnnotationsUpdate } from './validate-pod-annotations.ts';

const MAX_INT32 = 2 ** 31 - 1;
const REQUIRED_AFFINITY = 'requiredDuringSchedulingIgnoredDuringExecution';
const MUTABLE_FIELDS =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

export function validatePodUpdate(pod: JsonObject, old: JsonObject): FieldIssue[] {
  const options = podValidationOptions(pod, { isPod: true, old });
  const issues = validateCommonUpdate(pod, old, options);
  const spec = objectAt(pod, 'spec') ?? {};
  const oldSpec = objectAt(old, 'spec') ?? {};
  for (const list of ['containers', 'initContainers']) if (!validateImages(spec, oldSpec, list, issues)) return issues;
  if (!validateDeadline(spec, oldSpec, issues)) return issues;
  addIssues(issues, [...validateAddedTolerations(spec, oldSpec, options), ...validateRemovedGates(spec, oldSpec)]);
  if (equalJson(spec, oldSpec)) return issues;
  const masked = withMutableFieldsOf(spec, oldSpec);
  if (objectsAt(oldSpec, 'schedulingGates').length > 0) maskGated(masked, oldSpec, issues);
  if (!equalJson(masked, oldSpec)) {
    const diff = unifiedDiff(podSpecGoValue(oldSpec), podSpecGoValue(masked));
    issues.push(forbidden(SPEC, `pod updates may not change fields other than ${MUTABLE_FIELDS}\n${diff}`));
  }
  return issues;
}

/** The rules for every update of a Pod's spec. */
function validateCommonUpdate(pod: JsonObject, old: JsonObject, options: PodValidationOptions): FieldIssue[] {
  const annotations = METADATA.child('annotations');
  return [
    ...validateMetaUpdate(pod, old),
    ...validatePodParts(pod, options),
    ...validatePodAnnotationsUpdate(pod, old, annotations),
    ...validatePodAnnotations(pod, options, annotations),
  ];
}

/** False if containers were added or removed; the specs are not compared further then. */
function validateImages(spec: JsonObject, oldSpec: JsonObject, list: string, issues: FieldIssue[]): boolean {
  const path = SPEC.child(list);
  const containers = objectsAt(spec, list);
  if (containers.length !== objectsAt(oldSpec, list).length) {
    issues.push(forbidden(path, 'pod updates may not add or remove containers'));
    return false;
  }
  containers.forEach((container, i) => {
    if (textAt(container, 'image') === '') issues.push(required(path.index(i).child('image'), ''));
    addIssues(issues, validateImageSpace(container, path.index(i)));
  });
  return true;
}

/** The deadline may be set or shortened. False if it is invalid; the specs are not compared further then. */
function validateDeadline(spec: JsonObject, oldSpec: JsonObject, issues: FieldIssue[]): boolean {
  const path = SPEC.child('activeDeadlineSeconds');
  const deadline = wholeAt(spec, 'activeDeadlineSeconds');
  const before = wholeAt(oldSpec, 'activeDeadlineSeconds');
  if (deadline === undefined) {
    if (before !== undefined) issues.push(invalid(path, null, 'must not update from a positive integer to nil value'));
    return true;
  }
  const complaints = checkInRange(Number(deadline), 0, MAX_INT32);
  for (const complaint of complaints) issues.push(invalid(path, deadline, complaint));
  if (complaints.length > 0) return false;
  if (before === undefined || before >= deadline) return true;
  issues.push(invalid(path, deadline, 'must be less than or equal to previous value'));
  return false;
}

function validateAddedTolerations(spec: JsonObject, oldSpec: JsonObject, options: PodValidationOptions): FieldIssue[] {
  const path = SPEC.child('tolerations');
  const tolerations = objectsAt(spec, 'tolerations');
  const kept = new Set(tolerations.map(tolerationId));
  if (!objectsAt(oldSpec, 'tolerations').every((before) => kept.has(tolerationId(before))))
    return [forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')];
  return validateTolerations(tolerations, path, options.allowTolerationComparison);
}

/** Everything but tolerationSeconds. */
function tolerationId(toleration: JsonObject): string {
  return JSON.stringify(['key', 'operator', 'value', 'effect'].map((name) => textAt(toleration, name)));
}

function validateRemovedGates(spec: JsonObject, oldSpec: JsonObject): FieldIssue[] {
  const before = new Set(objectsAt(oldSpec, 'schedulingGates').map((gate) => textAt(gate, 'name')));
  const added = new Map<string, number>();
  objectsAt(spec, 'schedulingGates').forEach((gate, i) => {
    const name = textAt(gate, 'name');
    if (!before.has(name)) added.set(name, i);
  });
  return [...added].map(([name, i]) =>
    forbidden(
      SPEC.child('schedulingGates').index(i).child('name'),
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    ),
  );
}

/** The new spec with the mutable fields of the old one. */
function withMutableFieldsOf(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const masked: JsonObject = { ...spec };
  for (const list of ['containers', 'initContainers']) {
    const before = objectsAt(oldSpec, list);
    if (fieldAt(spec, list) === undefined) continue;
    masked[list] = objectsAt(spec, list).map((container, i) => {
      const copy = { ...container };
      takeField(copy, before[i] ?? {}, 'image');
      return copy;
    });
  }
  for (const field of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) takeField(masked, oldSpec, field);
  const grace = wholeAt(oldSpec, 'terminationGracePeriodSeconds');
  if (grace !== undefined && grace < 0 && wholeAt(masked, 'terminationGracePeriodSeconds') === 1)
    masked['terminationGracePeriodSeconds'] = grace;
  return masked;
}

/**
 * Node selector and node affinity of a pod with scheduling gates may be narrowed. Replaces them in `masked` by the old.
 */
function maskGated(masked: JsonObject, oldSpec: JsonObject, issues: FieldIssue[]): void {
  const selector = objectAt(masked, 'nodeSelector') ?? {};
  const before = objectAt(oldSpec, 'nodeSelector') ?? {};
  if (Object.keys(before).some((key) => selector[key] !== before[key])) {
    const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    issues.push(declared(invalid(SPEC.child('nodeSelector'), selector, detail)));
  }
  takeField(masked, oldSpec, 'nodeSelector');
  const affinity = objectAt(masked, 'affinity');
  const oldAffinity = objectAt(oldSpec, 'affinity', 'nodeAffinity');
  const newAffinity = affinity === undefined ? undefined : objectAt(affinity, 'nodeAffinity');
  if (equalJson(newAffinity ?? null, oldAffinity ?? null)) return;
  validateNodeAffinityMutation(newAffinity ?? {}, oldAffinity ?? {}, issues);
  const copy: JsonObject = { ...affinity };
  if (oldAffinity === undefined) delete copy['nodeAffinity'];
  else copy['nodeAffinity'] = oldAffinity;
  if (Object.keys(copy).length === 0 && fieldAt(oldSpec, 'affinity') === undefined) delete masked['affinity'];
  else masked['affinity'] = copy;
}

function validateNodeAffinityMutation(affinity: JsonObject, old: JsonObject, issues: FieldIssue[]): void {
  const path = SPEC.child('affinity', 'nodeAffinity', REQUIRED_AFFINITY, 'nodeSelectorTerms');
  const before = objectsAt(old, REQUIRED_AFFINITY, 'nodeSelectorTerms');
  const now = objectsAt(affinity, REQUIRED_AFFINITY, 'nodeSelectorTerms');
  if (before.length > 0 && before.length !== now.length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    issues.push(declared(invalid(path, [...now], detail)));
    return;
  }
  before.forEach((term, i) => {
    if (!onlyAdds(now[i] ?? {}, term))
      issues.push(
        declared(invalid(path.index(i), now[i] ?? {}, 'only additions are allowed (no mutations or deletions)')),
      );
  });
}

function onlyAdds(term: JsonObject, old: JsonObject): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  const isEmpty = (one: JsonObject): boolean => lists.every((list) => objectsAt(one, list).length === 0);
  if (isEmpty(old) && !isEmpty(term)) return false;
  return lists.every((list) => {
    const before = objectsAt(old, list);
    return equalJson(objectsAt(term, list).slice(0, before.length), [...before]);
  });
}

// ── Ephemeral containers ──

/** Ephemeral containers may be added, but not removed or changed. */
export function validateEphemeralUpdate(pod: JsonObject, old: JsonObject): FieldIssue[] {
  if (fieldAt(old, 'metadata', 'annotations', MIRROR_ANNOTATION) !== undefined)
    return [forbidden(FieldPath.of(''), 'static pods do not support ephemeral containers')];
  const options = podValidationOptions(pod, { isPod: true, old });
  const issues = validateCommonUpdate(pod, old, options);
  const path = SPEC.child('ephemeralContainers');
  const now = new Map(objectsAt(pod, 'spec', 'ephemeralContainers').map((one) => [textAt(one, 'name'), one]));
  for (const before of objectsAt(old, 'spec', 'ephemeralContainers')) {
    const name = textAt(before, 'name');
    const container = now.get(name);
    const which = `existing ephemeral containers ${quote(name)} may not be`;
    if (container === undefined) issues.push(forbidden(path, `${which} removed\n`));
    else if (!equalJson(container, before)) {
      const shown = (one: JsonObject): JsonObject => goValue(coreShapes, 'EphemeralContainer', one);
      issues.push(forbidden(path, `${which} changed\n${unifiedDiff(shown(before), shown(container))}`));
    }
  }
  return issues;
}
