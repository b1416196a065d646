/** Validation of PersistentVolumes. A volume has exactly one source, which is immutable. */
import { goPointer, goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, listAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { formatQuantity } from '../../../../apimachinery/scalars/quantity.ts';
import { quantitySign, quantityValue } from '../../../../apimachinery/scalars/quantity-arithmetic.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Subdomain } from '../../../../apimachinery/validation/name-syntax.ts';
import { validateImmutableField } from '../../../../apimachinery/validation/validate-object-meta-update.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../../../base/json-value.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';
import { metaFacts } from '../../../../server/resource/strategy-fields.ts';
import {
  hasInvalidNodeLabelValue,
  nodeSelectorTermWarnings,
  validateNodeSelector,
} from '../../../shared/node-selector.ts';
import { amountOf } from '../../../shared/resource-lists.ts';
import { unifiedDiff } from '../../../shared/unified-diff.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { BETA_CLASS_ANNOTATION, VOLUME_MODES, validateAccessModes } from './access-modes.ts';
import { PERSISTENT_SOURCES, type PersistentSource } from './persistent-volume-sources.ts';
import { isSameNodeAffinity } from './volume-node-affinity.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const MOUNT_OPTIONS_ANNOTATION = 'volume.beta.kubernetes.io/mount-options';
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const NOT_INLINE = 'may not be specified in the context of inline volumes';
const ONE_SOURCE = 'may not specify more than 1 volume type';

/** The sources that may have the annotation for mount options. */
const MOUNTABLE = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
];

/** Sources that no longer work, each with the field name in the warning and the warning. */
const NON_FUNCTIONAL_SOURCES: readonly (readonly [name: string, shown: string, warning: string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

export function validatePersistentVolume(object: JsonObject): FieldIssue[] {
  return [...validateAll(object, false), ...validateMountOptions(object)];
}

export function validatePersistentVolumeUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const terms = objectsAt(old, 'spec', 'nodeAffinity', 'required', 'nodeSelectorTerms');
  const issues = validateAll(object, hasInvalidNodeLabelValue(terms));
  // Kube-apiserver validates the whole object twice.
  return [...issues, ...validateMountOptions(object), ...issues, ...validateChanges(object, old)];
}

export function validatePersistentVolumeStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return validateMetaUpdate(object, old);
}

function validateAll(object: JsonObject, anyLabelValue: boolean): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA),
    ...validatePersistentVolumeSpec(objectAt(object, 'spec') ?? {}, SPEC, {
      volumeName: textAt(object, 'metadata', 'name'),
      anyLabelValue,
    }),
  ];
}

export interface PersistentVolumeContext {
  readonly volumeName: string;
  /** Whether node selectors may have values that are not label values. Default false. */
  readonly anyLabelValue?: boolean;
  /** Whether the spec is `inlineVolumeSpec` of a VolumeAttachment. Default false. */
  readonly inline?: boolean;
}

