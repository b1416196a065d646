/** Validation of the RBAC kinds. Objects must have their defaults: the apiGroup of the roleRef and of subjects. */
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import {
  type LabelSelectorObject,
  labelSelectorFromObject,
  validateLabelSelectorObject,
} from '../../../apimachinery/selectors/label-selector-object.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { type Complaints, checkPathSegmentName } from '../../../apimachinery/validation/name-syntax.ts';
import { rbacShapes } from '../../../kinds/shapes/rbac.ts';
import {
  type Binding,
  type ClusterRole,
  type ClusterRoleBinding,
  type PolicyRule,
  type PolicyRules,
  RBAC_GROUP,
  type RbacObject,
  type Role,
  type RoleBinding,
  type RoleRef,
  type Subject,
} from '../../rbac/policy.ts';
import { validateKubeMeta, validateKubeMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const RULES = FieldPath.of('rules');
const ROLE_REF = FieldPath.of('roleRef');
const SUBJECTS = FieldPath.of('subjects');
const SELECTORS = FieldPath.of('aggregationRule', 'clusterRoleSelectors');

/**
 * The name rule: any URL path segment, such as `system:node`. It applies to generateName too, so `.` is invalid there.
 */
function rbacName(name: string): Complaints {
  return checkPathSegmentName(name);
}

export function validateRole(role: Role): FieldIssue[] {
  return [...validateMeta(role, true), ...validateRules(role.rules, true)];
}

export function validateRoleUpdate(role: Role, old: Role): FieldIssue[] {
  return [...validateRole(role), ...validateMetaUpdate(role, old)];
}

export function validateClusterRole(role: ClusterRole): FieldIssue[] {
  return validateClusterRoleAllowing(role, false);
}

/** Accepts invalid label values in aggregation selectors if the stored role has invalid selectors. */
export function validateClusterRoleUpdate(role: ClusterRole, old: ClusterRole): FieldIssue[] {
  const allowInvalidValues = selectorsOf(old).some((s) => validateLabelSelectorObject(s, undefined).length > 0);
  return [...validateClusterRoleAllowing(role, allowInvalidValues), ...validateMetaUpdate(role, old)];
}

export function validateRoleBinding(binding: RoleBinding): FieldIssue[] {
  return validateBinding(binding, true);
}

export function validateRoleBindingUpdate(binding: RoleBinding, old: RoleBinding): FieldIssue[] {
  return [...validateBinding(binding, true), ...validateMetaUpdate(binding, old), ...validateSameRole(binding, old)];
}

export function validateClusterRoleBinding(binding: ClusterRoleBinding): FieldIssue[] {
  return validateBinding(binding, false);
}

export function validateClusterRoleBindingUpdate(binding: ClusterRoleBinding, old: ClusterRoleBinding): FieldIssue[] {
  return [...validateBinding(binding, false), ...validateMetaUpdate(binding, old), ...validateSameRole(binding, old)];
}

function validateMeta(object: RbacObject<string>, namespaced: boolean): FieldIssue[] {
  return validateKubeMeta(object.metadata ?? {}, { namespaced, name: rbacName }, METADATA);
}

function validateMetaUpdate(object: RbacObject<string>, old: RbacObject<string>): FieldIssue[] {
  return validateKubeMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, METADATA);
}

function validateRules(rules: PolicyRules, namespaced: boolean): FieldIssue[] {
  return (rules ?? []).flatMap((rule, i) => validatePolicyRule(rule, namespaced, RULES.index(i)));
}

