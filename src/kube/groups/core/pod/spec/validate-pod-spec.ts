/** Validation of pod specs. */
import { goValue } from '../../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../../apimachinery/meta/object-fields.ts';
import { formatQuantity } from '../../../../../apimachinery/scalars/quantity.ts';
import { compareQuantity } from '../../../../../apimachinery/scalars/quantity-arithmetic.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  notFound,
  required,
} from '../../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName, validateLabels } from '../../../../../apimachinery/validation/label-syntax.ts';
import { type NameRule, nameIsDnsSubdomain } from '../../../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Label, checkInRange } from '../../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { coreShapes } from '../../../../../kinds/shapes/core.ts';
import { validateChoice } from '../../../../shared/choices.ts';
import { labelsAt } from '../../../../shared/label-selector.ts';
import { wholeAt } from '../../../../shared/numbers.ts';
import { amountOf, isHugePageResource } from '../../../../shared/resource-lists.ts';
import { validateContainerResources, validatePodLevelResources } from '../../../../shared/validate-resources.ts';
import { validateVolumes } from '../../volume/validate-volumes.ts';
import { aggregateContainers } from '../pod-resources.ts';
import { MIRROR_ANNOTATION } from '../validate-pod-annotations.ts';
import { visitContainers } from './pod-containers.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { validateAffinity } from './validate-affinity.ts';
import { validateContainers } from './validate-containers.ts';
import { validateHostProcess, validateHostUsers, validateOs } from './validate-os.ts';
import {
  validateDnsConfig,
  validateHostAliases,
  validateHostNetworkPorts,
  validateHostnameOverride,
} from './validate-pod-network.ts';
import { validatePodSecurity } from './validate-security-context.ts';
import { validateTolerations } from './validate-tolerations.ts';
import { validateSpreadConstraints } from './validate-topology.ts';

const MAX_INT32 = 2 ** 31 - 1;
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];

/** `metadata` is that of the Pod, undefined for a pod template. */
export function validatePodSpec(
  spec: JsonObject,
  metadata: JsonObject | undefined,
  options: PodValidationOptions,
  path: FieldPath,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const gracePeriod = wholeAt(spec, 'terminationGracePeriodSeconds');
  if (gracePeriod === undefined) issues.push(required(path.child('terminationGracePeriodSeconds'), ''));
  const volumes = validateVolumes(objectsAt(spec, 'volumes'), path.child('volumes'), {
    podName: metadata === undefined ? '' : textAt(metadata, 'name'),
    allowNonLocalProjectedTokenPath: options.allowNonLocalTokenPath,
  });
  addIssues(issues, volumes.issues);
  const claimNames = new Set(objectsAt(spec, 'resourceClaims').map((claim) => textAt(claim, 'name')));
  claimNames.delete('');
  validateResourceClaims(spec, metadata, path.child('resourceClaims'), issues);
  validateContainers(
    spec,
    {
      options,
      volumes: volumes.byName,
      claimNames,
      gracePeriod,
      os: textAt(spec, 'os', 'name'),
      hasOs: fieldAt(spec, 'os') !== undefined,
      restartPolicy: textAt(spec, 'restartPolicy'),
    },
    path,
    issues,
  );
  validatePodResources(spec, claimNames, options, path.child('resources'), issues);
  validateHostNetworkPorts(spec, options.isPod, path, issues);
  validateChoice(spec, 'restartPolicy', RESTART_POLICIES, path, issues);
  validateChoice(spec, 'dnsPolicy', DNS_POLICIES, path, issues);
  addIssues(issues, validateLabels(labelsAt(spec, 'nodeSelector'), path.child('nodeSelector')));
  validatePodSecurity(spec, options, path.child('securityContext'), issues);
  validateAffinity(objectAt(spec, 'affinity'), options, path.child('affinity'), issues);
  validateDnsConfig(spec, path.child('dnsConfig'), issues);
  validateGates(spec, path, issues);
  validateSpreadConstraints(spec, options, path.child('topologySpreadConstraints'), issues);
  validateHostProcess(spec, options, path, issues);
  validateHostUsers(spec, options, path, issues);
  validateHostnameOverride(spec, path, issues);
  validateOtherFields(spec, options, path, issues);
  validateFileKeyVolumes(spec, path, issues);
  return issues;
}