/** The spec of a PersistentVolume or of a VolumeAttachment's inline volume. */
export function validatePersistentVolumeSpec(
  spec: JsonObject,
  path: FieldPath,
  context: PersistentVolumeContext,
): FieldIssue[] {
  const inline = context.inline === true;
  const issues: FieldIssue[] = [];
  if (inline) {
    for (const name of ['claimRef', 'capacity'])
      if (spec[name] !== undefined) issues.push(forbidden(path.child(name), NOT_INLINE));
    if (spec['csi'] === undefined)
      issues.push(required(path.child('csi'), 'has to be specified in the context of inline volumes'));
  }
  if (listAt(spec, 'accessModes').length === 0) issues.push(required(path.child('accessModes'), ''));
  addIssues(issues, validateAccessModes(spec, path));
  if (!inline) addIssues(issues, validateCapacity(spec, path.child('capacity')));
  addIssues(issues, [...validateReclaimPolicy(spec, path, inline), ...validateAffinity(spec, path, context)]);
  addIssues(issues, validateSources(spec, path, context));
  if (textAt(spec, 'persistentVolumeReclaimPolicy') === 'Recycle' && isRoot(textAt(spec, 'hostPath', 'path')))
    issues.push(
      forbidden(path.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"),
    );
  return [...issues, ...validateClasses(spec, path, inline)];
}

function validateCapacity(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const capacity = objectAt(spec, 'capacity') ?? {};
  const names = Object.keys(capacity);
  const issues: FieldIssue[] = [];
  if (names.length === 0) issues.push(required(path, ''));
  if (!names.includes('storage') || names.length > 1)
    issues.push(declared(notSupported(path, names.length === 0 ? null : capacity, ['storage'])));
  for (const name of names) {
    const amount = amountOf(capacity[name]);
    const at = path.key(name);
    if (quantityValue(amount) < 0n)
      issues.push(invalid(at, quantityValue(amount), 'must be a valid resource quantity'));
    if (quantitySign(amount) <= 0) issues.push(invalid(at, formatQuantity(amount), 'must be greater than zero'));
  }
  return issues;
}

function validateReclaimPolicy(spec: JsonObject, path: FieldPath, inline: boolean): FieldIssue[] {
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  const at = path.child('persistentVolumeReclaimPolicy');
  if (policy === '') return [];
  if (inline) return policy === 'Retain' ? [] : [forbidden(at, 'may only be Retain in the context of inline volumes')];
  return RECLAIM_POLICIES.includes(policy) ? [] : [declared(notSupported(at, policy, RECLAIM_POLICIES))];
}

function validateAffinity(spec: JsonObject, path: FieldPath, context: PersistentVolumeContext): FieldIssue[] {
  const affinity = objectAt(spec, 'nodeAffinity');
  const at = path.child('nodeAffinity');
  if (affinity === undefined) return [];
  if (context.inline === true) return [forbidden(at, NOT_INLINE)];
  const selector = objectAt(affinity, 'required');
  if (selector === undefined) return [required(at.child('required'), 'must specify required node constraints')];
  return validateNodeSelector(selector, at.child('required'), context.anyLabelValue);
}

/** Validates only the first of several sources. The node affinity of an inline volume, already reported, is ignored. */
function validateSources(spec: JsonObject, path: FieldPath, context: PersistentVolumeContext): FieldIssue[] {
  const hasNodes = context.inline !== true && spec['nodeAffinity'] !== undefined;
  const issues: FieldIssue[] = [];
  let count = 0;
  for (const name in PERSISTENT_SOURCES) {
    const source = objectAt(spec, name);
    if (source === undefined) continue;
    const { rule, shownAs = name, extraAs = name } = PERSISTENT_SOURCES[name] as PersistentSource;
    // Kube-apiserver validates flexVolume even if it is not the first source.
    if (count > 0 && name !== 'flexVolume') issues.push(forbidden(path.child(extraAs), ONE_SOURCE));
    else {
      addIssues(issues, rule(source, path.child(shownAs), context.volumeName));
      if (name === 'local' && !hasNodes)
        issues.push(required(path.child('nodeAffinity'), 'Local volume requires node affinity'));
    }
    count++;
  }
  return count === 0 ? [required(path, 'must specify a volume type')] : issues;
}

function validateClasses(spec: JsonObject, path: FieldPath, inline: boolean): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const className = textAt(spec, 'storageClassName');
  if (className !== '' && inline) issues.push(forbidden(path.child('storageClassName'), NOT_INLINE));
  else if (className !== '')
    issues.push(
      ...checkDns1123Subdomain(className).map((one) => invalid(path.child('storageClassName'), className, one)),
    );
  const mode = fieldAt(spec, 'volumeMode');
  if (typeof mode === 'string' && inline && mode !== 'Filesystem')
    issues.push(
      forbidden(
        path.child('volumeMode'),
        'may not specify volumeMode other than Filesystem in the context of inline volumes',
      ),
    );
  else if (typeof mode === 'string' && !inline && !VOLUME_MODES.includes(mode))
    issues.push(declared(notSupported(path.child('volumeMode'), mode, VOLUME_MODES)));
  // Kube-apiserver does not check volumeAttributesClassName of inline volumes.
  return inline ? issues : [...issues, ...validateAttributesClass(spec, path)];
}

function validateAttributesClass(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const name = fieldAt(spec, 'volumeAttributesClassName');
  if (typeof name !== 'string') return [];
  const at = path.child('volumeAttributesClassName');
  const issues =
    name === ''
      ? [required(at, 'an empty string is disallowed')]
      : checkDns1123Subdomain(name).map((complaint) => invalid(at, name, complaint));
  if (spec['csi'] === undefined)
    issues.push(required(path.child('csi'), 'has to be specified when using volumeAttributesClassName'));
  return issues;
}

