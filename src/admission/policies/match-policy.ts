/** The decision whether a policy and its bindings match a request. */
import { isStatusError } from '../../apimachinery/status/status.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { HookMetrics } from '../hook-metrics.ts';
import type { ManifestObjects } from '../manifests/manifest-objects.ts';
import type { Exemption } from '../matching/hook-dispatcher.ts';
import type { Candidate, HookView } from '../matching/match-index.ts';
import { matchesNamespace, matchesObject } from '../matching/match-selectors.ts';
import { type CollectedParams, collectParams, type ParamKinds } from './params.ts';
import type { Bound, MatchedHook, PolicyBinding, PolicyParts } from './policy.ts';

export interface PolicyPluginOptions {
  readonly policies: Lister;
  readonly bindings: Lister;
  /** The policies and bindings of manifest files, which are evaluated first. Default: there are none. */
  readonly manifests?: ManifestObjects | undefined;
  readonly params: ParamKinds;
  /** Decides the checks of expressions. */
  readonly authorizer: Authorizer;
  /** Default: nothing is counted. */
  readonly metrics?: HookMetrics | undefined;
}

const POLICY_RESOURCES = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);
/** The kinds of access reviews. They store nothing, and a policy for them could lock out all users. */
const REVIEWS: Readonly<Record<string, ReadonlySet<string>>> = {
  'authentication.k8s.io': new Set(['selfsubjectreviews', 'tokenreviews']),
  'authorization.k8s.io': new Set([
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'subjectaccessreviews',
  ]),
};

/**
 * Returns the exemption of a request: all policies for reviews, and policies of API objects for the kinds of policies.
 */
export function exemptionOf({ resource }: AdmissionAttributes): Exemption | undefined {
  if (resource.group === 'admissionregistration.k8s.io')
    return POLICY_RESOURCES.has(resource.resource) ? 'api' : undefined;
  return REVIEWS[resource.group]?.has(resource.resource) === true ? 'all' : undefined;
}

/** Returns the view of a policy or binding that matches, undefined for one that does not, or why that fails. */
async function matchHook(
  attributes: AdmissionAttributes,
  { hook, viewFor }: Candidate<MatchedHook>,
): Promise<HookView | string | undefined> {
  if (!matchesObject(hook.objects, attributes)) return undefined;
  const view = viewFor(attributes.name);
  if (view === undefined) return undefined;
  try {
    const selected = matchesNamespace(hook.namespaces, attributes);
    return (isPromise(selected) ? await selected : selected) ? view : undefined;
  } catch (caught) {
    if (!isStatusError(caught)) throw caught;
    return caught.message;
  }
}

/** A policy that is to be evaluated for one binding and one parameter. */
export interface PolicyInvocation<P> {
  readonly policy: P;
  readonly binding: PolicyBinding;
  /** Undefined: the policy is evaluated without parameters. */
  readonly params: JsonObject | undefined;
  readonly view: HookView;
}

/** A policy, or one of its bindings, that cannot be evaluated. `binding` is undefined if the policy is at fault. */
export interface Misconfiguration {
  readonly binding: PolicyBinding | undefined;
  readonly error: string;
}

/** Returns the invocations of a policy and its misconfigured bindings, in the order of the bindings. */
export async function matchPolicy<P extends Bound<PolicyParts>>(
  attributes: AdmissionAttributes,
  kinds: ParamKinds,
  candidate: Candidate<P>,
): Promise<readonly (PolicyInvocation<P> | Misconfiguration)[]> {
  const { hook: policy } = candidate;
  const view = await matchHook(attributes, candidate);
  if (view === undefined) return [];
  if (typeof view === 'string') return [{ binding: undefined, error: view }];
  const matches: (PolicyInvocation<P> | Misconfiguration)[] = [];
  for (const binding of policy.bindings) {
    const collected = await matchBinding(attributes, kinds, policy, binding);
    if (collected === undefined) continue;
    if ('params' in collected) {
      for (const params of collected.params) matches.push({ policy, binding, params, view });
      continue;
    }
    if (collected.isPolicy === true) return [...matches, { binding: undefined, error: collected.error }];
    matches.push({ binding, error: collected.error });
  }
  return matches;
}

/** Returns the parameters of a binding that matches; undefined for one that does not. */
async function matchBinding(
  attributes: AdmissionAttributes,
  kinds: ParamKinds,
  policy: PolicyParts,
  binding: PolicyBinding,
): Promise<CollectedParams | undefined> {
  const [bound] = binding.index.candidates(attributes);
  const matched = bound === undefined ? undefined : await matchHook(attributes, bound);
  if (matched === undefined) return undefined;
  if (typeof matched === 'string') return { error: matched };
  return collectParams(kinds, policy, binding, attributes.namespace);
}

/** Returns the text about a policy, or one of its bindings, that cannot be evaluated. */
export function misconfiguration(binding: PolicyBinding | undefined, error: string): string {
  return `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${error}`;
}
