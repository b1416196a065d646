/** Validation of a container's environment variables. The functions append to `issues`. */
import { objectAt, objectsAt, textAt } from '../../../../../apimachinery/meta/object-fields.ts';
import { addIssues, type FieldIssue, invalid, required } from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../../apimachinery/validation/name-rules.ts';
import {
  checkConfigMapKey,
  checkDns1123Label,
  checkRelaxedEnvVarName,
} from '../../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { validateFieldRef, validateResourceFieldRef } from '../../volume/downward-selectors.ts';
import { validateNoBacksteps } from '../../volume/file-paths.ts';

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
  visit('fieldRef', (ref, at) => addIssues(issues, validateFieldRef(ref, FIELD_PATHS, at)));
  visit('resourceFieldRef', (ref, at) => addIssues(issues, validateResourceFieldRef(ref, at, false)));
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
  else addIssues(issues, validateNoBacksteps(file, path.child('path')));
}

/** As in kube-apiserver, some issues have the path of the list instead of the item. */
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
