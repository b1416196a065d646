/**
 * Validation of the fields that depend on a pod's operating system, and of host users. The functions append to
 * `issues`.
 */
import { fieldAt, flagAt, objectAt, objectsAt, textAt } from '../../../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { visitContainers } from './pod-containers.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';

const SYSTEMS = ['linux', 'windows'];
const NOT_FOR_WINDOWS = 'cannot be set for a windows pod';
/** The fields that a Windows pod must not set, in the order of kube-apiserver's checks. */
const LINUX_POD_FIELDS: readonly (readonly [name: string, inSpec: boolean])[] = [
  ['appArmorProfile', false],
  ['seLinuxOptions', false],
  ['hostUsers', true],
  ['hostPID', true],
  ['hostIPC', true],
  ['seccompProfile', false],
  ['fsGroup', false],
  ['fsGroupChangePolicy', false],
  ['sysctls', false],
  ['shareProcessNamespace', true],
  ['runAsUser', false],
  ['runAsGroup', false],
  ['supplementalGroups', false],
  ['supplementalGroupsPolicy', false],
  ['seLinuxChangePolicy', false],
];
const LINUX_CONTAINER_FIELDS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

/** Reports fields that the operating system does not have. `path` is the path of the spec. */
export function validateOs(spec: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const os = objectAt(spec, 'os');
  if (os === undefined) return;
  const name = textAt(os, 'name');
  if (name === '') issues.push(required(path.child('os', 'name'), ''));
  else if (!SYSTEMS.includes(name)) issues.push(declared(notSupported(path.child('os'), name, SYSTEMS)));
  else if (name === 'linux') validateLinux(spec, path, issues);
  else validateWindows(spec, path, issues);
}

function validateLinux(spec: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const complain = (at: FieldPath): unknown =>
    issues.push(
      forbidden(at.child('securityContext', 'windowsOptions'), 'windows options cannot be set for a linux pod'),
    );
  if (fieldAt(spec, 'securityContext', 'windowsOptions') !== undefined) complain(path);
  visitContainers(spec, path, (container, at) => {
    if (fieldAt(container, 'securityContext', 'windowsOptions') !== undefined) complain(at());
  });
}

function validateWindows(spec: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  for (const [name, inSpec] of LINUX_POD_FIELDS) {
    const value = inSpec ? fieldAt(spec, name) : fieldAt(spec, 'securityContext', name);
    const isSet = name === 'hostPID' || name === 'hostIPC' ? value === true : value !== undefined;
    if (!isSet) continue;
    issues.push(forbidden(inSpec ? path.child(name) : path.child('securityContext', name), NOT_FOR_WINDOWS));
  }
  visitContainers(spec, path, (container, at) => {
    for (const name of LINUX_CONTAINER_FIELDS)
      if (fieldAt(container, 'securityContext', name) !== undefined)
        issues.push(forbidden(at().child('securityContext', name), NOT_FOR_WINDOWS));
  });
}

/** The rules for Windows HostProcess containers. */
export function validateHostProcess(
  spec: JsonObject,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const ofPod = fieldAt(spec, 'securityContext', 'windowsOptions', 'hostProcess');
  let containers = 0;
  let hostProcesses = 0;
  visitContainers(spec, path, (container, at) => {
    containers++;
    const own = fieldAt(container, 'securityContext', 'windowsOptions', 'hostProcess');
    if (typeof ofPod === 'boolean' && typeof own === 'boolean' && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      issues.push(invalid(at().child('securityContext', 'windowsOptions', 'hostProcess'), own, detail));
    }
    if ((own ?? ofPod) === true) hostProcesses++;
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    issues.push(invalid(path, '', detail));
  }
  if (!flagAt(spec, 'hostNetwork')) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    issues.push(invalid(path.child('hostNetwork'), false, detail));
  }
  if (!options.allowPrivileged) issues.push(forbidden(path, 'hostProcess containers are disallowed by cluster policy'));
}

/** The rules for pods with a user namespace of their own. */
export function validateHostUsers(
  spec: JsonObject,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  if (options.hostUsers) return;
  const detail = 'when `hostUsers` is false';
  if (flagAt(spec, 'hostNetwork') && !options.allowHostNetworkWithOwnUsers)
    issues.push(forbidden(path.child('hostNetwork'), detail));
  if (flagAt(spec, 'hostPID')) issues.push(forbidden(path.child('HostPID'), detail));
  if (flagAt(spec, 'hostIPC')) issues.push(forbidden(path.child('HostIPC'), detail));
  if (options.allowDevicesWithOwnUsers) return;
  visitContainers(spec, path, (container, at) => {
    if (objectsAt(container, 'volumeDevices').length > 0) issues.push(forbidden(at().child('volumeDevices'), detail));
  });
}
