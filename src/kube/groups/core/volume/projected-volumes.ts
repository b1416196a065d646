/** Validation of volumes whose files come from the API: secret, configMap, downwardAPI and projected. */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  type LabelSelectorObject,
  validateLabelSelectorObject,
} from '../../../../apimachinery/selectors/label-selector-object.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { validateDomainPrefixedKey } from '../../../../apimachinery/validation/label-syntax.ts';
import { lowerCase } from '../../../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { utf8Length } from '../../../../base/utf8.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';
import {
  checkTrustBundleName,
  isKubernetesSigner,
  signerOfTrustBundle,
  validateSignerName,
} from '../../../shared/signer-name.ts';
import { validateFieldRef, validateResourceFieldRef } from './downward-selectors.ts';
import { validateFileMode, validateKeyToPath, validateLocalPath } from './file-paths.ts';

/** The fields of the pod that a file may contain, sorted. */
const FILE_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const MIN_CERTIFICATE_SECONDS = 3600;
const MAX_CERTIFICATE_SECONDS = 91 * 24 * 3600;
const MAX_KUBERNETES_CERTIFICATE_SECONDS = 24 * 3600;
const MAX_ANNOTATIONS = 256 * 1024;
const CERTIFICATE_PATHS = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;

/** A volume of one Secret or ConfigMap. `name` is the field with the object's name. */
export function validateKeyedSource(source: JsonObject, path: FieldPath, name: 'secretName' | 'name'): FieldIssue[] {
  return [
    ...(textAt(source, name) === '' ? [required(path.child(name), '')] : []),
    ...validateFileMode(source, 'defaultMode', path),
    ...validateItems(source, path),
  ];
}

function validateItems(source: JsonObject, path: FieldPath): FieldIssue[] {
  return objectsAt(source, 'items').flatMap((item, i) => validateKeyToPath(item, path.child('items').index(i)));
}

export function validateDownwardApi(source: JsonObject, path: FieldPath): FieldIssue[] {
  return [
    ...validateFileMode(source, 'defaultMode', path),
    ...objectsAt(source, 'items').flatMap((file) => validateDownwardFile(file, path)),
  ];
}

