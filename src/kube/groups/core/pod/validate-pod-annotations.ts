/** Validation of pod annotations: deprecated seccomp and AppArmor profiles, tolerations, mirror pods, deletion cost. */

import { quote } from '../../../../apimachinery/go-format.ts';
import { cannotUnmarshal } from '../../../../apimachinery/go-json.ts';
import { fieldAt, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { parseGoInt } from '../../../../apimachinery/scalars/go-number.ts';
import { addIssues, type FieldIssue, forbidden, invalid } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { encodeUtf8 } from '../../../../base/bytes.ts';
import { readJson } from '../../../../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../base/json-value.ts';
import { validateDescendingPath } from '../volume/file-paths.ts';
import { allContainers, visitContainers } from './spec/pod-containers.ts';
import type { PodValidationOptions } from './spec/pod-validation-options.ts';
import { validateTolerations } from './spec/validate-tolerations.ts';

export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
export const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
export const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
export const SECCOMP_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const LOCALHOST = 'localhost/';
const RUNTIME_DEFAULT = 'runtime/default';

type Annotations = JsonObject | undefined;

/** `holder` is a Pod or a pod template; `path` is the path of its annotations. */
export function validatePodAnnotations(
  holder: JsonObject,
  options: PodValidationOptions,
  path: FieldPath,
): FieldIssue[] {
  const annotations: Annotations = objectAt(holder, 'metadata', 'annotations');
  if (annotations === undefined) return [];
  const spec = objectAt(holder, 'spec') ?? {};
  const issues: FieldIssue[] = [];
  const mirror = fieldAt(annotations, MIRROR_ANNOTATION);
  if (mirror !== undefined && textAt(spec, 'nodeName') === '')
    issues.push(invalid(path.key(MIRROR_ANNOTATION), mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  if (textAt(annotations, TOLERATIONS) !== '') validateTolerationsText(annotations, options, path, issues);
  if (!options.allowInvalidDeletionCost && hasInvalidDeletionCost(annotations))
    issues.push(invalid(path.key(DELETION_COST), textAt(annotations, DELETION_COST), 'must be a 32bit integer'));
  const seccomp = fieldAt(annotations, SECCOMP_POD);
  if (typeof seccomp === 'string') addIssues(issues, validateSeccompName(seccomp, path.child(SECCOMP_POD)));
  const keys = Object.keys(annotations);
  for (const key of keys)
    if (key.startsWith(SECCOMP_PREFIX))
      addIssues(issues, validateSeccompName(textAt(annotations, key), path.child(key)));
  const profiled = keys.filter((key) => key.startsWith(APP_ARMOR_PREFIX));
  if (profiled.length === 0) return issues;
  const names = new Set(allContainers(spec).map((container) => textAt(container, 'name')));
  for (const key of profiled) validateAppArmorName(names, key, textAt(annotations, key), path, issues);
  return issues;
}

/** Whether the annotation is present and is not an int32 without plus sign and leading zeros. */
export function hasInvalidDeletionCost(annotations: Annotations): boolean {
  const cost = annotations === undefined ? undefined : fieldAt(annotations, DELETION_COST);
  if (typeof cost !== 'string') return false;
  return !/^(?:-|0$|[1-9])/.test(cost) || !parseGoInt(cost, 'ParseInt', 32).ok;
}

function validateTolerationsText(
  annotations: JsonObject,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const read = readJson(encodeUtf8(textAt(annotations, TOLERATIONS)));
  const problem = read.ok ? listProblem(read.value) : read.error.message;
  if (!read.ok || problem !== '') {
    issues.push(invalid(path, TOLERATIONS, problem));
    return;
  }
  const tolerations = Array.isArray(read.value) ? read.value.filter(isJsonObject) : [];
  addIssues(issues, validateTolerations(tolerations, path.child(TOLERATIONS), options.allowTolerationComparison));
}

function listProblem(value: JsonValue): string {
  if (value === null || Array.isArray(value)) return '';
  return cannotUnmarshal(value, 'Go value of type []core.Toleration');
}

function validateSeccompName(profile: string, path: FieldPath): FieldIssue[] {
  if (profile === RUNTIME_DEFAULT || profile === 'docker/default' || profile === 'unconfined') return [];
  if (profile.startsWith(LOCALHOST)) return validateDescendingPath(profile.slice(LOCALHOST.length), path);
  return [invalid(path, profile, 'must be a valid seccomp profile')];
}

function validateAppArmorName(
  containers: ReadonlySet<string>,
  key: string,
  profile: string,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const name = key.slice(APP_ARMOR_PREFIX.length);
  if (!containers.has(name)) issues.push(invalid(path.key(key), name, 'container not found'));
  if (profile === '' || profile === RUNTIME_DEFAULT || profile === 'unconfined' || profile.startsWith(LOCALHOST))
    return;
  issues.push(invalid(path.key(key), profile, `invalid AppArmor profile name: ${quote(profile)}`));
}

/** Profiles in annotations and in fields must match where both are set. `path` is the path of the spec. */
export function validateProfilesMatch(holder: JsonObject, path: FieldPath): FieldIssue[] {
  const annotations = objectAt(holder, 'metadata', 'annotations');
  if (annotations === undefined) return [];
  const spec = objectAt(holder, 'spec') ?? {};
  const issues: FieldIssue[] = [];
  const compare = (key: string, profile: JsonObject | undefined, what: string, at: () => FieldPath): void => {
    const annotation = fieldAt(annotations, key);
    if (profile === undefined || typeof annotation !== 'string') return;
    const field = mismatch(annotation, profile, what === 'seccomp');
    const noun = field === 'type' ? 'type' : 'profile';
    if (field !== '') issues.push(forbidden(at().child(field), `${what} ${noun} in annotation and field must match`));
  };
  const podContext = objectAt(spec, 'securityContext') ?? {};
  compare(SECCOMP_POD, objectAt(podContext, 'seccompProfile'), 'seccomp', () =>
    path.child('securityContext', 'seccompProfile'),
  );
  visitContainers(spec, path, (container, at) => {
    const key = SECCOMP_PREFIX + textAt(container, 'name');
    const profile = objectAt(container, 'securityContext', 'seccompProfile');
    compare(key, profile, 'seccomp', () => at().child('securityContext', 'seccompProfile'));
  });
  if (textAt(spec, 'os', 'name') === 'windows') return issues;
  visitContainers(spec, path, (container, at) => {
    const key = APP_ARMOR_PREFIX + textAt(container, 'name');
    const profile =
      objectAt(container, 'securityContext', 'appArmorProfile') ?? objectAt(podContext, 'appArmorProfile');
    compare(key, profile, 'apparmor', () => at().child('securityContext', 'appArmorProfile'));
  });
  return issues;
}

/** The field of the profile that the annotation does not match, or '' if it matches. */
function mismatch(annotation: string, profile: JsonObject, isSeccomp: boolean): '' | 'type' | 'localhostProfile' {
  switch (textAt(profile, 'type')) {
    case 'Unconfined':
      return annotation === 'unconfined' ? '' : 'type';
    case 'RuntimeDefault':
      return annotation === RUNTIME_DEFAULT || (isSeccomp && annotation === 'docker/default') ? '' : 'type';
    case 'Localhost':
      if (!annotation.startsWith(LOCALHOST)) return 'type';
      return fieldAt(profile, 'localhostProfile') === annotation.slice(LOCALHOST.length) ? '' : 'localhostProfile';
    default:
      return '';
  }
}

/** Reports changes of annotations that are immutable after creation. */
export function validatePodAnnotationsUpdate(pod: JsonObject, old: JsonObject, path: FieldPath): FieldIssue[] {
  const now = objectAt(pod, 'metadata', 'annotations') ?? {};
  const before = objectAt(old, 'metadata', 'annotations') ?? {};
  const issues: FieldIssue[] = [];
  const complain = (key: string, verb: string): void => {
    if (key.startsWith(APP_ARMOR_PREFIX)) issues.push(forbidden(path.key(key), `may not ${verb} AppArmor annotations`));
    if (key === MIRROR_ANNOTATION) issues.push(forbidden(path.key(key), `may not ${verb} mirror pod annotation`));
  };
  for (const key of Object.keys(before)) if (now[key] !== before[key]) complain(key, 'remove or update');
  for (const key of Object.keys(now)) if (!Object.hasOwn(before, key)) complain(key, 'add');
  return issues;
}

/** The profile that the deprecated annotation stands for. Undefined for an invalid one. */
export function appArmorProfileOf(annotation: string): JsonObject | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === RUNTIME_DEFAULT) return { type: 'RuntimeDefault' };
  if (!annotation.startsWith(LOCALHOST) || annotation === LOCALHOST) return undefined;
  return { type: 'Localhost', localhostProfile: annotation.slice(LOCALHOST.length) };
}
