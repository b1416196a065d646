/** Validation of updates of a Pod's status. */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, listAt, numberAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Label, checkInRange } from '../../../../apimachinery/validation/name-syntax.ts';
import { FIELD_IMMUTABLE } from '../../../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';
import { ipFamily, validateLegacyIp } from '../../../shared/ip.ts';
import { validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { podValidationOptions } from './spec/make-pod-validation-options.ts';
import { firstByName, validateResourceHealth } from './spec/validate-resource-health.ts';
import { METADATA } from './validate-pod.ts';
import { validatePodAnnotations, validatePodAnnotationsUpdate } from './validate-pod-annotations.ts';

const STATUS = FieldPath.of('status');
const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];
const MAX_ID = 2 ** 31 - 1;

export function validatePodStatusUpdate(pod: JsonObject, old: JsonObject): FieldIssue[] {
  const annotations = METADATA.child('annotations');
  const options = podValidationOptions(pod, { isPod: true, old });
  const status = objectAt(pod, 'status') ?? {};
  const oldStatus = objectAt(old, 'status') ?? {};
  const spec = objectAt(old, 'spec') ?? {};
  const issues = [
    ...validateMetaUpdate(pod, old),
    ...validatePodAnnotationsUpdate(pod, old, annotations),
    ...validatePodAnnotations(pod, options, annotations),
  ];
  validateConditions(status, issues);
  validateNomination(status, oldStatus, spec, issues);
  if (numberAt(status, 'observedGeneration') < 0)
    issues.push(
      invalid(
        STATUS.child('observedGeneration'),
        numberAt(status, 'observedGeneration'),
        'must be a non-negative integer',
      ),
    );
  if (textAt(status, 'qosClass') !== textAt(oldStatus, 'qosClass'))
    issues.push(declared(invalid(STATUS.child('qosClass'), textAt(status, 'qosClass'), FIELD_IMMUTABLE)));
  validateTransitions(status, oldStatus, spec, issues);
  validateClaimStatuses(status, spec, issues);
  validateExtendedClaim(status, spec, issues);
  validateIps(status, oldStatus, 'podIPs', issues);
  if (objectsAt(status, 'hostIPs').length > 0) validateHostIps(status, oldStatus, issues);
  validateUsers(status, spec, issues);
  validateResourceHealth(status, spec, STATUS, issues);
  return issues;
}

function validateConditions(status: JsonObject, issues: FieldIssue[]): void {
  objectsAt(status, 'conditions').forEach((condition, i) => {
    const at = STATUS.child('conditions').index(i);
    const generation = numberAt(condition, 'observedGeneration');
    if (generation < 0)
      issues.push(invalid(at.child('observedGeneration'), generation, 'must be a non-negative integer'));
    const type = textAt(condition, 'type');
    if (SYSTEM_CONDITIONS.includes(type)) return;
    for (const complaint of checkQualifiedName(type)) issues.push(invalid(at.child('Type'), type, complaint));
  });
}

function validateNomination(status: JsonObject, oldStatus: JsonObject, spec: JsonObject, issues: FieldIssue[]): void {
  const name = textAt(status, 'nominatedNodeName');
  if (name === '' || name === textAt(oldStatus, 'nominatedNodeName')) return;
  const path = STATUS.child('nominatedNodeName');
  for (const complaint of nameIsDnsSubdomain(name, false)) issues.push(invalid(path, name, complaint));
  if (textAt(spec, 'nodeName') !== '')
    issues.push(forbidden(path, 'may not be set on pods that are already bound to a node'));
}

// ── Restarts of containers ──

/** A terminated container may run again only if a restart policy or rule allows it. */
function validateTransitions(status: JsonObject, oldStatus: JsonObject, spec: JsonObject, issues: FieldIssue[]): void {
  const restartsAll = [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')].some((container) =>
    objectsAt(container, 'restartPolicyRules').some((rule) => textAt(rule, 'action') === 'RestartAllContainers'),
  );
  for (const kind of ['container', 'initContainer', 'ephemeralContainer']) {
    if (restartsAll && kind !== 'ephemeralContainer') continue;
    const list = `${kind}Statuses`;
    const nowByName = firstByName(objectsAt(status, list));
    const containers = firstByName(objectsAt(spec, `${kind}s`));
    objectsAt(oldStatus, list).forEach((before, i) => {
      const terminated = objectAt(before, 'state', 'terminated');
      if (terminated === undefined) return;
      const name = textAt(before, 'name');
      const now = nowByName.get(name);
      if (now === undefined || fieldAt(now, 'state', 'terminated') !== undefined) return;
      const container = containers.get(name);
      const exitCode = Number(numberAt(terminated, 'exitCode'));
      if (kind !== 'ephemeralContainer' && container !== undefined && restarts(container, spec, exitCode)) return;
      issues.push(
        forbidden(STATUS.child(list).index(i).child('state'), 'may not be transitioned to non-terminated state'),
      );
    });
  }
}

function restarts(container: JsonObject, spec: JsonObject, exitCode: number): boolean {
  const own = textAt(container, 'restartPolicy');
  const hasRule = objectsAt(container, 'restartPolicyRules').some((rule) => ruleMatches(rule, exitCode));
  if (own !== '' && hasRule) return true;
  const policy = ['Always', 'OnFailure', 'Never'].includes(own) ? own : textAt(spec, 'restartPolicy');
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}

