/** The explanation of a policy for one request: which bindings match, what they decide and what that costs. */
import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import { explainMatch } from '../matching/explain-match.ts';
import { ExpressionInput, requestAuthorizer, viewedObjects } from '../matching/expression-input.ts';
import { evaluatePolicy, type PolicyVerdict } from './evaluate-policy.ts';
import { exemptionOf, misconfiguration } from './match-policy.ts';
import { collectParams, type ParamKinds } from './params.ts';
import type { Bound, CompiledPolicy, PolicyBinding, PolicyParts } from './policy.ts';
import { PolicyExpressions } from './policy-expressions.ts';

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
  /** Undefined if a condition is false, and for a mutating policy. */
  readonly verdict: PolicyVerdict | undefined;
}

export interface ExplainOptions {
  readonly params: ParamKinds;
  readonly authorizer: Authorizer;
}

/** Explains a policy and each of its bindings. Of a mutating policy only the matching is explained. */
export async function explainPolicy(
  policy: Bound<PolicyParts> | Bound<CompiledPolicy>,
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
  const input = new ExpressionInput(attributes, explained.view, await viewedObjects(attributes, explained.view), {
    authorizer: requestAuthorizer(options.authorizer, attributes.user),
    namespaceObject: isNamespace ? undefined : await attributes.namespaceObject(),
  });
  const bindings: BindingExplanation[] = [];
  for (const binding of policy.bindings)
    bindings.push(await explainBinding(policy, binding, { attributes, input, params: options.params }));
  return { policy: policy.name, because: undefined, bindings };
}

interface Evaluation {
  readonly attributes: AdmissionAttributes;
  readonly input: ExpressionInput;
  readonly params: ParamKinds;
}

async function explainBinding(
  policy: Bound<PolicyParts> | Bound<CompiledPolicy>,
  binding: PolicyBinding,
  { attributes, input, params }: Evaluation,
): Promise<BindingExplanation> {
  const { name, actions } = binding;
  const skipped = (because: string, fails: boolean): BindingExplanation => ({
    binding: name,
    actions,
    because,
    fails,
    evaluations: [],
  });
  const explained = await explainMatch(binding, attributes);
  if (!explained.matches) return skipped(explained.because, false);
  const collected = await collectParams(params, policy, binding, attributes.namespace);
  if ('error' in collected)
    return skipped(
      misconfiguration(collected.isPolicy === true ? undefined : binding, collected.error),
      !policy.ignoresFailures,
    );
  if (collected.params.length === 0) return skipped('it has no parameters', false);
  const evaluations: PolicyEvaluation[] = [];
  for (const param of collected.params) evaluations.push(await explainEvaluation(policy, input, param));
  return { binding: name, actions, because: undefined, fails: false, evaluations };
}

async function explainEvaluation(
  policy: Bound<PolicyParts> | Bound<CompiledPolicy>,
  input: ExpressionInput,
  param: JsonObject | undefined,
): Promise<PolicyEvaluation> {
  const params = param && [namespaceOf(param), nameOf(param)].filter((text) => text !== '').join('/');
  const result = await new PolicyExpressions(policy, input, param).conditions();
  if ('matches' in result && !result.matches)
    return { params, because: `its match condition ${JSON.stringify(result.condition)} is false`, verdict: undefined };
  const verdict = 'validations' in policy ? await evaluatePolicy(policy, input, param) : undefined;
  return { params, because: 'error' in result ? result.error : undefined, verdict };
}