function validateMountOptions(object: JsonObject): FieldIssue[] {
  const annotations = objectAt(object, 'metadata', 'annotations');
  if (annotations === undefined || !Object.hasOwn(annotations, MOUNT_OPTIONS_ANNOTATION)) return [];
  const spec = objectAt(object, 'spec') ?? {};
  if (MOUNTABLE.some((name) => spec[name] !== undefined)) return [];
  const path = METADATA.child('annotations', MOUNT_OPTIONS_ANNOTATION);
  return [forbidden(path, 'may not specify mount options for this volume type')];
}

/**
 * The immutable fields: source, volumeMode and nodeAffinity. An absent controllerExpandSecretRef and an absent
 * nodeAffinity may be added.
 */
function validateChanges(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const [next, was] = [object, old].map((one) => objectAt(one, 'spec') ?? {}) as [JsonObject, JsonObject];
  const sources = sourcesOf(next);
  const before = sourcesOf(was);
  const csi = objectAt(next, 'csi');
  if (csi !== undefined && was['csi'] !== undefined && fieldAt(was, 'csi', 'controllerExpandSecretRef') === undefined) {
    const { controllerExpandSecretRef: _, ...rest } = csi;
    sources['csi'] = rest;
  }
  if (!equalJson(sources, before)) {
    const shown = (spec: JsonObject): JsonObject => goValue(coreShapes, 'PersistentVolumeSource', spec);
    const diff = unifiedDiff(shown(before), shown(sources));
    const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
    issues.push(forbidden(SPEC.child('persistentvolumesource'), detail));
  }
  addIssues(
    issues,
    validateImmutableField(next['volumeMode'] ?? null, was['volumeMode'] ?? null, FieldPath.of('volumeMode')).map(
      declared,
    ),
  );
  const affinity = objectAt(was, 'nodeAffinity');
  if (affinity !== undefined && !isSameNodeAffinity(objectAt(next, 'nodeAffinity'), affinity)) {
    const value = goPointer(coreShapes, 'VolumeNodeAffinity', objectAt(next, 'nodeAffinity'));
    const detail = 'field is immutable, except for updating from beta label to GA';
    issues.push(declared(invalid(FieldPath.of('nodeAffinity'), value, detail)));
  }
  if (was['volumeAttributesClassName'] !== undefined && next['volumeAttributesClassName'] === undefined)
    issues.push(forbidden(SPEC.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden'));
  return issues;
}

function sourcesOf(spec: JsonObject): JsonObject {
  const sources: JsonObject = {};
  for (const name in PERSISTENT_SOURCES) if (spec[name] !== undefined) sources[name] = spec[name] as JsonValue;
  return sources;
}

/** Whether the path, once cleaned, is `/`. */
function isRoot(path: string): boolean {
  if (!path.startsWith('/')) return false;
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1);
    else if (part !== '' && part !== '.') depth++;
  }
  return depth === 0;
}

export function persistentVolumeWarnings(object: JsonObject): readonly string[] {
  const spec = objectAt(object, 'spec') ?? {};
  const annotations = objectAt(object, 'metadata', 'annotations') ?? {};
  const old: readonly (readonly [string, string])[] = [
    [BETA_CLASS_ANNOTATION, 'deprecated since v1.8; use "storageClassName" attribute instead'],
    [MOUNT_OPTIONS_ANNOTATION, 'deprecated since v1.31; use "mountOptions" attribute instead'],
  ];
  const terms = SPEC.child('nodeAffinity', 'required', 'nodeSelectorTerms');
  return [
    ...old
      .filter(([key]) => Object.hasOwn(annotations, key))
      .map(([key, text]) => `${METADATA.child('annotations').key(key)}: ${text}`),
    ...(textAt(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
      ? [
          `${SPEC.child('persistentVolumeReclaimPolicy')}: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.`,
        ]
      : []),
    ...objectsAt(spec, 'nodeAffinity', 'required', 'nodeSelectorTerms').flatMap((term, i) =>
      nodeSelectorTermWarnings(term, terms.index(i)),
    ),
    ...NON_FUNCTIONAL_SOURCES.filter(([name]) => spec[name] !== undefined).map(
      ([, shown, warning]) => `${SPEC.child(shown)}: ${warning}`,
    ),
  ];
}
