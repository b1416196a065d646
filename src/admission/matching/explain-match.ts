/**
 * The explanation whether the rules and selectors of a webhook, a policy or a binding select a request. It asks the
 * index and the selectors that decide requests, so that it cannot differ from them.
 */
import { isStatusError } from '../../apimachinery/status/status.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { type HookView, type IndexedHook, MatchIndex, targetOf } from './match-index.ts';
import { type MatchRule, type MatchTarget, partMatches, RULE_PARTS, type RulePart } from './match-rules.ts';
import { type LabelTest, matchesNamespace, matchesObject } from './match-selectors.ts';

export interface SelectingHook extends IndexedHook {
  readonly namespaces: LabelTest;
  readonly objects: LabelTest;
}

/** `because`: a sentence without a capital letter and a full stop. */
export type MatchExplanation =
  | { readonly matches: true; readonly view: HookView }
  | { readonly matches: false; readonly because: string };

export async function explainMatch(hook: SelectingHook, attributes: AdmissionAttributes): Promise<MatchExplanation> {
  const [candidate] = new MatchIndex([hook]).candidates(attributes);
  if (candidate === undefined) return no(withoutCandidate(hook, attributes));
  if (!matchesObject(hook.objects, attributes))
    return no('its objectSelector does not select the labels of the object');
  try {
    if (!(await matchesNamespace(hook.namespaces, attributes)))
      return no(`its namespaceSelector does not select the labels of the namespace ${attributes.namespace}`);
  } catch (caught) {
    if (!isStatusError(caught)) throw caught;
    return no(caught.message);
  }
  const view = candidate.viewFor(attributes.name);
  if (view !== undefined) return { matches: true, view };
  const hasNames = hook.rules.some(({ names }) => names.length > 0 && !names.includes(attributes.name));
  return no(
    hasNames
      ? `its resourceNames do not contain ${JSON.stringify(attributes.name)}`
      : `an excludeResourceRule names ${JSON.stringify(attributes.name)}`,
  );
}

function no(because: string): MatchExplanation {
  return { matches: false, because };
}

function withoutCandidate(hook: SelectingHook, attributes: AdmissionAttributes): string {
  if (hook.rules.length === 0) return hook.matchesWithoutRules ? EXCLUDED : 'it has no rules';
  const included = new MatchIndex([{ ...hook, excluded: [] }]).candidates(attributes);
  if (included.length > 0) return EXCLUDED;
  return ruleReason(hook, targetOf(attributes));
}

const EXCLUDED = 'an excludeResourceRule is for the request';

/** Returns the first part that differs of the rule that comes closest to the request. */
function ruleReason({ rules, equivalent }: IndexedHook, target: MatchTarget): string {
  let best: { readonly part: number; readonly rule: MatchRule } | undefined;
  for (const rule of rules) {
    // With Equivalent, other groups and versions of the resource were tried, too.
    const part = RULE_PARTS.findIndex((one) => !partMatches(rule, one, target));
    if (best === undefined || part > best.part) best = { part, rule };
  }
  const { part, rule } = best as NonNullable<typeof best>;
  const [noun, wanted, given] = partTexts(RULE_PARTS[part] as RulePart, rule, target);
  const policy = noun === 'version' && !equivalent ? ', and its matchPolicy is Exact' : '';
  const nearest = rules.length === 1 ? 'its rule is' : 'its nearest rule is';
  return `${nearest} for the ${noun} ${wanted}, not ${given}${policy}`;
}

function partTexts(part: RulePart, rule: MatchRule, target: MatchTarget): readonly [string, string, string] {
  const { resource, subresource, operation, namespaced } = target;
  const list = (texts: readonly string[]): string => texts.map((text) => text || '""').join(', ');
  switch (part) {
    case 'group':
      return ['group', list(rule.groups), resource.group || '"" (core)'];
    case 'resource':
      return ['resource', list(rule.resources.map(([name, sub]) => joined(name, sub))), resource.resource];
    case 'subresource':
      return [
        'resource',
        list(rule.resources.map(([name, sub]) => joined(name, sub))),
        joined(resource.resource, subresource),
      ];
    case 'version':
      return ['version', list(rule.versions), resource.version];
    case 'operation':
      return ['operation', list(rule.operations), operation];
    case 'scope':
      return ['scope', rule.scope, namespaced ? 'Namespaced' : 'Cluster'];
  }
}

function joined(resource: string, subresource: string): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}
