/** Validation of resource names and amounts, and of the resource requirements of containers and pods. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { Quantity } from '../../apimachinery/scalars/quantity.ts';
import {
  compareQuantity,
  quantityMilliValue,
  quantitySign,
  quantityValue,
} from '../../apimachinery/scalars/quantity-arithmetic.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../apimachinery/validation/label-syntax.ts';
import { checkDns1123Label } from '../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../base/json-value.ts';
import {
  amountOf,
  hugePageSize,
  isHugePageResource,
  isNativeResource,
  isOvercommitAllowed,
  isPodLevelResource,
} from './resource-lists.ts';

const CONTAINER_RESOURCES: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];
/** Standard resources whose amounts must be integers. */
const COUNTED_RESOURCES: readonly string[] = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const QUOTA_RESOURCES: ReadonlySet<string> = new Set([
  ...COUNTED_RESOURCES,
  ...CONTAINER_RESOURCES,
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);
const REQUESTS_PREFIX = 'requests.';
/**
 * The length after which a list of claim names in a message is cut: there may be one message for each of many claims.
 */
const MAX_CHOICE = 4096;

type NameCheck = (name: string, path: FieldPath) => FieldIssue[];

export interface RequirementRules {
  /** The names in the pod's `spec.resourceClaims`, which containers may refer to. Default none. */
  readonly claimNames?: ReadonlySet<string>;
  /**
   * Whether amounts of huge pages need not be multiples of the page size, because the stored object has such an amount.
   * Default false.
   */
  readonly allowIndivisibleHugePages?: boolean;
}

// ── Names ──

/** The name must be a standard resource or have a domain. */
export function validateResourceName(name: string, path: FieldPath): FieldIssue[] {
  const complaints = checkQualifiedName(name);
  if (complaints.length > 0) return complaints.map((complaint) => declared(invalid(path, name, complaint)));
  if (name.includes('/') || isStandardResource(name)) return [];
  return [declared(invalid(path, name, 'must be a standard resource type or fully qualified'))];
}

/** Resources of a container. */
export function validateContainerResourceName(name: string, path: FieldPath): FieldIssue[] {
  if (CONTAINER_RESOURCES.includes(name)) return [];
  const issues = validateResourceName(name, path);
  if (!name.includes('/')) {
    if (!isHugePageResource(name))
      issues.push(declared(invalid(path, name, 'must be a standard resource for containers')));
  } else if (!isNativeResource(name) && !isExtendedResource(name))
    issues.push(declared(invalid(path, name, "doesn't follow extended resource name standard")));
  return issues;
}

/** Resources in `spec.resources` of a pod. */
function validatePodResourceName(name: string, path: FieldPath): FieldIssue[] {
  const issues = validateResourceName(name, path);
  if (issues.length > 0 || isPodLevelResource(name)) return issues;
  return [declared(notSupported(path, name, ['cpu', 'hugepages-', 'memory']))];
}

/** Resources that a ResourceQuota may limit. */
export function validateQuotaResourceName(name: string, path: FieldPath): FieldIssue[] {
  const issues = validateResourceName(name, path);
  if (!name.includes('/') && !isStandardQuotaResource(name))
    issues.push(declared(invalid(path, name, 'must be a standard resource for quota')));
  return issues;
}

function isStandardResource(name: string): boolean {
  return name === 'storage' || isStandardQuotaResource(name);
}

function isStandardQuotaResource(name: string): boolean {
  return QUOTA_RESOURCES.has(name) || isHugePageResource(name) || name.startsWith('requests.hugepages-');
}

/** Whether the name has a domain outside of Kubernetes and is still a valid name with the prefix `requests.`. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(REQUESTS_PREFIX)) return false;
  return checkQualifiedName(REQUESTS_PREFIX + name).length === 0;
}

// ── Amounts ──

/** The amount must not be negative, and must be an integer for counted and extended resources. `text` is its source. */
export function validateResourceAmount(name: string, amount: Quantity, text: string, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (quantitySign(amount) < 0) issues.push(invalid(path, text, 'must be greater than or equal to 0'));
  if (quantityMilliValue(amount) % 1000n !== 0n && isWholeResource(name))
    issues.push(invalid(path, text, 'must be an integer'));
  return issues;
}

function isWholeResource(name: string): boolean {
  return COUNTED_RESOURCES.includes(name) || isExtendedResource(name);
}

/** Whether the amount is a multiple of the page size in the name. */
export function isDivisibleHugePages(name: string, amount: Quantity): boolean {
  const size = hugePageSize(name);
  if (size === undefined || quantitySign(size) <= 0 || quantityMilliValue(size) % 1000n !== 0n) return false;
  return quantityValue(amount) % quantityValue(size) === 0n;
}

// ── Requirements ──

/** Limits, requests and claims of a container. */
export function validateContainerResources(
  requirements: JsonObject,
  path: FieldPath,
  rules: RequirementRules = {},
): FieldIssue[] {
  return validateRequirements(requirements, validateContainerResourceName, path, rules);
}

/** Limits and requests in `spec.resources` of a pod. */
export function validatePodLevelResources(
  requirements: JsonObject,
  path: FieldPath,
  rules: RequirementRules = {},
): FieldIssue[] {
  return validateRequirements(requirements, validatePodResourceName, path, rules);
}

function validateRequirements(
  requirements: JsonObject,
  checkName: NameCheck,
  path: FieldPath,
  rules: RequirementRules,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const limits = objectAt(requirements, 'limits') ?? {};
  const requests = objectAt(requirements, 'requests') ?? {};
  const check = (list: JsonObject, listPath: FieldPath, name: string): Quantity => {
    const amount = amountOf(list[name]);
    const at = listPath.key(name);
    addIssues(issues, [...checkName(name, at), ...validateResourceAmount(name, amount, String(list[name]), at)]);
    return amount;
  };
  const checkHugePages = (list: JsonObject, listPath: FieldPath, name: string, amount: Quantity): void => {
    if (!isHugePageResource(name) || rules.allowIndivisibleHugePages === true || isDivisibleHugePages(name, amount))
      return;
    const text = String(list[name]);
    issues.push(invalid(listPath.key(name), text, `${text} is not positive integer multiple of ${name}`));
  };
  const limitsPath = path.child('limits');
  for (const name of Object.keys(limits)) checkHugePages(limits, limitsPath, name, check(limits, limitsPath, name));
  const requestsPath = path.child('requests');
  for (const name of Object.keys(requests)) {
    const amount = check(requests, requestsPath, name);
    addIssues(issues, validateRequest(name, amount, requests, limits, path));
    checkHugePages(requests, requestsPath, name, amount);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePageResource) && !names.some((name) => name === 'cpu' || name === 'memory'))
    issues.push(forbidden(path, 'HugePages require cpu or memory'));
  addIssues(issues, validateClaimNames(requirements, path, rules));
  return issues;
}

