/** Warnings about pod specs: deprecated, duplicate, overlapping and malformed values that are accepted. */

import { quote } from '../../../../apimachinery/go-format.ts';
import {
  fieldAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '../../../../apimachinery/meta/object-fields.ts';
import { quantityMilliValue } from '../../../../apimachinery/scalars/quantity-arithmetic.ts';
import { childPath, type FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkDns1123Label } from '../../../../apimachinery/validation/name-syntax.ts';
import { equalJson, type JsonObject } from '../../../../base/json-value.ts';
import { ipWarnings } from '../../../shared/ip.ts';
import { deprecatedNodeLabel, nodeSelectorTermWarnings } from '../../../shared/node-selector.ts';
import { amountOf } from '../../../shared/resource-lists.ts';
import { claimSpecWarnings } from '../volume/validate-claim-spec.ts';
import { overlappingPathWarnings } from './path-warnings.ts';
import { containerPortWarnings } from './port-warnings.ts';
import { visitContainers } from './spec/pod-containers.ts';
import { APP_ARMOR_PREFIX, appArmorProfileOf, SECCOMP_POD, SECCOMP_PREFIX } from './validate-pod-annotations.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const NO_SELECTOR = 'a null labelSelector results in matching no pod';
const SYSCTLS = 'non-functional in v1.11+; use the "sysctls" field instead';
const OLD_ANNOTATIONS = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', SYSCTLS],
  ['security.alpha.kubernetes.io/unsafe-sysctls', SYSCTLS],
] as const;
const SECCOMP_GONE = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const OLD_VOLUMES = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['ephemeral', ''],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

/** Warnings on create. The name should be a DNS label, because it is the hostname. */
export function podCreateWarnings(pod: JsonObject): readonly string[] {
  const complaints = checkDns1123Label(textAt(pod, 'metadata', 'name'));
  const hostname =
    complaints.length === 0
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(' ')}]`,
        ];
  return [...hostname, ...podHolderWarnings(pod, undefined)];
}

/** `holder` is a Pod or a pod template. `path` is the path of the template, undefined for a Pod. */
export function podHolderWarnings(holder: JsonObject, path: FieldPath | undefined): readonly string[] {
  const spec = objectAt(holder, 'spec') ?? {};
  const specPath = childPath(path, 'spec');
  const annotations = objectAt(holder, 'metadata', 'annotations') ?? {};
  const annotationsPath = childPath(path, 'metadata').child('annotations');
  const warnings: string[] = [];
  warnOfPlacement(spec, specPath, warnings);
  for (const [key, message] of OLD_ANNOTATIONS)
    if (fieldAt(annotations, key) !== undefined) warnings.push(`${annotationsPath.key(key)}: ${message}`);
  warnOfVolumes(spec, specPath.child('volumes'), warnings);
  for (const text of overlappingPathWarnings(objectsAt(spec, 'volumes'))) warnings.push(text);
  warnOfLists(spec, specPath, warnings);
  warnOfFractions(objectAt(spec, 'overhead'), specPath.child('overhead'), warnings);
  if (
    fieldAt(spec, 'securityContext', 'seccompProfile') === undefined &&
    fieldAt(annotations, SECCOMP_POD) !== undefined
  )
    warnings.push(`${annotationsPath.key(SECCOMP_POD)}: ${SECCOMP_GONE}`);
  warnOfContainers(spec, annotations, path !== undefined, { specPath, annotationsPath }, warnings);
  for (const text of containerPortWarnings(spec, specPath)) warnings.push(text);
  if (numberAt(spec, 'terminationGracePeriodSeconds') < 0)
    warnings.push(
      `${specPath.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  warnOfAffinity(spec, specPath, warnings);
  warnOfAddresses(spec, specPath, warnings);
  return warnings;
}

function warnOfPlacement(spec: JsonObject, path: FieldPath, warnings: string[]): void {
  for (const key of Object.keys(objectAt(spec, 'nodeSelector') ?? {})) {
    const message = deprecatedNodeLabel(key);
    if (message !== undefined) warnings.push(`${path.child('nodeSelector').key(key)}: ${message}`);
  }
  const at = path.child('affinity', 'nodeAffinity');
  objectsAt(spec, 'affinity', 'nodeAffinity', REQUIRED, 'nodeSelectorTerms').forEach((term, i) => {
    for (const text of nodeSelectorTermWarnings(term, at.child(REQUIRED, 'nodeSelectorTerms').index(i)))
      warnings.push(text);
  });
  objectsAt(spec, 'affinity', 'nodeAffinity', PREFERRED).forEach((weighted, i) => {
    const term = objectAt(weighted, 'preference') ?? {};
    for (const text of nodeSelectorTermWarnings(term, at.child(PREFERRED).index(i).child('preference'), true))
      warnings.push(text);
  });
  objectsAt(spec, 'topologySpreadConstraints').forEach((constraint, i) => {
    const where = path.child('topologySpreadConstraints').index(i);
    const key = textAt(constraint, 'topologyKey');
    const message = deprecatedNodeLabel(key);
    if (message !== undefined) warnings.push(`${where.child('topologyKey')}: ${key} is ${message}`);
    if (fieldAt(constraint, 'labelSelector') === undefined)
      warnings.push(`${where.child('labelSelector')}: ${NO_SELECTOR}`);
  });
}

function warnOfVolumes(spec: JsonObject, path: FieldPath, warnings: string[]): void {
  objectsAt(spec, 'volumes').forEach((volume, i) => {
    for (const [name, message] of OLD_VOLUMES) {
      if (fieldAt(volume, name) === undefined) continue;
      const at = path.index(i).child(name === 'storageos' ? 'storageOS' : name);
      const claim = objectAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec');
      if (message !== '') warnings.push(`${at}: ${message}`);
      else if (claim !== undefined)
        for (const text of claimSpecWarnings(claim, at.child('volumeClaimTemplate', 'spec'))) warnings.push(text);
    }
  });
}

