/**
 * Validation of the volumes of a pod spec. A volume has exactly one source; of several, only the first is validated.
 */

import { quote } from '../../../../apimachinery/go-format.ts';
import { objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { quantitySign } from '../../../../apimachinery/scalars/quantity-arithmetic.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../../apimachinery/validation/name-syntax.ts';
import { isJsonObject, type JsonObject } from '../../../../base/json-value.ts';
import { amountOf } from '../../../shared/resource-lists.ts';
import { validateCsiDriverName } from './csi-name.ts';
import { validateDescendingPath } from './file-paths.ts';
import { isPortalTooLong, PORTAL_TOO_LONG, validateIscsi } from './iscsi.ts';
import { validateDownwardApi, validateKeyedSource, validateProjected } from './projected-volumes.ts';
import { validateClaimTemplate } from './validate-claim-spec.ts';
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

export interface VolumeContext {
  /**
   * The name of the Pod, which is part of the names of ephemeral claims. Default '': a pod template, where images may
   * lack a reference.
   */
  readonly podName?: string;
  /**
   * Whether projected tokens may have paths outside of their volume, because the stored spec has one. Default false.
   */
  readonly allowNonLocalProjectedTokenPath?: boolean;
}

export interface ValidatedVolumes {
  readonly issues: FieldIssue[];
  /** The volumes without issues, by name. Mounts and devices may refer to these. */
  readonly byName: ReadonlyMap<string, JsonObject>;
}

const ONE_SOURCE = 'may not specify more than 1 volume type';
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

/** `path` is the path of the list. */
export function validateVolumes(
  volumes: readonly JsonObject[],
  path: FieldPath,
  context: VolumeContext = {},
): ValidatedVolumes {
  const issues: FieldIssue[] = [];
  const byName = new Map<string, JsonObject>();
  const podName = context.podName ?? '';
  const made = new Set<string>();
  if (podName !== '')
    for (const volume of volumes)
      if (volume['ephemeral'] !== undefined) made.add(`${podName}-${textAt(volume, 'name')}`);
  volumes.forEach((volume, i) => {
    const at = path.index(i);
    const name = textAt(volume, 'name');
    const own = validateSource(volume, at, context);
    if (name === '') own.push(required(at.child('name'), ''));
    else for (const complaint of checkDns1123Label(name)) own.push(invalid(at.child('name'), name, complaint));
    if (byName.has(name)) own.push(duplicate(at.child('name'), name));
    if (own.length === 0) byName.set(name, volume);
    else addIssues(issues, own);
    const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
    if (made.has(claim))
      issues.push(
        invalid(
          at.child('persistentVolumeClaim', 'claimName'),
          claim,
          'must not reference a PVC that gets created for an ephemeral volume',
        ),
      );
  });
  return { issues, byName };
}

/** Whether the volume is backed by a claim and may therefore be used as a block device. */
export function isClaimVolume(volume: JsonObject): boolean {
  return volume['persistentVolumeClaim'] !== undefined || volume['ephemeral'] !== undefined;
}

type Rule = (source: JsonObject, path: FieldPath, volume: JsonObject, context: VolumeContext) => FieldIssue[];

interface PodSource {
  readonly rule: Rule;
  /** The field name in the paths of issues. Default: the name of the source. */
  readonly shownAs?: string;
  /** The field name in the issue about more than one source. Default: the name of the source. */
  readonly extraAs?: string;
}

/** In the order of kube-apiserver's checks. */
const SOURCES: Readonly<Record<string, PodSource>> = {
  emptyDir: { rule: validateEmptyDir },
  hostPath: { rule: validateHostPath },
  gitRepo: {
    rule: (source, path) => [
      ...requireTexts('repository')(source, path),
      ...validateDescendingPath(textAt(source, 'directory'), path.child('directory')),
    ],
  },
  gcePersistentDisk: { rule: diskRule('pdName'), shownAs: 'persistentDisk' },
  awsElasticBlockStore: { rule: diskRule('volumeID') },
  secret: { rule: (source, path) => validateKeyedSource(source, path, 'secretName') },
  nfs: { rule: validateNfs },
  iscsi: { rule: validateIscsi },
  glusterfs: { rule: requireTexts('endpoints', 'path') },
  flocker: { rule: validateFlocker },
  persistentVolumeClaim: { rule: requireTexts('claimName') },
  rbd: { rule: cephRule('image') },
  cinder: { rule: cinderRule(false) },
  cephfs: { rule: cephRule(), extraAs: 'cephFS' },
  quobyte: { rule: validateQuobyte },
  downwardAPI: { rule: validateDownwardApi, extraAs: 'downwarAPI' },
  fc: { rule: validateFibreChannel },
  flexVolume: { rule: validateFlexVolume },
  configMap: { rule: (source, path) => validateKeyedSource(source, path, 'name') },
  azureFile: { rule: requireTexts('secretName', 'shareName') },
  vsphereVolume: { rule: requireTexts('volumePath') },
  photonPersistentDisk: { rule: requireTexts('pdID') },
  portworxVolume: { rule: requireTexts('volumeID') },
  azureDisk: { rule: validateAzureDisk },
  storageos: { rule: storageOsRule(false) },
  projected: { rule: (source, path, _volume, context) => validateProjected(source, path, context) },
  scaleIO: { rule: requireTexts('gateway', 'system', 'volumeName') },
  csi: { rule: validateCsi },
  ephemeral: { rule: validateEphemeral },
  image: { rule: validateImage },
};

function validateSource(volume: JsonObject, path: FieldPath, context: VolumeContext): FieldIssue[] {
  const names = Object.keys(volume).filter((name) => name !== 'name' && isJsonObject(volume[name]));
  const [only] = names;
  if (only === undefined) return [required(path, 'must specify a volume type')];
  const ordered = names.length === 1 ? names : Object.keys(SOURCES).filter((name) => names.includes(name));
  const issues: FieldIssue[] = [];
  ordered.forEach((name, i) => {
    const source = objectAt(volume, name) ?? {};
    const { rule, shownAs = name, extraAs = name } = SOURCES[name] as PodSource;
    if (i === 0) addIssues(issues, rule(source, path.child(shownAs), volume, context));
    else issues.push(forbidden(path.child(extraAs), ONE_SOURCE));
    if (name === 'iscsi' && isPortalTooLong(source, textAt(volume, 'name')))
      issues.push(invalid(path.child('name'), textAt(volume, 'name'), PORTAL_TOO_LONG));
    if (name === 'ephemeral' && i === 0) addIssues(issues, validateClaimName(volume, path, context));
  });
  return issues;
}

function validateEmptyDir(source: JsonObject, path: FieldPath): FieldIssue[] {
  const isNegative = source['sizeLimit'] !== undefined && quantitySign(amountOf(source['sizeLimit'])) < 0;
  return isNegative ? [forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')] : [];
}

/** As in kube-apiserver, the path of an invalid secret name is `name` instead of `nodePublishSecretRef.name`. */
function validateCsi(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateCsiDriverName(textAt(source, 'driver'), path.child('driver'));
  const secret = objectAt(source, 'nodePublishSecretRef');
  if (secret === undefined) return issues;
  const name = textAt(secret, 'name');
  if (name === '') return [...issues, required(path.child('nodePublishSecretRef', 'name'), '')];
  return [...issues, ...checkDns1123Subdomain(name).map((one) => invalid(path.child('name'), name, one))];
}

function validateEphemeral(source: JsonObject, path: FieldPath): FieldIssue[] {
  const template = objectAt(source, 'volumeClaimTemplate');
  const at = path.child('volumeClaimTemplate');
  return template === undefined ? [required(at, '')] : validateClaimTemplate(template, at);
}

/** The claim of an ephemeral volume is named `<pod>-<volume>`. */
function validateClaimName(volume: JsonObject, path: FieldPath, { podName = '' }: VolumeContext): FieldIssue[] {
  const name = textAt(volume, 'name');
  if (podName === '' || name === '') return [];
  const claim = `${podName}-${name}`;
  return checkDns1123Subdomain(claim).map((complaint) =>
    invalid(path.child('name'), name, `PVC name ${quote(claim)}: ${complaint}`),
  );
}

function validateImage(source: JsonObject, path: FieldPath, _volume: JsonObject, context: VolumeContext): FieldIssue[] {
  const issues = (context.podName ?? '') !== '' ? requireTexts('reference')(source, path) : [];
  const policy = textAt(source, 'pullPolicy');
  if (policy === '') issues.push(required(path.child('pullPolicy'), ''));
  else if (!PULL_POLICIES.includes(policy))
    issues.push(declared(notSupported(path.child('pullPolicy'), policy, PULL_POLICIES)));
  return issues;
}