/** A rule is for resources or for non-resource URLs, not both. The rule of a Role must not be for non-resource URLs. */
function validatePolicyRule(rule: PolicyRule, namespaced: boolean, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const urls = rule.nonResourceURLs ?? [];
  const urlsPath = path.child('nonResourceURLs');
  if (isEmpty(rule.verbs)) issues.push(required(path.child('verbs'), 'verbs must contain at least one value'));
  if (urls.length > 0) {
    if (namespaced) issues.push(invalid(urlsPath, [...urls], 'namespaced rules cannot apply to non-resource URLs'));
    if (!isEmpty(rule.apiGroups) || !isEmpty(rule.resources) || !isEmpty(rule.resourceNames))
      issues.push(invalid(urlsPath, [...urls], 'rules cannot apply to both regular resources and non-resource URLs'));
    return issues;
  }
  if (isEmpty(rule.apiGroups))
    issues.push(required(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  if (isEmpty(rule.resources))
    issues.push(required(path.child('resources'), 'resource rules must supply at least one resource'));
  return issues;
}

function validateClusterRoleAllowing(role: ClusterRole, allowInvalidValues: boolean): FieldIssue[] {
  const issues = [...validateMeta(role, false), ...validateRules(role.rules, false)];
  const { aggregationRule } = role;
  if (aggregationRule === undefined || aggregationRule === null) return issues;
  const selectors = selectorsOf(role);
  if (selectors.length === 0)
    issues.push(required(SELECTORS, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  selectors.forEach((selector, i) => {
    const path = SELECTORS.index(i);
    addIssues(issues, validateLabelSelectorObject(selector, path, { allowInvalidValues }));
    // kube-apiserver shows the converted selector, which is nil here.
    if (!labelSelectorFromObject(selector).ok) issues.push(invalid(path, null, 'invalid label selector.'));
  });
  return issues;
}

function selectorsOf(role: ClusterRole): readonly LabelSelectorObject[] {
  return role.aggregationRule?.clusterRoleSelectors ?? [];
}

function validateBinding(binding: Binding<string>, namespaced: boolean): FieldIssue[] {
  const issues = validateMeta(binding, namespaced);
  addIssues(issues, validateRoleRef(binding.roleRef ?? {}, namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']));
  (binding.subjects ?? []).forEach((subject, i) => {
    addIssues(issues, validateSubject(subject, namespaced, SUBJECTS.index(i)));
  });
  return issues;
}

function validateRoleRef(roleRef: RoleRef, kinds: readonly string[]): FieldIssue[] {
  const { apiGroup = '', kind = '', name = '' } = roleRef;
  const issues: FieldIssue[] = [];
  if (apiGroup !== RBAC_GROUP) issues.push(notSupported(ROLE_REF.child('apiGroup'), apiGroup, [RBAC_GROUP]));
  if (!kinds.includes(kind)) issues.push(notSupported(ROLE_REF.child('kind'), kind, kinds));
  if (name === '') issues.push(required(ROLE_REF.child('name'), ''));
  for (const complaint of rbacName(name)) issues.push(invalid(ROLE_REF.child('name'), name, complaint));
  return issues;
}

/**
 * User and Group subjects have the RBAC apiGroup, ServiceAccounts have none. In a ClusterRoleBinding a ServiceAccount
 * needs a namespace.
 */
export function validateSubject(subject: Subject, namespaced: boolean, path: FieldPath): FieldIssue[] {
  const { kind = '', apiGroup = '', name = '', namespace = '' } = subject;
  const issues: FieldIssue[] = [];
  const expectGroup = (expected: string): void => {
    if (apiGroup !== expected) issues.push(notSupported(path.child('apiGroup'), apiGroup, [expected]));
  };
  if (name === '') issues.push(required(path.child('name'), ''));
  switch (kind) {
    case 'ServiceAccount':
      for (const complaint of name === '' ? [] : nameIsDnsSubdomain(name, false))
        issues.push(invalid(path.child('name'), name, complaint));
      expectGroup('');
      if (!namespaced && namespace === '') issues.push(required(path.child('namespace'), ''));
      break;
    case 'User':
    case 'Group':
      expectGroup(RBAC_GROUP);
      break;
    default:
      issues.push(notSupported(path.child('kind'), kind, ['ServiceAccount', 'User', 'Group']));
  }
  return issues;
}

function validateSameRole(binding: Binding<string>, old: Binding<string>): FieldIssue[] {
  const { apiGroup = '', kind = '', name = '' } = binding.roleRef ?? {};
  const before = old.roleRef ?? {};
  if (apiGroup === (before.apiGroup ?? '') && kind === (before.kind ?? '') && name === (before.name ?? '')) return [];
  const shown = goValue(rbacShapes, 'RoleRef', { apiGroup, kind, name });
  return [declared(invalid(ROLE_REF, shown, 'cannot change roleRef'))];
}

function isEmpty(list: readonly string[] | null | undefined): boolean {
  return list === undefined || list === null || list.length === 0;
}