/** Warns about duplicate items, and about empty names of pull secrets. */
function warnOfLists(spec: JsonObject, path: FieldPath, warnings: string[]): void {
  for (const [list, field] of [
    ['hostAliases', 'ip'],
    ['imagePullSecrets', 'name'],
  ] as const) {
    const seen = new Set<string>();
    objectsAt(spec, list).forEach((item, i) => {
      const value = textAt(item, field);
      if (seen.has(value))
        warnings.push(`${path.child(list).index(i).child(field)}: duplicate ${field} ${quote(value)}`);
      seen.add(value);
    });
  }
  objectsAt(spec, 'imagePullSecrets').forEach((secret, i) => {
    if (textAt(secret, 'name') === '')
      warnings.push(`${path.child('imagePullSecrets').index(i).child('name')}: invalid empty name ""`);
  });
}

function warnOfFractions(list: JsonObject | undefined, path: FieldPath, warnings: string[]): void {
  for (const name of ['memory', 'ephemeral-storage']) warnOfFraction(list, name, path, warnings);
}

function warnOfFraction(list: JsonObject | undefined, name: string, path: FieldPath, warnings: string[]): void {
  const text = list === undefined ? '' : textAt(list, name);
  if (text === '' || quantityMilliValue(amountOf(text)) % 1000n === 0n) return;
  warnings.push(`${path.key(name)}: fractional byte value ${quote(text)} is invalid, must be an integer`);
}

interface Paths {
  readonly specPath: FieldPath;
  readonly annotationsPath: FieldPath;
}

function warnOfContainers(
  spec: JsonObject,
  annotations: JsonObject,
  isTemplate: boolean,
  { specPath, annotationsPath }: Paths,
  warnings: string[],
): void {
  const ofPod = objectAt(spec, 'securityContext', 'appArmorProfile');
  visitContainers(spec, specPath, (container, at) => {
    const context = objectAt(container, 'securityContext') ?? {};
    const seccomp = SECCOMP_PREFIX + textAt(container, 'name');
    if (fieldAt(context, 'seccompProfile') === undefined && fieldAt(annotations, seccomp) !== undefined)
      warnings.push(`${annotationsPath.key(seccomp)}: ${SECCOMP_GONE}`);
    const appArmor = APP_ARMOR_PREFIX + textAt(container, 'name');
    const annotation = fieldAt(annotations, appArmor);
    if (isTemplate && typeof annotation === 'string' && fieldAt(context, 'appArmorProfile') === undefined) {
      const profile = appArmorProfileOf(annotation);
      if (ofPod === undefined || profile === undefined || !equalJson(ofPod, profile))
        warnings.push(
          `${annotationsPath.key(appArmor)}: deprecated since v1.30; use the "appArmorProfile" field instead`,
        );
    }
    const resources = objectAt(container, 'resources');
    if (resources !== undefined)
      for (const name of ['memory', 'ephemeral-storage'])
        for (const list of ['limits', 'requests'])
          warnOfFraction(objectAt(resources, list), name, at().child('resources', list), warnings);
    warnOfHiddenVariables(container, at, warnings);
  });
}

/** Warns about a variable that hides an earlier one of the same name without referring to it. */
function warnOfHiddenVariables(container: JsonObject, at: () => FieldPath, warnings: string[]): void {
  const variables = objectsAt(container, 'env');
  if (variables.length < 2) return;
  const seen = new Set<string>();
  variables.forEach((variable, i) => {
    const name = textAt(variable, 'name');
    if (seen.has(name)) {
      const value = textAt(variable, 'value');
      const own = `$(${name})`;
      if (fieldAt(variable, 'valueFrom') !== undefined || value === own || !value.includes(own))
        warnings.push(
          `${at().child('env').index(i)}: hides previous definition of ${quote(name)}, which may be dropped when using apply`,
        );
    }
    seen.add(name);
  });
}

function warnOfAffinity(spec: JsonObject, path: FieldPath, warnings: string[]): void {
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const at = path.child('affinity', kind);
    objectsAt(spec, 'affinity', kind, REQUIRED).forEach((term, i) => {
      if (fieldAt(term, 'labelSelector') === undefined)
        warnings.push(`${at.child(REQUIRED).index(i).child('labelSelector')}: ${NO_SELECTOR}`);
    });
    objectsAt(spec, 'affinity', kind, PREFERRED).forEach((weighted, i) => {
      if (fieldAt(weighted, 'podAffinityTerm', 'labelSelector') === undefined)
        warnings.push(`${at.child(PREFERRED).index(i).child('podAffinityTerm', 'labelSelector')}: ${NO_SELECTOR}`);
    });
  }
}

function warnOfAddresses(spec: JsonObject, path: FieldPath, warnings: string[]): void {
  textsAt(spec, 'dnsConfig', 'nameservers').forEach((server, i) => {
    for (const text of ipWarnings(server, path.child('dnsConfig', 'nameservers').index(i))) warnings.push(text);
  });
  objectsAt(spec, 'hostAliases').forEach((alias, i) => {
    for (const text of ipWarnings(textAt(alias, 'ip'), path.child('hostAliases').index(i).child('ip')))
      warnings.push(text);
  });
}

/** Warns about addresses in the status that are not in canonical form. */
export function podStatusWarnings(pod: JsonObject, statusPath: FieldPath): readonly string[] {
  return ['podIPs', 'hostIPs'].flatMap((list) =>
    objectsAt(pod, 'status', list).flatMap((one, i) =>
      ipWarnings(textAt(one, 'ip'), statusPath.child(list).index(i).child('ip')),
    ),
  );
}
