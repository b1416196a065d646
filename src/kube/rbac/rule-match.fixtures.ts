/**
 * The match of a request against single policy rules: the model that tests compare the compiled rules with.
 * Invariant: a request whose verb, group, resource or path a rule does not list is not allowed by that rule.
 */
import type { RequestAttributes } from '../../server/authorizer.ts';
import type { PolicyRule, PolicyRules, StringList } from './policy.ts';
import { urlMatches } from './url-match.ts';

/** Returns true if at least one of the rules allows the request. */
export function rulesAllow(attributes: RequestAttributes, rules: PolicyRules): boolean {
  return (rules ?? []).some((rule) => ruleAllows(attributes, rule));
}

/** Returns true if the rule alone allows the request. */
export function ruleAllows(attributes: RequestAttributes, rule: PolicyRule): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResourceRequest)
    return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, attributes.path));
  return (
    hasOrAll(rule.apiGroups, attributes.apiGroup) &&
    resourceMatches(rule.resources, attributes.resource, attributes.subresource) &&
    nameMatches(rule.resourceNames, attributes.name)
  );
}

function hasOrAll(list: StringList, value: string): boolean {
  return (list ?? []).some((item) => item === '*' || item === value);
}

function resourceMatches(resources: StringList, resource: string, subresource: string): boolean {
  if (subresource === '') return hasOrAll(resources, resource);
  const combined = `${resource}/${subresource}`;
  const anyParent = `*/${subresource}`;
  return (resources ?? []).some((item) => item === '*' || item === combined || item === anyParent);
}

function nameMatches(names: StringList, name: string): boolean {
  return names === undefined || names === null || names.length === 0 || names.includes(name);
}
