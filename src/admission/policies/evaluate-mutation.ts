/** The evaluation of the mutations of a policy for the present object of a request. */
import type { JsonObject } from '../../base/json-value.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { OUT_OF_BUDGET, POLICY_COST } from '../cost-limits.ts';
import { ExpressionInput } from '../matching/expression-input.ts';
import type { HookView } from '../matching/match-index.ts';
import { applyMutation, type MutationResult } from './apply-mutation.ts';
import type { PolicyMutation } from './mutating-policy.ts';
import type { PolicyParts } from './policy.ts';
import { PolicyExpressions } from './policy-expressions.ts';
import type { ViewedObject } from './viewed-object.ts';

/** A policy that is evaluated for one request, one binding and one parameter. */
export interface MutationInput {
  readonly attributes: AdmissionAttributes;
  readonly policy: PolicyParts;
  readonly params: JsonObject | undefined;
  readonly view: HookView;
  /** The object, as the mutations before left it. */
  readonly object: ViewedObject;
  readonly parts: ConstructorParameters<typeof ExpressionInput>[3];
}

export type EvaluatedMutation = MutationResult & { readonly cost: number };

/** Returns the expressions for the present object. */
export async function mutationExpressions(input: MutationInput): Promise<PolicyExpressions> {
  const { attributes, policy, params, view, object, parts } = input;
  return new PolicyExpressions(policy, new ExpressionInput(attributes, view, await object.in(view), parts), params);
}

/**
 * Evaluates one mutation. The caller replaces the object. Returns undefined if the request has no object. Each mutation
 * has a budget of its own.
 */
export async function evaluateMutation(
  mutation: PolicyMutation,
  input: MutationInput,
): Promise<EvaluatedMutation | undefined> {
  const { attributes, policy, view } = input;
  const { object } = await input.object.in(view);
  if (object === undefined) return undefined;
  const { compiled } = mutation;
  if (!compiled.ok) return { error: compiled.message, cost: 0 };
  const expressions = await mutationExpressions(input);
  const result = await expressions.evaluate([mutation], policy.scope, POLICY_COST);
  const { cost } = expressions;
  const [evaluated] = result?.evaluated ?? [];
  if (evaluated === undefined) return { error: OUT_OF_BUDGET, cost };
  if ('error' in evaluated) return { ...evaluated, cost };
  const requested = attributes.version;
  const target = { object, requested, version: view.version ?? requested, hasType: hasType(attributes) };
  return { ...applyMutation(mutation, evaluated.value, target), cost };
}

/** A subresource with a kind of its own is described in the document of its resource. */
function hasType({ operation, resource, version, versions }: AdmissionAttributes): boolean {
  if (operation === 'CONNECT') return false;
  return versions.includes(version) || (version.group === resource.group && version.version === resource.version);
}
