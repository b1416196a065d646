/**
 * The plugin PodSecurity. It enforces the Pod Security Standards that the labels of a namespace select.
 * Invariant: only pods, and namespaces with invalid labels, are refused. For workloads it audits and warns.
 */
import { quote } from '../../../apimachinery/go-format.ts';
import { labelsOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { forbidden, internalError, invalid } from '../../../apimachinery/status/status-catalogue.ts';
import { formatIssue, formatIssues } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister } from '../../../server/own/lister.ts';
import type { Violation } from './checked-pod.ts';
import type { PodSecurityConfiguration } from './configuration.ts';
import { formatViolations, violationsOf } from './evaluate.ts';
import { type ExistingPods, warningsAboutPods } from './existing-pods.ts';
import type { PodSecurityMetrics } from './pod-security-metrics.ts';
import {
  compareLevels,
  formatPolicy,
  isEquivalent,
  isPrivileged,
  isSamePolicy,
  type LevelVersion,
  type Policy,
  type PolicyResult,
  PREFIX,
  PRIVILEGED,
  policyOf,
} from './policy.ts';

export interface PodSecurityAdmission {
  readonly namespaces: Lister;
  /** Reads at most `limit` pods of a namespace. */
  readonly pods: (namespace: string, limit: number) => MaybePromise<ExistingPods>;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Default: nothing is counted. */
  readonly metrics?: PodSecurityMetrics | undefined;
  /** Default: namespaces without labels are privileged, and nothing is exempt. */
  readonly configuration?: PodSecurityConfiguration | undefined;
}

/** The paths of pod templates in workloads. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  replicationcontrollers: ['spec', 'template'],
  podtemplates: ['template'],
  'replicasets.apps': ['spec', 'template'],
  'deployments.apps': ['spec', 'template'],
  'statefulsets.apps': ['spec', 'template'],
  'daemonsets.apps': ['spec', 'template'],
  'jobs.batch': ['spec', 'template'],
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template'],
};

/** Subresources that cannot change the security of a pod. */
const IGNORED = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);
/** The reference's limits for the check of existing pods when the level of a namespace rises. */
const MAX_PODS = 3000;
const MAX_MILLISECONDS = 1000;

export function podSecurity(options: PodSecurityAdmission): AdmissionPlugin {
  return {
    name: 'PodSecurity',
    resources: ['namespaces', 'pods', ...Object.keys(TEMPLATES)],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate: (attributes) => {
      const { resource, object, subresource } = attributes;
      if (object === undefined) return undefined;
      if (resource.resource === 'namespaces')
        return subresource === '' ? checkNamespace(options, attributes, object) : undefined;
      if (resource.resource === 'pods')
        return IGNORED.has(subresource) ? undefined : checkPod(options, attributes, object);
      return subresource === '' ? checkWorkload(options, attributes, object) : undefined;
    },
  };
}

function checkNamespace(
  options: PodSecurityAdmission,
  attributes: AdmissionAttributes,
  namespace: JsonObject,
): MaybePromise<void> {
  const { name, oldObject, kind } = attributes;
  const { defaults = PRIVILEGED, exemptions } = options.configuration ?? {};
  const isExempt = exemptions?.namespaces.has(name) === true;
  const { policy, issues } = policyOf(labelsOf(namespace), defaults);
  const old: PolicyResult | undefined = oldObject === undefined ? undefined : policyOf(labelsOf(oldObject), defaults);
  const refuse = (): never => {
    throw new StatusError(invalid({ group: kind.group, kind: kind.kind }, name, issues));
  };
  if (old === undefined) {
    if (issues.length > 0) refuse();
    if (isExempt) warnAboutExemption(attributes, labelsOf(namespace), policy, defaults);
    return undefined;
  }
  if (issues.length > 0 && issues.map(formatIssue).join() !== old.issues.map(formatIssue).join()) refuse();
  const { enforce } = policy;
  if (enforce.level === 'privileged' || isSamePolicy(enforce, old.policy.enforce)) return undefined;
  if (enforce.minor === old.policy.enforce.minor && compareLevels(enforce.level, old.policy.enforce.level) < 1)
    return undefined;
  if (isExempt) {
    warnAboutExemption(attributes, labelsOf(namespace), policy, defaults);
    return undefined;
  }
  const deadline = options.now() + MAX_MILLISECONDS;
  return andThen(options.pods(name, MAX_PODS), ({ pods, total }) => {
    const existing = { pods: pods.filter((pod) => !hasExemptRuntimeClass(options, pod)), total };
    for (const warning of warningsAboutPods(name, enforce, existing, () => options.now() >= deadline))
      attributes.warn(warning);
  });
}

/** Warns if the labels of an exempt namespace have no effect. */
function warnAboutExemption(
  attributes: AdmissionAttributes,
  labels: Readonly<Record<string, string>>,
  policy: Policy,
  defaults: Policy,
): void {
  if (isPrivileged(policy) || isEquivalent(policy, defaults)) return;
  const shown = (['enforce', 'audit', 'warn'] as const)
    .filter((mode) => policy[mode].level !== 'privileged')
    .filter((mode) => [mode, `${mode}-version`].some((label) => labels[PREFIX + label] !== undefined))
    .map((mode) => `${mode}=${formatPolicy(policy[mode])}`);
  attributes.warn(
    `namespace ${quote(attributes.name)} is exempt from Pod Security, and the policy (${shown.join(', ')}) will be ignored`,
  );
}

/** Whether the namespace or the user of the request is exempt. Annotates and counts the exemption. */
function isExemptRequest({ configuration, metrics }: PodSecurityAdmission, attributes: AdmissionAttributes): boolean {
  if (configuration === undefined) return false;
  const { namespaces, usernames } = configuration.exemptions;
  const by = namespaces.has(attributes.namespace)
    ? 'namespace'
    : usernames.has(attributes.user.name)
      ? 'user'
      : undefined;
  if (by === undefined) return false;
  attributes.annotate(`${PREFIX}exempt`, by);
  metrics?.exempted(attributes);
  return true;
}

