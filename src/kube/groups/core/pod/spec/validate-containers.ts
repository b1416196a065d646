/** Validation of containers, init containers and ephemeral containers. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  notFound,
  required,
} from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import { checkDns1123Label } from '../../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject, JsonValue } from '../../../../../base/json-value.ts';
import { validateChoice } from '../../../../shared/choices.ts';
import { validateContainerResources } from '../../../../shared/validate-resources.ts';
import { isSidecar } from '../pod-resources.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import {
  validateContainerPorts,
  validateContainerRestart,
  validateHostPorts,
  validateResizePolicy,
} from './validate-container-policies.ts';
import { validateEnv, validateEnvFrom } from './validate-env.ts';
import { type PodFacts, validateHooksAndProbes } from './validate-handlers.ts';
import { type VolumesByName, validateMounts } from './validate-mounts.ts';
import { validateContainerSecurity } from './validate-security-context.ts';

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const EPHEMERAL_FORBIDDEN = 'cannot be set for an Ephemeral Container';
const RUN_ONLY = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;
/** The fields that an ephemeral container must not have, in the order of the type. */
const NOT_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

/** The parts of the pod spec that validation of its containers depends on. */
export interface ContainerScope extends PodFacts {
  readonly options: PodValidationOptions;
  readonly volumes: VolumesByName;
  readonly claimNames: ReadonlySet<string>;
  readonly restartPolicy: string;
}

/** Appends to `issues`. `path` is the path of the spec. */
export function validateContainers(
  spec: JsonObject,
  scope: ContainerScope,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  validateRegular(spec, scope, path.child('containers'), issues);
  if (objectsAt(spec, 'initContainers').length > 0) validateInit(spec, scope, path.child('initContainers'), issues);
  if (objectsAt(spec, 'ephemeralContainers').length > 0)
    validateEphemeral(spec, scope, path.child('ephemeralContainers'), issues);
}

function validateRegular(spec: JsonObject, scope: ContainerScope, path: FieldPath, issues: FieldIssue[]): void {
  const containers = objectsAt(spec, 'containers');
  if (containers.length === 0) {
    issues.push(required(path, ''));
    return;
  }
  const names = new Set<string>();
  containers.forEach((container, i) => {
    const at = path.index(i);
    validateCommon(container, scope, at, issues);
    const name = textAt(container, 'name');
    if (names.has(name)) issues.push(duplicate(at.child('name'), name));
    names.add(name);
    validateHooksAndProbes(container, scope, at, issues);
    validateContainerRestart(container, false, at, issues);
  });
  validateHostPorts(containers, path, issues);
}

function validateInit(spec: JsonObject, scope: ContainerScope, path: FieldPath, issues: FieldIssue[]): void {
  const names = new Set(objectsAt(spec, 'containers').map((container) => textAt(container, 'name')));
  objectsAt(spec, 'initContainers').forEach((container, i) => {
    const at = path.index(i);
    validateCommon(container, scope, at, issues);
    validateContainerRestart(container, true, at, issues);
    const name = textAt(container, 'name');
    if (names.has(name)) issues.push(duplicate(at.child('name'), name));
    else if (name !== '') names.add(name);
    validateHostPorts([container], path, issues);
    const sidecar = isSidecar(container);
    if (sidecar) validateHooksAndProbes(container, scope, at, issues);
    else
      for (const field of RUN_ONLY)
        if (fieldAt(container, field) !== undefined)
          issues.push(forbidden(at.child(field), 'may not be set for init containers without restartPolicy=Always'));
    if (!sidecar && !scope.options.allowInitRestartOnResize) validateInitResize(container, at, issues);
  });
}

function validateInitResize(container: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  objectsAt(container, 'resizePolicy').forEach((policy, i) => {
    if (textAt(policy, 'restartPolicy') !== 'RestartContainer') return;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    const at = path.child('resizePolicy').index(i).child('restartPolicy');
    issues.push(declared(invalid(at, 'RestartContainer', detail)));
  });
}

function validateEphemeral(spec: JsonObject, scope: ContainerScope, path: FieldPath, issues: FieldIssue[]): void {
  const others = new Set(
    [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].map((container) =>
      textAt(container, 'name'),
    ),
  );
  const names = new Set(others);
  objectsAt(spec, 'ephemeralContainers').forEach((container, i) => {
    const at = path.index(i);
    validateCommon(container, scope, at, issues);
    addIssues(issues, validateImageSpace(container, at));
    const name = textAt(container, 'name');
    if (names.has(name)) issues.push(duplicate(at.child('name'), name));
    names.add(name);
    const target = textAt(container, 'targetContainerName');
    if (target !== '' && !others.has(target)) issues.push(notFound(at.child('targetContainerName'), target));
    for (const field of NOT_EPHEMERAL)
      if (!isZero(fieldAt(container, field))) issues.push(forbidden(at.child(field), EPHEMERAL_FORBIDDEN));
    objectsAt(container, 'volumeMounts').forEach((mount, j) => {
      for (const field of ['subPath', 'subPathExpr'])
        if (textAt(mount, field) !== '')
          issues.push(forbidden(at.child('volumeMounts').index(j).child(field), EPHEMERAL_FORBIDDEN));
    });
  });
}

function isZero(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function validateCommon(container: JsonObject, scope: ContainerScope, path: FieldPath, issues: FieldIssue[]): void {
  const { options } = scope;
  const name = textAt(container, 'name');
  if (name === '') issues.push(required(path.child('name'), ''));
  else for (const complaint of checkDns1123Label(name)) issues.push(invalid(path.child('name'), name, complaint));
  if (textAt(container, 'image') === '') issues.push(required(path.child('image'), ''));
  validateChoice(container, 'terminationMessagePolicy', MESSAGE_POLICIES, path, issues);
  validateContainerPorts(container, path, issues);
  validateEnv(container, path, issues);
  validateEnvFrom(container, path, issues);
  validateMounts(container, scope.volumes, path, issues);
  validateChoice(container, 'imagePullPolicy', PULL_POLICIES, path, issues);
  const resources = objectAt(container, 'resources');
  if (resources !== undefined) {
    const rules = { claimNames: scope.claimNames, allowIndivisibleHugePages: options.allowIndivisibleHugePages };
    addIssues(issues, validateContainerResources(resources, path.child('resources'), rules));
  }
  validateResizePolicy(container, scope.restartPolicy, path, issues);
  const context = objectAt(container, 'securityContext');
  if (context !== undefined) validateContainerSecurity(context, options, path.child('securityContext'), issues);
}

/** Reports whitespace around the image name. Only Pods are checked: existing templates may have such names. */
export function validateImageSpace(container: JsonObject, path: FieldPath): FieldIssue[] {
  const image = textAt(container, 'image');
  return image.trim() === image
    ? []
    : [invalid(path.child('image'), image, 'must not have leading or trailing whitespace')];
}
