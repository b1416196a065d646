/** Environment variables of containers, and the fields of a pod that they and volumes may show. Invariant: pure; the issues are the reference's, in its order. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatQuantity } from '../../../apimachinery/scalars/quantity.ts';
import { isZeroQuantity } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import { type FieldIssue, invalid, notSupported, required } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/labels-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import {
  checkConfigMapKey,
  checkDns1123Label,
  checkRelaxedEnvVarName,
} from '../../../apimachinery/validation/names.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { amountOf } from '../../checks/resource-lists.ts';

const FIELD_PATHS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** What the fields of a pod are called, whether or not they may be shown somewhere. */
const KNOWN_FIELD_PATHS: readonly string[] = [
  ...FIELD_PATHS,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
];
const RESOURCE_FIELDS: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const BYTE_DIVISORS: readonly string[] = '1 1k 1M 1G 1T 1P 1E 1Ki 1Mi 1Gi 1Ti 1Pi 1Ei'.split(' ');
const BYTE_DIVISORS_TEXT = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';

/** Adds what is wrong with the variables of a container. */
export function validateEnv(container: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const variables = objectsAt(container, 'env');
  if (variables.length === 0) return;
  const listPath = path.child('env');
  variables.forEach((variable, i) => {
    const name = textAt(variable, 'name');
    if (name === '') issues.push(required(listPath.index(i).child('name'), ''));
    else
      for (const complaint of checkRelaxedEnvVarName(name))
        issues.push(invalid(listPath.index(i).child('name'), name, complaint));
    const source = objectAt(variable, 'valueFrom');
    if (source !== undefined)
      validateSource(source, textAt(variable, 'value'), listPath.index(i).child('valueFrom'), issues);
  });
}