/** A request must not exceed its limit. It must equal it for resources that cannot be overcommitted. */
function validateRequest(
  name: string,
  amount: Quantity,
  requests: JsonObject,
  limits: JsonObject,
  path: FieldPath,
): FieldIssue[] {
  const limit = fieldAt(limits, name);
  if (limit === undefined) {
    if (isOvercommitAllowed(name)) return [];
    return [required(path.child('limits'), 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantity(amount, amountOf(limit));
  const text = String(requests[name]);
  const of = `${name} limit of ${String(limit)}`;
  if (order !== 0 && !isOvercommitAllowed(name))
    return [invalid(path.child('requests'), text, `must be equal to ${of}`)];
  return order > 0 ? [invalid(path.child('requests'), text, `must be less than or equal to ${of}`)] : [];
}

/** Each claim, or each request of a claim, may be named once, and must be among the pod's claims. */
function validateClaimNames(requirements: JsonObject, path: FieldPath, rules: RequirementRules): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const seen = new Set<string>();
  /** The number of requests named so far, by claim. */
  const requested = new Map<string, number>();
  const known = rules.claimNames ?? new Set<string>();
  let choice: string | undefined;
  objectsAt(requirements, 'claims').forEach((claim, i) => {
    const at = path.child('claims').index(i);
    const name = textAt(claim, 'name');
    const request = textAt(claim, 'request');
    if (name === '') {
      issues.push(required(at, ''));
      return;
    }
    if (seen.has(name)) issues.push(duplicate(at, name));
    else {
      for (const complaint of request === '' ? [] : checkDns1123Label(request))
        issues.push(invalid(at.child('request'), request, complaint));
      const key = request === '' ? name : `${name}/${request}`;
      if (seen.has(key)) issues.push(duplicate(at, key));
      else if (request === '') for (let n = requested.get(name) ?? 0; n > 0; n--) issues.push(duplicate(at, name));
      if (request !== '' && !seen.has(key)) requested.set(name, (requested.get(name) ?? 0) + 1);
      seen.add(key);
    }
    if (!known.has(name)) {
      choice ??= choiceOf(known);
      issues.push({ ...notFound(at, name), detail: `must be one of the names in pod.spec.resourceClaims${choice}` });
    }
  });
  return issues;
}

function choiceOf(known: ReadonlySet<string>): string {
  if (known.size === 0) return ' which is empty';
  const names = [...known].sort().join(', ');
  return `: ${names.length > MAX_CHOICE ? `${names.slice(0, MAX_CHOICE)}...` : names}`;
}
