/**
 * Whether a rule allows a request, for one rule at a time; a role that is asked often is compiled instead (rule-table.ts).
 * Invariant: pure; anything a rule does not name is not allowed.
 */
import type { RequestAttributes } from '../../server/authorization.ts';
import type { PolicyRule, PolicyRules, Texts } from './policy.ts';

/** True if any of the rules allows the request. */
export function rulesAllow(attributes: RequestAttributes, rules: PolicyRules): boolean {
  return (rules ?? []).some((rule) => ruleAllows(attributes, rule));
}

/** True if the rule alone allows the request. */
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

/** A URL of a rule against a path: equal, or the path continues what stands before the trailing stars. */
export function urlMatches(url: string, path: string): boolean {
  return url === path || (url.endsWith('*') && path.startsWith(trimStars(url)));
}

/** The text without the stars at its end. */
export function trimStars(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x2a) end--;
  return text.slice(0, end);
}

function hasOrAll(list: Texts, value: string): boolean {
  return (list ?? []).some((item) => item === '*' || item === value);
}

function resourceMatches(resources: Texts, resource: string, subresource: string): boolean {
  if (subresource === '') return hasOrAll(resources, resource);
  const combined = `${resource}/${subresource}`;
  const anyParent = `*/${subresource}`;
  return (resources ?? []).some((item) => item === '*' || item === combined || item === anyParent);
}

function nameMatches(names: Texts, name: string): boolean {
  return names === undefined || names === null || names.length === 0 || names.includes(name);
}