function ruleMatches(rule: JsonObject, exitCode: number): boolean {
  const codes = objectAt(rule, 'exitCodes');
  if (codes === undefined || !['Restart', 'RestartAllContainers'].includes(textAt(rule, 'action'))) return false;
  const isListed = listAt(codes, 'values').some((value) => Number(value) === exitCode);
  const operator = textAt(codes, 'operator');
  return operator === 'In' ? isListed : operator === 'NotIn' && !isListed;
}

// ── Claims ──

function validateClaimStatuses(status: JsonObject, spec: JsonObject, issues: FieldIssue[]): void {
  const seen = new Set<string>();
  const claims = new Set(objectsAt(spec, 'resourceClaims').map((claim) => textAt(claim, 'name')));
  objectsAt(status, 'resourceClaimStatuses').forEach((one, i) => {
    const at = STATUS.child('resourceClaimStatuses').index(i);
    const name = textAt(one, 'name');
    if (!claims.has(name))
      issues.push(invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (seen.has(name)) issues.push(duplicate(at.child('name'), name));
    seen.add(name);
    const claim = fieldAt(one, 'resourceClaimName');
    if (typeof claim !== 'string') return;
    for (const complaint of nameIsDnsSubdomain(claim, false))
      issues.push(invalid(at.child('resourceClaimName'), claim, complaint));
  });
}

function validateExtendedClaim(status: JsonObject, spec: JsonObject, issues: FieldIssue[]): void {
  const claim = objectAt(status, 'extendedResourceClaimStatus');
  if (claim === undefined) return;
  const path = STATUS.child('extendedResourceClaimStatus');
  const containers = new Map(
    [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')].map((one) => [textAt(one, 'name'), one]),
  );
  const mappings = objectsAt(claim, 'requestMappings');
  if (mappings.length === 0)
    issues.push(required(path.child('requestMappings'), 'at least one request mapping is required'));
  const seen = new Set<string>();
  mappings.forEach((mapping, i) => {
    const at = path.child('requestMappings').index(i);
    const names = ['containerName', 'resourceName', 'requestName'].map((field) => textAt(mapping, field));
    const [container = '', resource = '', request = ''] = names;
    const known = containers.get(container);
    if (known === undefined) {
      const detail = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
      issues.push(invalid(at.child('containerName'), container, detail));
    } else if (fieldAt(known, 'resources', 'requests', resource) === undefined) {
      const detail =
        'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';
      issues.push(invalid(at.child('resourceName'), resource, detail));
    }
    for (const complaint of checkDns1123Label(request))
      issues.push(invalid(path.child('requestName'), request, complaint));
    const key = names.join('\n');
    if (seen.has(key))
      issues.push(
        duplicate(at.child('containerName'), container),
        duplicate(at.child('resourceName'), resource),
        duplicate(at.child('requestName'), request),
      );
    seen.add(key);
  });
  const name = textAt(claim, 'resourceClaimName');
  if (name === '') issues.push(required(path.child('resourceClaimName'), ''));
  else
    for (const complaint of nameIsDnsSubdomain(name, false))
      issues.push(invalid(path.child('resourceClaimName'), name, complaint));
}

// ── Addresses and users ──

function validateIps(
  status: JsonObject,
  oldStatus: JsonObject,
  list: 'podIPs' | 'hostIPs',
  issues: FieldIssue[],
): void {
  const path = STATUS.child(list);
  const ips = objectsAt(status, list).map((one) => textAt(one, 'ip'));
  const accepted = new Set(objectsAt(oldStatus, list).map((one) => textAt(one, 'ip')));
  ips.forEach((ip, i) => {
    addIssues(issues, validateLegacyIp(ip, path.index(i), accepted));
  });
  if (ips.length < 2) return;
  const families = new Set(ips.map(ipFamily));
  const bad = ips.findIndex((ip) => ipFamily(ip) === undefined);
  if (bad >= 0) {
    const detail = `failed to check for dual stack with error:invalid IP[${bad}]: ${ips[bad]}`;
    issues.push({ reason: 'InternalError', path, value: undefined, detail });
  }
  if (bad >= 0 || families.size < 2 || ips.length > 2) {
    const shown = objectsAt(status, list).map((one) => goValue(coreShapes, 'PodIP', one));
    issues.push(declared(invalid(path, shown, 'may specify no more than one IP for each IP family')));
  }
}

function validateHostIps(status: JsonObject, oldStatus: JsonObject, issues: FieldIssue[]): void {
  const first = textAt(objectsAt(status, 'hostIPs')[0] ?? {}, 'ip');
  if (textAt(status, 'hostIP') !== first)
    issues.push(invalid(STATUS.child('hostIPs').index(0).child('ip'), first, 'must be equal to `hostIP`'));
  validateIps(status, oldStatus, 'hostIPs', issues);
}

function validateUsers(status: JsonObject, spec: JsonObject, issues: FieldIssue[]): void {
  const os = fieldAt(spec, 'os') === undefined ? 'linux' : textAt(spec, 'os', 'name');
  for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'])
    objectsAt(status, list).forEach((one, i) => {
      const user = objectAt(one, 'user', 'linux');
      if (user === undefined) return;
      const at = STATUS.child(list).index(i).child('user', 'linux');
      if (os === 'windows') issues.push(forbidden(at, 'cannot be set for a windows pod'));
      if (os !== 'linux') return;
      for (const field of ['uid', 'gid'])
        for (const complaint of checkInRange(Number(numberAt(user, field)), 0, MAX_ID))
          issues.push(invalid(at.child(field), numberAt(user, field), complaint));
      listAt(user, 'supplementalGroups').forEach((group, j) => {
        for (const complaint of checkInRange(Number(group), 0, MAX_ID))
          issues.push(invalid(at.child('supplementalGroups').index(j), group, complaint));
      });
    });
}
