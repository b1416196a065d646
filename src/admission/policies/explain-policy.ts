/** The explanation of a policy for one request: which bindings match, what they decide and what that costs. */
import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import type { JsonPatch } from '../../apimachinery/patch/json-patch-decode.ts';
import { diffJson } from '../../apimachinery/patch/json-patch-diff.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import { explainMatch } from '../matching/explain-match.ts';
import { ExpressionInput, requestAuthorizer } from '../matching/expression-input.ts';
import { evaluateMutation, type MutationInput, mutationExpressions } from './evaluate-mutation.ts';
import { evaluatePolicy, type PolicyVerdict } from './evaluate-policy.ts';
import { exemptionOf, misconfiguration } from './match-policy.ts';
import type { MutatingPolicy } from './mutating-policy.ts';
import { collectParams, type ParamKinds } from './params.ts';
import type { Bound, CompiledPolicy, PolicyBinding } from './policy.ts';
import type { ViewedObject } from './viewed-object.ts';

/** `because`: why the policy, the binding or the evaluation has no effect, or fails; undefined if it has one. */
export interface PolicyExplanation {
  readonly policy: string;
  readonly because: string | undefined;
  readonly bindings: readonly BindingExplanation[];
}

export interface BindingExplanation {
  readonly binding: string;
  readonly actions: readonly string[];
  readonly because: string | undefined;
  /** Whether `because` is a failure that denies the request. */
  readonly fails: boolean;
  readonly evaluations: readonly PolicyEvaluation[];
}

export interface PolicyEvaluation {
  /** The parameter: `namespace/name`; undefined for none. */
  readonly params: string | undefined;
  readonly because: string | undefined;
  /** Whether a failure of a condition or mutation denies the request. */
  readonly fails: boolean;
  /** Undefined if a condition is false, and for a mutating policy. */
  readonly verdict: PolicyVerdict | undefined;
  /** The mutations of a mutating policy whose conditions hold, in order; otherwise empty. */
  readonly mutations: readonly MutationExplanation[];
}

export interface MutationExplanation {
  /** The change of the object in the version that the policy sees, with the defaults that it causes. */
  readonly changes: JsonPatch;
  /** Why the mutation fails; undefined if it does not. */
  readonly error: string | undefined;
  readonly cost: number;
}

export interface ExplainOptions {
  /** The object, as the mutating policies before left it. Mutations replace it. */
  readonly object: ViewedObject;
  readonly params: ParamKinds;
  readonly authorizer: Authorizer;
}

/** Explains a policy and each of its bindings. A mutating policy changes the object of the options. */
export async function explainPolicy(
  policy: ExplainedKind,
  attributes: AdmissionAttributes,
  options: ExplainOptions,
): Promise<PolicyExplanation> {
  const skipped = (because: string): PolicyExplanation => ({ policy: policy.name, because, bindings: [] });
  if (exemptionOf(attributes) !== undefined)
    return skipped(`policies are never evaluated for ${attributes.resource.resource}`);
  if (policy.bindings.length === 0) return skipped('it has no binding');
  const explained = await explainMatch(policy, attributes);
  if (!explained.matches) return skipped(explained.because);
  const isNamespace = attributes.kind.group === '' && attributes.kind.kind === 'Namespace';
  const parts = {
    authorizer: requestAuthorizer(options.authorizer, attributes.user),
    namespaceObject: isNamespace ? undefined : await attributes.namespaceObject(),
  };
  const { object, params } = options;
  const bindings: BindingExplanation[] = [];
  for (const binding of policy.bindings)
    bindings.push(await explainBinding(policy, binding, { attributes, view: explained.view, object, parts, params }));
  return { policy: policy.name, because: undefined, bindings };
}

type ExplainedKind = Bound<CompiledPolicy> | MutatingPolicy;

interface Evaluation extends Omit<MutationInput, 'policy' | 'params'> {
  readonly params: ParamKinds;
}

async function explainBinding(
  policy: ExplainedKind,
  binding: PolicyBinding,
  { params, ...request }: Evaluation,
): Promise<BindingExplanation> {
  const { name, actions } = binding;
  const skipped = (because: string, fails: boolean): BindingExplanation => ({
    binding: name,
    actions,
    because,
    fails,
    evaluations: [],
  });
  const explained = await explainMatch(binding, request.attributes);
  if (!explained.matches) return skipped(explained.because, false);
  const collected = await collectParams(params, policy, binding, request.attributes.namespace);
  if ('error' in collected)
    return skipped(
      misconfiguration(collected.isPolicy === true ? undefined : binding, collected.error),
      !policy.ignoresFailures,
    );
  if (collected.params.length === 0) return skipped('it has no parameters', false);
  const evaluations: PolicyEvaluation[] = [];
  for (const param of collected.params)
    evaluations.push(await explainEvaluation(policy, { ...request, policy, params: param }));
  return { binding: name, actions, because: undefined, fails: false, evaluations };
}

async function explainEvaluation(policy: ExplainedKind, input: MutationInput): Promise<PolicyEvaluation> {
  const { attributes, view, object, parts, params: param } = input;
  const params = param && [namespaceOf(param), nameOf(param)].filter((text) => text !== '').join('/');
  const nothing = { params, fails: false, verdict: undefined, mutations: [] };
  const result = await (await mutationExpressions(input)).conditions();
  if ('matches' in result && !result.matches)
    return { ...nothing, because: `its match condition ${JSON.stringify(result.condition)} is false` };
  const because = 'error' in result ? result.error : undefined;
  const fails = because !== undefined && !policy.ignoresFailures;
  if (!('validations' in policy)) {
    const mutations = because === undefined ? await explainMutations(policy, input) : [];
    const hasError = mutations.some(({ error }) => error !== undefined);
    return { ...nothing, because, fails: fails || (hasError && !policy.ignoresFailures), mutations };
  }
  const expressionInput = new ExpressionInput(attributes, view, await object.in(view), parts);
  return { ...nothing, because, fails, verdict: await evaluatePolicy(policy, expressionInput, param) };
}

async function explainMutations(
  { mutations }: MutatingPolicy,
  input: MutationInput,
): Promise<readonly MutationExplanation[]> {
  const explained: MutationExplanation[] = [];
  for (const mutation of mutations) {
    const { object: before } = await input.object.in(input.view);
    const result = await evaluateMutation(mutation, input);
    if (before === undefined || result === undefined) break;
    const { cost } = result;
    if ('error' in result) {
      explained.push({ changes: [], error: result.error, cost });
      continue;
    }
    explained.push({ changes: diffJson(before, result.object), error: undefined, cost });
    input.object.replace(result.object);
  }
  return explained;
}