/** The fields that kube-apiserver checks last. */
function validateOtherFields(
  spec: JsonObject,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  validateName(spec, 'serviceAccountName', nameIsDnsSubdomain, path, issues);
  validateName(spec, 'nodeName', nameIsDnsSubdomain, path, issues);
  const deadline = wholeAt(spec, 'activeDeadlineSeconds');
  if (deadline !== undefined)
    for (const complaint of checkInRange(Number(deadline), 1, MAX_INT32))
      issues.push(invalid(path.child('activeDeadlineSeconds'), deadline, complaint));
  validateName(spec, 'hostname', checkDns1123Label, path, issues);
  validateName(spec, 'subdomain', checkDns1123Label, path, issues);
  const tolerations = objectsAt(spec, 'tolerations');
  if (tolerations.length > 0)
    addIssues(issues, validateTolerations(tolerations, path.child('tolerations'), options.allowTolerationComparison));
  validateHostAliases(spec, path.child('hostAliases'), issues);
  validateName(spec, 'priorityClassName', nameIsDnsSubdomain, path, issues);
  const runtimeClass = fieldAt(spec, 'runtimeClassName');
  if (typeof runtimeClass === 'string')
    for (const complaint of nameIsDnsSubdomain(runtimeClass, false))
      issues.push(invalid(path.child('runtimeClassName'), runtimeClass, complaint));
  if (fieldAt(spec, 'preemptionPolicy') !== undefined)
    validateChoice(spec, 'preemptionPolicy', PREEMPTION_POLICIES, path, issues);
  const overhead = objectAt(spec, 'overhead');
  if (overhead !== undefined) {
    const rules = { allowIndivisibleHugePages: options.allowIndivisibleHugePages };
    addIssues(issues, validateContainerResources({ limits: overhead }, path.child('overhead'), rules));
  }
  validateOs(spec, path, issues);
  const group = objectAt(spec, 'schedulingGroup');
  if (group !== undefined) validateSchedulingGroup(group, path.child('schedulingGroup', 'podGroupName'), issues);
}

function validateName(spec: JsonObject, field: string, rule: NameRule, path: FieldPath, issues: FieldIssue[]): void {
  const name = textAt(spec, field);
  if (name === '') return;
  for (const complaint of rule(name, false)) issues.push(invalid(path.child(field), name, complaint));
}

function validateGates(spec: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  objectsAt(spec, 'readinessGates').forEach((gate, i) => {
    const type = textAt(gate, 'conditionType');
    for (const complaint of checkQualifiedName(type))
      issues.push(invalid(path.child('readinessGates').index(i).child('conditionType'), type, complaint));
  });
  const seen = new Set<string>();
  objectsAt(spec, 'schedulingGates').forEach((gate, i) => {
    const name = textAt(gate, 'name');
    const at = path.child('schedulingGates').index(i);
    for (const complaint of checkQualifiedName(name)) issues.push(invalid(at, name, complaint));
    if (seen.has(name)) issues.push(duplicate(at, name));
    seen.add(name);
  });
}

function validateSchedulingGroup(group: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const name = fieldAt(group, 'podGroupName');
  if (typeof name !== 'string') issues.push(invalid(path, null, 'must specify one of: `podGroupName`'));
  else for (const complaint of nameIsDnsSubdomain(name, false)) issues.push(invalid(path, name, complaint));
}

// ── Resources ──