/** As in kube-apiserver, the paths of issues do not contain the index of the file. */
function validateDownwardFile(file: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const target = textAt(file, 'path');
  if (target === '') issues.push(required(path.child('path'), ''));
  issues.push(...validateLocalPath(target, path.child('path')));
  const field = objectAt(file, 'fieldRef');
  const resource = objectAt(file, 'resourceFieldRef');
  if (field !== undefined) {
    addIssues(issues, validateFieldRef(field, FILE_FIELDS, path.child('fieldRef')));
    if (resource !== undefined)
      issues.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (resource !== undefined)
    addIssues(issues, validateResourceFieldRef(resource, path.child('resourceFieldRef'), true));
  else issues.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  return [...issues, ...validateFileMode(file, 'mode', path)];
}

export interface ProjectedContext {
  /** See VolumeContext. */
  readonly allowNonLocalProjectedTokenPath?: boolean;
}

export function validateProjected(source: JsonObject, path: FieldPath, context: ProjectedContext): FieldIssue[] {
  const issues = validateFileMode(source, 'defaultMode', path);
  const taken = new Set<string>();
  objectsAt(source, 'sources').forEach((projection, i) => {
    const files = new ProjectedFiles(issues, taken, path);
    const at = path.child('sources').index(i);
    let count = 0;
    for (const name in PROJECTIONS) {
      const part = objectAt(projection, name);
      if (part === undefined) continue;
      count++;
      (PROJECTIONS[name] as Projection)(part, at.child(name), files, context);
    }
    if (count > 1) issues.push(forbidden(at, 'may not specify more than 1 volume type per source'));
  });
  return issues;
}

/** Collects the issues of a projected volume and reports files that two sources have in common. */
class ProjectedFiles {
  readonly issues: FieldIssue[];
  readonly path: FieldPath;
  readonly #taken: Set<string>;

  constructor(issues: FieldIssue[], taken: Set<string>, path: FieldPath) {
    this.issues = issues;
    this.path = path;
    this.#taken = taken;
  }

  /** `shown` is the value of the issue. */
  take(file: string, shown: string = file): void {
    if (this.#taken.has(file)) this.issues.push(invalid(this.path, shown, 'conflicting duplicate paths'));
    this.#taken.add(file);
  }
}

type Projection = (part: JsonObject, path: FieldPath, files: ProjectedFiles, context: ProjectedContext) => void;

const PROJECTIONS: Readonly<Record<string, Projection>> = {
  secret: projectKeys,
  configMap: projectKeys,
  downwardAPI: projectDownward,
  serviceAccountToken: projectToken,
  clusterTrustBundle: projectTrustBundle,
  podCertificate: projectCertificate,
};

function projectKeys(part: JsonObject, path: FieldPath, files: ProjectedFiles): void {
  const name = textAt(part, 'name');
  if (name === '') files.issues.push(required(path.child('name'), ''));
  objectsAt(part, 'items').forEach((item, i) => {
    addIssues(files.issues, validateKeyToPath(item, path.child('items').index(i)));
    const file = textAt(item, 'path');
    if (file !== '') files.take(file, name);
  });
}

function projectDownward(part: JsonObject, path: FieldPath, files: ProjectedFiles): void {
  for (const item of objectsAt(part, 'items')) {
    addIssues(files.issues, validateDownwardFile(item, path));
    const file = textAt(item, 'path');
    if (file !== '') files.take(file);
  }
}

/** As in kube-apiserver, issues about the token's path have the path of the volume instead of the source's. */
function projectToken(part: JsonObject, path: FieldPath, files: ProjectedFiles, context: ProjectedContext): void {
  const { issues } = files;
  const seconds = numberAt(part, 'expirationSeconds');
  const at = path.child('expirationSeconds');
  if (seconds < MIN_TOKEN_SECONDS) issues.push(invalid(at, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > MAX_TOKEN_SECONDS)
    issues.push(invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  const file = textAt(part, 'path');
  if (file === '') issues.push(required(files.path.child('path'), ''));
  else if (context.allowNonLocalProjectedTokenPath !== true)
    issues.push(...validateLocalPath(file, files.path.child('path')));
}

function projectTrustBundle(part: JsonObject, path: FieldPath, files: ProjectedFiles): void {
  const { issues } = files;
  const name = fieldAt(part, 'name');
  const signer = fieldAt(part, 'signerName');
  const selector = objectAt(part, 'labelSelector') as LabelSelectorObject | undefined;
  if (typeof name === 'string' && typeof signer === 'string')
    issues.push(
      declared(
        invalid(
          path,
          goValue(coreShapes, 'ClusterTrustBundleProjection', part),
          'only one of name and signerName may be used',
        ),
      ),
    );
  else if (typeof name === 'string') {
    if (name === '') issues.push(required(path.child('name'), 'must be a valid object name'));
    for (const complaint of checkTrustBundleName(name, signerOfTrustBundle(name)))
      issues.push(invalid(path.child('name'), name, `not a valid clustertrustbundlename: ${complaint}`));
    if (selector !== undefined)
      issues.push(
        declared(
          invalid(
            path.child('labelSelector'),
            part['labelSelector'],
            'labelSelector must be unset if name is specified',
          ),
        ),
      );
  } else if (typeof signer === 'string') {
    if (signer === '') issues.push(required(path.child('signerName'), 'must be a valid signer name'));
    issues.push(...validateSignerName(signer, path.child('signerName')));
    addIssues(issues, validateLabelSelectorObject(selector, path.child('labelSelector')));
  } else issues.push(required(path, 'either name or signerName must be specified'));
  const file = textAt(part, 'path');
  if (file === '') issues.push(required(path.child('path'), ''));
  issues.push(...validateLocalPath(file, path.child('path')));
  files.take(file);
}

function projectCertificate(part: JsonObject, path: FieldPath, files: ProjectedFiles): void {
  const { issues } = files;
  const signer = textAt(part, 'signerName');
  issues.push(...validateSignerName(signer, path.child('signerName')));
  addIssues(issues, validateUserAnnotations(objectAt(part, 'userAnnotations') ?? {}, path.child('userAnnotations')));
  const keyType = textAt(part, 'keyType');
  if (!KEY_TYPES.includes(keyType)) issues.push(notSupported(path.child('keyType'), keyType, KEY_TYPES));
  addIssues(issues, validateCertificateTime(part, signer, path.child('maxExpirationSeconds')));
  let count = 0;
  for (const name of CERTIFICATE_PATHS) {
    const file = textAt(part, name);
    if (file === '') continue;
    count++;
    issues.push(...validateLocalPath(file, path.child(name)));
    files.take(file);
  }
  if (count === 0)
    issues.push(required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
}

function validateCertificateTime(part: JsonObject, signer: string, path: FieldPath): FieldIssue[] {
  const seconds = fieldAt(part, 'maxExpirationSeconds');
  if (typeof seconds !== 'number') return [];
  const max = isKubernetesSigner(signer) ? MAX_KUBERNETES_CERTIFICATE_SECONDS : MAX_CERTIFICATE_SECONDS;
  if (seconds < MIN_CERTIFICATE_SECONDS)
    return [invalid(path, seconds, `if provided, maxExpirationSeconds must be >= ${MIN_CERTIFICATE_SECONDS}`)];
  return seconds > max ? [invalid(path, seconds, `if provided, maxExpirationSeconds must be <= ${max}`)] : [];
}

function validateUserAnnotations(annotations: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = Object.keys(annotations).flatMap((key) => validateDomainPrefixedKey(lowerCase(key), path));
  let size = 0;
  for (const key in annotations) size += utf8Length(key) + utf8Length(String(annotations[key]));
  if (size > MAX_ANNOTATIONS) issues.push(tooLong(path, undefined, MAX_ANNOTATIONS));
  return issues;
}
