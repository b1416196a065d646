/**
 * Validation of a container's volume mounts and devices. As in kube-apiserver, the paths of some issues lack the index
 * of the mount.
 */
import { fieldAt, flagAt, objectsAt, textAt } from '../../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { validateDescendingPath, validateNoBacksteps } from '../../volume/file-paths.ts';
import { isClaimVolume } from '../../volume/validate-volumes.ts';

export type VolumesByName = ReadonlyMap<string, JsonObject>;

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible'];

/** Appends to `issues`. `path` is the path of the container. */
export function validateMounts(
  container: JsonObject,
  volumes: VolumesByName,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const mounts = objectsAt(container, 'volumeMounts');
  const devices = objectsAt(container, 'volumeDevices');
  if (mounts.length > 0) validateVolumeMounts(container, mounts, devices, volumes, path.child('volumeMounts'), issues);
  if (devices.length > 0) validateVolumeDevices(devices, mounts, volumes, path.child('volumeDevices'), issues);
}

function validateVolumeMounts(
  container: JsonObject,
  mounts: readonly JsonObject[],
  devices: readonly JsonObject[],
  volumes: VolumesByName,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const seen = new Set<string>();
  const deviceNames = new Set(devices.map((device) => textAt(device, 'name')));
  const devicePaths = new Set(devices.map((device) => textAt(device, 'devicePath')));
  mounts.forEach((mount, i) => {
    const name = textAt(mount, 'name');
    const target = textAt(mount, 'mountPath');
    const at = (field: string): FieldPath => path.index(i).child(field);
    if (name === '') issues.push(required(at('name'), ''));
    if (!volumes.has(name)) issues.push(notFound(at('name'), name));
    if (target === '') issues.push(required(at('mountPath'), ''));
    if (seen.has(target)) issues.push(invalid(at('mountPath'), target, 'must be unique'));
    seen.add(target);
    if (deviceNames.has(name)) issues.push(invalid(at('name'), name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(target))
      issues.push(invalid(at('mountPath'), target, 'must not already exist as a path in volumeDevices'));
    const subPath = textAt(mount, 'subPath');
    if (subPath !== '') addIssues(issues, validateDescendingPath(subPath, path.child('subPath')));
    const subPathExpr = textAt(mount, 'subPathExpr');
    if (subPathExpr !== '') {
      if (subPath !== '')
        issues.push(invalid(at('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
      addIssues(issues, validateDescendingPath(subPathExpr, path.child('subPathExpr')));
    }
    validatePropagation(container, mount, path, issues);
    validateRecursiveReadOnly(mount, path, issues);
  });
}

function validatePropagation(container: JsonObject, mount: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const mode = fieldAt(mount, 'mountPropagation');
  if (typeof mode !== 'string') return;
  const at = path.child('mountPropagation');
  if (!PROPAGATIONS.includes(mode)) issues.push(declared(notSupported(at, mode, PROPAGATIONS)));
  if (mode === 'Bidirectional' && !flagAt(container, 'securityContext', 'privileged'))
    issues.push(forbidden(at, 'Bidirectional mount propagation is available only to privileged containers'));
}

function validateRecursiveReadOnly(mount: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const mode = fieldAt(mount, 'recursiveReadOnly');
  if (typeof mode !== 'string' || mode === 'Disabled') return;
  const at = path.child('recursiveReadOnly');
  if (!RECURSIVE_READ_ONLY.includes(mode)) issues.push(declared(notSupported(at, mode, RECURSIVE_READ_ONLY)));
  else {
    if (!flagAt(mount, 'readOnly')) issues.push(forbidden(at, 'may only be specified when readOnly is true'));
    const propagation = fieldAt(mount, 'mountPropagation');
    if (propagation !== undefined && propagation !== 'None')
      issues.push(forbidden(at, 'may only be specified when mountPropagation is None or not specified'));
  }
}

function validateVolumeDevices(
  devices: readonly JsonObject[],
  mounts: readonly JsonObject[],
  volumes: VolumesByName,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mountNames = new Set(mounts.map((mount) => textAt(mount, 'name')));
  const mountPaths = new Set(mounts.map((mount) => textAt(mount, 'mountPath')));
  devices.forEach((device, i) => {
    const name = textAt(device, 'name');
    const target = textAt(device, 'devicePath');
    const volume = volumes.get(name);
    const nameIssue = (detail: string): unknown => issues.push(invalid(path.index(i).child('name'), name, detail));
    const pathIssue = (detail: string): unknown =>
      issues.push(invalid(path.index(i).child('devicePath'), target, detail));
    if (name === '') issues.push(required(path.index(i).child('name'), ''));
    if (names.has(name)) nameIssue('must be unique');
    if (volume === undefined) issues.push(notFound(path.index(i).child('name'), name));
    else if (!isClaimVolume(volume))
      nameIssue('can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode');
    if (target === '') issues.push(required(path.index(i).child('devicePath'), ''));
    if (paths.has(target)) pathIssue('must be unique');
    if (validateNoBacksteps(target, path).length > 0) pathIssue("can not contain backsteps ('..')");
    else paths.add(target);
    if (mountNames.has(name)) nameIssue('must not already exist in volumeMounts');
    if (mountPaths.has(target)) pathIssue('must not already exist as a path in volumeMounts');
    if (name !== '') names.add(name);
  });
}
