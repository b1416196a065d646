/**
 * The matcher of audit policies. The first rule that matches decides, in the order of the file. A request that no rule
 * matches is not logged.
 */
import type { RequestAttributes } from '../../authorizer.ts';
import type { AuditGroupResources, AuditLevel, AuditPolicy, AuditRule, AuditStage } from './audit-rules.ts';

export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** Resolves the defaults of each rule once. Matching a request allocates nothing. */
export function compileAuditPolicy(policy: AuditPolicy): (attributes: RequestAttributes) => AuditDecision {
  const compiled = policy.rules.map((rule) => ({
    rule,
    decision: {
      level: rule.level,
      omitStages: new Set([...policy.omitStages, ...rule.omitStages]),
      omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
    },
  }));
  const none: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields: policy.omitManagedFields };
  return (attributes) => {
    for (const { rule, decision } of compiled) if (matches(rule, attributes)) return decision;
    return none;
  };
}

function matches(rule: AuditRule, attributes: RequestAttributes): boolean {
  const { user } = attributes;
  if (rule.users.length > 0 && !rule.users.includes(user.name)) return false;
  if (rule.userGroups.length > 0 && !user.groups.some((group) => rule.userGroups.includes(group))) return false;
  if (rule.verbs.length > 0 && !rule.verbs.includes(attributes.verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return matchesResource(rule, attributes);
  if (rule.nonResourceURLs.length === 0) return true;
  return !attributes.isResourceRequest && rule.nonResourceURLs.some((url) => matchesPath(url, attributes.path));
}

function matchesPath(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}

function matchesResource(rule: AuditRule, attributes: RequestAttributes): boolean {
  if (!attributes.isResourceRequest) return false;
  if (rule.namespaces.length > 0 && !rule.namespaces.includes(attributes.namespace)) return false;
  return rule.resources.length === 0 || rule.resources.some((one) => matchesGroup(one, attributes));
}

function matchesGroup(wanted: AuditGroupResources, attributes: RequestAttributes): boolean {
  if (wanted.group !== attributes.apiGroup && wanted.group !== '*') return false;
  if (wanted.resources.length === 0) return true;
  if (wanted.resourceNames.length > 0 && !wanted.resourceNames.includes(attributes.name)) return false;
  return wanted.resources.some((resource) => matchesName(resource, attributes));
}

function matchesName(wanted: string, { resource, subresource }: RequestAttributes): boolean {
  if (wanted === '*' || wanted === (subresource === '' ? resource : `${resource}/${subresource}`)) return true;
  if (subresource !== '' && wanted === `*/${subresource}`) return true;
  return wanted === `${resource}/*`;
}
