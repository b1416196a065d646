/** Validation of the volume sources of PersistentVolumes. Secrets are referred to with their namespaces. */
import { fieldAt, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, required } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { validateCsiDriverName } from './csi-name.ts';
import { validateNoBacksteps } from './file-paths.ts';
import { validatePersistentIscsi } from './iscsi.ts';
import {
  cephRule,
  cinderRule,
  diskRule,
  requireTexts,
  storageOsRule,
  validateAzureDisk,
  validateFibreChannel,
  validateFlexVolume,
  validateFlocker,
  validateHostPath,
  validateNfs,
  validateQuobyte,
} from './volume-sources.ts';

export interface PersistentSource {
  readonly rule: (source: JsonObject, path: FieldPath, volumeName: string) => FieldIssue[];
  /** The field name in the paths of issues. Default: the name of the source. */
  readonly shownAs?: string;
  /** The field name in the issue about more than one source. Default: the name of the source. */
  readonly extraAs?: string;
}

/** In the order of kube-apiserver's checks. */
export const PERSISTENT_SOURCES: Readonly<Record<string, PersistentSource>> = {
  hostPath: { rule: validateHostPath },
  gcePersistentDisk: { rule: diskRule('pdName'), shownAs: 'persistentDisk' },
  awsElasticBlockStore: { rule: diskRule('volumeID') },
  glusterfs: { rule: validateGlusterfs },
  flocker: { rule: validateFlocker },
  nfs: { rule: validateNfs },
  rbd: { rule: cephRule('image') },
  quobyte: { rule: validateQuobyte },
  cephfs: { rule: cephRule(), extraAs: 'cephFS' },
  iscsi: { rule: validatePersistentIscsi },
  cinder: { rule: cinderRule(true) },
  fc: { rule: validateFibreChannel },
  flexVolume: { rule: validateFlexVolume },
  azureFile: { rule: validateAzureFile },
  vsphereVolume: { rule: requireTexts('volumePath') },
  photonPersistentDisk: { rule: requireTexts('pdID') },
  portworxVolume: { rule: requireTexts('volumeID') },
  azureDisk: { rule: validateAzureDisk },
  scaleIO: { rule: requireTexts('gateway', 'system', 'volumeName') },
  local: { rule: validateLocal },
  storageos: { rule: storageOsRule(true) },
  csi: { rule: validateCsi },
};

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function validateGlusterfs(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = requireTexts('endpoints', 'path')(source, path);
  const namespace = fieldAt(source, 'endpointsNamespace');
  const at = path.child('endpointsNamespace');
  if (namespace === '')
    issues.push(invalid(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name'));
  else if (typeof namespace === 'string')
    issues.push(...checkDns1123Label(namespace).map((complaint) => invalid(at, namespace, complaint)));
  return issues;
}

function validateAzureFile(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = requireTexts('secretName', 'shareName')(source, path);
  if (fieldAt(source, 'secretNamespace') === '') issues.push(required(path.child('secretNamespace'), ''));
  return issues;
}

function validateLocal(source: JsonObject, path: FieldPath): FieldIssue[] {
  const target = textAt(source, 'path');
  return target === '' ? [required(path.child('path'), '')] : validateNoBacksteps(target, path.child('path'));
}

function validateCsi(source: JsonObject, path: FieldPath): FieldIssue[] {
  return [
    ...validateCsiDriverName(textAt(source, 'driver'), path.child('driver')),
    ...requireTexts('volumeHandle')(source, path),
    ...CSI_SECRETS.flatMap((name) => validateSecret(objectAt(source, name), path.child(name))),
  ];
}

function validateSecret(secret: JsonObject | undefined, path: FieldPath): FieldIssue[] {
  if (secret === undefined) return [];
  const parts = [
    ['name', checkDns1123Subdomain],
    ['namespace', checkDns1123Label],
  ] as const;
  return parts.flatMap(([part, check]) => {
    const text = textAt(secret, part);
    if (text === '') return [required(path.child(part), '')];
    return check(text).map((complaint) => invalid(path.child(part), text, complaint));
  });
}
