/** The rules of webhooks and policies: the resources and operations that they match. */
import type { GroupVersionResource } from '../../apimachinery/meta/gvk.ts';
import { objectsAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Operation } from '../../server/admission.ts';

/** One rule, as `rules` of a webhook or `resourceRules` of a policy have it. */
export interface MatchRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** Pairs of a resource and a subresource; `*` stands for any. */
  readonly resources: readonly (readonly [resource: string, subresource: string])[];
  readonly scope: 'Cluster' | 'Namespaced' | '*';
  /** The names of objects that the rule is for; empty for all. Only rules of policies have names. */
  readonly names: readonly string[];
}

/** The request that a rule is compared with. */
export interface MatchTarget {
  readonly operation: Operation;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  /** Whether the request is in a namespace. The Namespace objects themselves are not. */
  readonly namespaced: boolean;
}

/** Whether a resource is that of the Namespace objects, whose requests count as requests in the namespace. */
export function isNamespaces({ group, resource }: GroupVersionResource): boolean {
  return group === '' && resource === 'namespaces';
}

/** Reads the rules at a path of a configuration, which is valid. */
export function matchRulesAt(object: JsonObject, ...path: readonly string[]): readonly MatchRule[] {
  return objectsAt(object, ...path).map((rule) => ({
    operations: textsAt(rule, 'operations'),
    groups: textsAt(rule, 'apiGroups'),
    versions: textsAt(rule, 'apiVersions'),
    resources: textsAt(rule, 'resources').map(splitResource),
    scope: scopeOf(textAt(rule, 'scope')),
    names: textsAt(rule, 'resourceNames'),
  }));
}

/** The parts of a rule, in the order in which a person looks at them. */
export const RULE_PARTS = ['group', 'resource', 'subresource', 'version', 'operation', 'scope'] as const;

export type RulePart = (typeof RULE_PARTS)[number];

/** Reports whether the rule matches the request, apart from the name of the object. */
export function ruleMatches(rule: MatchRule, target: MatchTarget): boolean {
  return RULE_PARTS.every((part) => partMatches(rule, part, target));
}

/** Reports whether one part of the rule matches the request. The subresource is that of a matching resource. */
export function partMatches(rule: MatchRule, part: RulePart, target: MatchTarget): boolean {
  const { operation, resource, subresource, namespaced } = target;
  const isResource = ([name]: readonly [string, string]): boolean => name === '*' || name === resource.resource;
  switch (part) {
    case 'group':
      return isOneOf(rule.groups, resource.group);
    case 'resource':
      return rule.resources.some(isResource);
    case 'subresource':
      return rule.resources.some((one) => isResource(one) && (one[1] === '*' || one[1] === subresource));
    case 'version':
      return isOneOf(rule.versions, resource.version);
    case 'operation':
      return isOneOf(rule.operations, operation);
    case 'scope':
      return rule.scope === '*' || (rule.scope === 'Namespaced') === namespaced;
  }
}

function scopeOf(text: string): MatchRule['scope'] {
  return text === 'Cluster' || text === 'Namespaced' ? text : '*';
}

function splitResource(text: string): readonly [string, string] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
}

function isOneOf(items: readonly string[], requested: string): boolean {
  return items.some((item) => item === '*' || item === requested);
}