function validateSource(source: JsonObject, value: string, path: FieldPath, issues: FieldIssue[]): void {
  let sources = 0;
  const visit = (name: string, check: (ref: JsonObject, at: FieldPath) => void): void => {
    const ref = objectAt(source, name);
    if (ref === undefined) return;
    sources++;
    check(ref, path.child(name));
  };
  visit('fieldRef', (ref, at) => issues.push(...validateFieldRef(ref, FIELD_PATHS, at)));
  visit('resourceFieldRef', (ref, at) => issues.push(...validateResourceFieldRef(ref, at)));
  visit('configMapKeyRef', (ref, at) => validateKeyRef(ref, at, issues));
  visit('secretKeyRef', (ref, at) => validateKeyRef(ref, at, issues));
  visit('fileKeyRef', (ref, at) => validateFileKeyRef(ref, at, issues));
  if (sources === 0)
    issues.push(
      invalid(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    );
  else if (value !== '') issues.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (sources > 1) issues.push(invalid(path, '', 'may not have more than one field specified at a time'));
}

/** A field of the pod; `shown` are those that may stand here beside single labels and annotations. */
export function validateFieldRef(ref: JsonObject, shown: readonly string[], path: FieldPath): FieldIssue[] {
  const version = textAt(ref, 'apiVersion');
  const field = textAt(ref, 'fieldPath');
  if (version === '') return [required(path.child('apiVersion'), '')];
  if (field === '') return [required(path.child('fieldPath'), '')];
  const bad = (why: string): FieldIssue[] => [
    invalid(path.child('fieldPath'), field, `error converting fieldPath: ${why}`),
  ];
  if (version !== 'v1') return bad(`unsupported pod version: ${version}`);
  const bracket = field.endsWith("']") ? field.indexOf("['") : -1;
  if (bracket > 0 && bracket + 4 <= field.length) {
    const whole = field.slice(0, bracket);
    const key = field.slice(bracket + 2, -2);
    if (whole !== 'metadata.annotations' && whole !== 'metadata.labels')
      return bad(`field label does not support subscript: ${field}`);
    const name = whole === 'metadata.annotations' ? key.toLowerCase() : key;
    return checkQualifiedName(name).map((complaint) => invalid(path, name, complaint));
  }
  const known = field === 'spec.host' ? 'spec.nodeName' : field;
  if (!KNOWN_FIELD_PATHS.includes(known)) return bad(`field label not supported: ${field}`);
  return shown.includes(known) ? [] : [notSupported(path.child('fieldPath'), known, shown)];
}

/** A limit or a request of a container. */
export function validateResourceFieldRef(
  ref: JsonObject,
  path: FieldPath,
  options: { readonly inVolume?: boolean } = {},
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const resource = textAt(ref, 'resource');
  const isHugePages = /^(?:requests|limits)\.hugepages-/.test(resource);
  if (options.inVolume === true && textAt(ref, 'containerName') === '')
    issues.push(required(path.child('containerName'), ''));
  else if (resource === '') issues.push(required(path.child('resource'), ''));
  else if (!isHugePages && !RESOURCE_FIELDS.includes(resource))
    issues.push(notSupported(path.child('resource'), resource, RESOURCE_FIELDS));
  const divisor = amountOf(fieldAt(ref, 'divisor') ?? '0');
  if (isZeroQuantity(divisor)) return issues;
  const text = formatQuantity(divisor);
  const bad = (values: string, kind: string): void => {
    const detail = `only divisor's values ${values} are supported with the ${kind} resource`;
    issues.push(invalid(path.child('divisor'), resource, detail));
  };
  if (resource.endsWith('.cpu')) {
    if (text !== '1m' && text !== '1') bad('1m and 1', 'cpu');
  } else if (!BYTE_DIVISORS.includes(text)) {
    if (resource === 'limits.memory' || resource === 'requests.memory') bad(BYTE_DIVISORS_TEXT, 'memory');
    else if (resource.endsWith('.ephemeral-storage')) bad(BYTE_DIVISORS_TEXT, 'local ephemeral storage');
    else if (isHugePages) bad(BYTE_DIVISORS_TEXT, 'hugepages');
  }
  return issues;
}

function validateKeyRef(ref: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const name = textAt(ref, 'name');
  for (const complaint of nameIsDnsSubdomain(name, false)) issues.push(invalid(path.child('name'), name, complaint));
  const key = textAt(ref, 'key');
  if (key === '') issues.push(required(path.child('key'), ''));
  else for (const complaint of checkConfigMapKey(key)) issues.push(invalid(path.child('key'), key, complaint));
}

function validateFileKeyRef(ref: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const key = textAt(ref, 'key');
  if (key === '') issues.push(required(path.child('key'), ''));
  else for (const complaint of checkRelaxedEnvVarName(key)) issues.push(invalid(path.child('key'), key, complaint));
  const volume = textAt(ref, 'volumeName');
  if (volume === '') issues.push(required(path.child('volumeName'), ''));
  else
    for (const complaint of checkDns1123Label(volume))
      issues.push(invalid(path.child('volumeName'), volume, complaint));
  const file = textAt(ref, 'path');
  if (file === '') issues.push(required(path.child('path'), ''));
  else issues.push(...validateNoBacksteps(file, path.child('path')));
}

/** Adds what is wrong with whole ConfigMaps and Secrets that become variables. Most issues stand at the list, as in the reference. */
export function validateEnvFrom(container: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const sources = objectsAt(container, 'envFrom');
  if (sources.length === 0) return;
  const listPath = path.child('envFrom');
  sources.forEach((source, i) => {
    const prefix = textAt(source, 'prefix');
    for (const complaint of prefix === '' ? [] : checkRelaxedEnvVarName(prefix))
      issues.push(invalid(listPath.index(i).child('prefix'), prefix, complaint));
    let count = 0;
    for (const field of ['configMapRef', 'secretRef']) {
      const ref = objectAt(source, field);
      if (ref === undefined) continue;
      count++;
      const name = textAt(ref, 'name');
      const at = listPath.index(i).child(field, 'name');
      if (name === '') issues.push(required(at, ''));
      else for (const complaint of nameIsDnsSubdomain(name, true)) issues.push(invalid(at, name, complaint));
    }
    if (count === 0) issues.push(invalid(listPath, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (count > 1) issues.push(invalid(listPath, '', 'may not have more than one field specified at a time'));
  });
}

/** No part of the path leads up. */
export function validateNoBacksteps(target: string, path: FieldPath | undefined): FieldIssue[] {
  return target.split('/').includes('..') ? [invalid(path, target, "must not contain '..'")] : [];
}

/** Relative, and no part leads up. */
export function validateDescendingPath(target: string, path: FieldPath | undefined): FieldIssue[] {
  const issues = target.startsWith('/') ? [invalid(path, target, 'must be a relative path')] : [];
  return [...issues, ...validateNoBacksteps(target, path)];
}