function validateResourceClaims(
  spec: JsonObject,
  metadata: JsonObject | undefined,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const seen = new Set<string>();
  objectsAt(spec, 'resourceClaims').forEach((claim, i) => {
    if (metadata !== undefined && fieldAt(metadata, 'annotations', MIRROR_ANNOTATION) !== undefined) {
      issues.push(forbidden(FieldPath.of(''), 'static pods do not support resource claims'));
      return;
    }
    const at = path.index(i);
    const name = textAt(claim, 'name');
    if (name === '') issues.push(required(at.child('name'), ''));
    else if (seen.has(name)) issues.push(duplicate(at.child('name'), name));
    else {
      for (const complaint of checkDns1123Label(name)) issues.push(invalid(at.child('name'), name, complaint));
      seen.add(name);
    }
    const given = ['resourceClaimName', 'resourceClaimTemplateName'].filter(
      (field) => fieldAt(claim, field) !== undefined,
    );
    if (given.length > 1) {
      const detail = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      issues.push(declared(invalid(at, goValue(coreShapes, 'PodResourceClaim', claim), detail)));
    }
    if (given.length === 0)
      issues.push(
        declared(
          invalid(
            at,
            goValue(coreShapes, 'PodResourceClaim', claim),
            'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
          ),
        ),
      );
    for (const field of given) {
      const named = textAt(claim, field);
      for (const complaint of nameIsDnsSubdomain(named, false)) issues.push(invalid(at.child(field), named, complaint));
    }
  });
}

/** Pod-level resources. */
function validatePodResources(
  spec: JsonObject,
  claimNames: ReadonlySet<string>,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const resources = objectAt(spec, 'resources');
  if (resources === undefined) return;
  if (textAt(spec, 'os', 'name') === 'windows') {
    issues.push(forbidden(path, 'may not be set for a windows pod'));
    return;
  }
  if (fieldAt(resources, 'claims') !== undefined)
    issues.push(forbidden(path.child('claims'), 'claims may not be set for Resources at pod-level'));
  const rules = { claimNames, allowIndivisibleHugePages: options.allowIndivisibleHugePages };
  addIssues(issues, validatePodLevelResources(resources, path, rules));
  const requests = objectAt(resources, 'requests') ?? {};
  for (const [name, sum] of aggregateContainers(spec, 'requests')) {
    if (!Object.hasOwn(requests, name) || compareQuantity(sum, amountOf(requests[name])) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`;
    issues.push(invalid(path.child('requests').key(name), String(requests[name]), detail));
  }
  validateOwnLimits(spec, objectAt(resources, 'limits') ?? {}, path, issues);
}

function validateOwnLimits(spec: JsonObject, limits: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  for (const [name, sum] of aggregateContainers(spec, 'limits')) {
    if (!isHugePageResource(name) || !Object.hasOwn(limits, name)) continue;
    if (compareQuantity(sum, amountOf(limits[name])) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container limits of ${formatQuantity(sum)}`;
    issues.push(invalid(path.child('limits').key(name), String(limits[name]), detail));
  }
  objectsAt(spec, 'containers').forEach((container, i) => {
    const own = objectAt(container, 'resources', 'limits') ?? {};
    for (const name of Object.keys(own)) {
      if (!Object.hasOwn(limits, name) || compareQuantity(amountOf(own[name]), amountOf(limits[name])) <= 0) continue;
      const at = path.child('containers').index(i).key(name).child('limits');
      issues.push(
        invalid(at, String(own[name]), `must be less than or equal to pod limits of ${String(limits[name])}`),
      );
    }
  });
}

/** The volume of a `fileKeyRef` must be an emptyDir of the pod. */
function validateFileKeyVolumes(spec: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  let volumes: ReadonlyMap<string, JsonObject> | undefined;
  visitContainers(spec, path, (container, at) => {
    objectsAt(container, 'env').forEach((variable, i) => {
      const ref = objectAt(variable, 'valueFrom', 'fileKeyRef');
      if (ref === undefined) return;
      const name = textAt(ref, 'volumeName');
      const where = at().child('env').index(i).child('valueFrom', 'fileKeyRef', 'volumeName');
      volumes ??= new Map(objectsAt(spec, 'volumes').map((one) => [textAt(one, 'name'), one]));
      const volume = volumes.get(name);
      if (volume === undefined) issues.push(notFound(where, name));
      else if (fieldAt(volume, 'emptyDir') === undefined)
        issues.push(invalid(where, name, 'referenced volume must be of type emptyDir'));
    });
  });
}