function hasExemptRuntimeClass({ configuration }: PodSecurityAdmission, pod: JsonObject): boolean {
  return configuration?.exemptions.runtimeClasses.has(textAt(pod, 'spec', 'runtimeClassName')) === true;
}

function checkPod(options: PodSecurityAdmission, attributes: AdmissionAttributes, pod: JsonObject): MaybePromise<void> {
  return withPolicy(options, attributes, (result) => {
    const { enforce } = result.policy;
    if (result.issues.length === 0 && isPrivileged(result.policy)) {
      attributes.annotate(`${PREFIX}enforce-policy`, 'privileged:latest');
      options.metrics?.evaluated('allow', enforce, 'enforce', attributes);
      return;
    }
    const { operation, oldObject } = attributes;
    if (operation === 'UPDATE' && oldObject !== undefined && !hasNewImages(pod, oldObject)) return;
    evaluate(options, attributes, result, { pod, enforces: true });
  });
}

function checkWorkload(
  options: PodSecurityAdmission,
  attributes: AdmissionAttributes,
  object: JsonObject,
): MaybePromise<void> {
  const { group, resource } = attributes.resource;
  const path = TEMPLATES[group === '' ? resource : `${resource}.${group}`] ?? [];
  return withPolicy(options, attributes, (result) => {
    const { audit, warn } = result.policy;
    if (result.issues.length === 0 && audit.level === 'privileged' && warn.level === 'privileged') return;
    const template = objectAt(object, ...path);
    if (template !== undefined) evaluate(options, attributes, result, { pod: template, enforces: false });
  });
}

function withPolicy(
  options: PodSecurityAdmission,
  attributes: AdmissionAttributes,
  use: (result: PolicyResult) => void,
): MaybePromise<void> {
  const { namespaces, metrics, configuration } = options;
  if (isExemptRequest(options, attributes)) return undefined;
  return andThen(namespaces.fresh(), () => {
    const namespace = namespaces.get('', attributes.namespace);
    if (namespace !== undefined) return use(policyOf(labelsOf(namespace), configuration?.defaults));
    const problem = `failed to lookup namespace ${quote(attributes.namespace)}`;
    attributes.annotate(`${PREFIX}error`, problem);
    metrics?.failed(true, attributes);
    if (attributes.resource.resource === 'pods') throw new StatusError(internalError(problem));
  });
}

function evaluate(
  options: PodSecurityAdmission,
  attributes: AdmissionAttributes,
  { policy, issues }: PolicyResult,
  { pod, enforces }: { readonly pod: JsonObject; readonly enforces: boolean },
): void {
  const { metrics } = options;
  if (hasExemptRuntimeClass(options, pod)) {
    attributes.annotate(`${PREFIX}exempt`, 'runtimeClass');
    metrics?.exempted(attributes);
    return;
  }
  const known: { readonly policy: LevelVersion; readonly violations: readonly Violation[] }[] = [];
  const violations = (wanted: LevelVersion): readonly Violation[] => {
    const before = known.find((item) => isSamePolicy(item.policy, wanted));
    if (before !== undefined) return before.violations;
    const found = violationsOf(wanted, pod);
    known.push({ policy: wanted, violations: found });
    return found;
  };
  if (issues.length > 0) {
    attributes.annotate(`${PREFIX}error`, `Failed to parse policy: ${formatIssues(issues)}`);
    metrics?.failed(false, attributes);
  }
  if (enforces) attributes.annotate(`${PREFIX}enforce-policy`, formatPolicy(policy.enforce));
  const audited = violations(policy.audit);
  if (audited.length > 0) {
    attributes.annotate(`${PREFIX}audit-violations`, `would violate PodSecurity ${describe(policy.audit, audited)}`);
    metrics?.evaluated('deny', policy.audit, 'audit', attributes);
  }
  const refused = enforces ? violations(policy.enforce) : [];
  if (enforces) metrics?.evaluated(refused.length > 0 ? 'deny' : 'allow', policy.enforce, 'enforce', attributes);
  if (refused.length > 0) {
    const { group, resource } = attributes.resource;
    const because = `violates PodSecurity ${describe(policy.enforce, refused)}`;
    throw new StatusError(forbidden({ group, resource }, attributes.name, because));
  }
  const warned = violations(policy.warn);
  if (warned.length === 0) return;
  attributes.warn(`would violate PodSecurity ${describe(policy.warn, warned)}`);
  metrics?.evaluated('deny', policy.warn, 'warn', attributes);
}

function describe(policy: LevelVersion, violations: readonly Violation[]): string {
  return `${quote(formatPolicy(policy))}: ${formatViolations(violations)}`;
}

/** Returns true if an image differs. Ephemeral containers are compared by name, others by position. */
function hasNewImages(pod: JsonObject, old: JsonObject): boolean {
  for (const list of ['containers', 'initContainers']) {
    const images = objectsAt(pod, 'spec', list).map((container) => textAt(container, 'image'));
    const before = objectsAt(old, 'spec', list).map((container) => textAt(container, 'image'));
    if (images.length !== before.length || images.some((image, i) => image !== before[i])) return true;
  }
  const before = new Map(
    objectsAt(old, 'spec', 'ephemeralContainers').map((other) => [textAt(other, 'name'), textAt(other, 'image')]),
  );
  return objectsAt(pod, 'spec', 'ephemeralContainers').some(
    (container) => before.get(textAt(container, 'name')) !== textAt(container, 'image'),
  );
}
