/** The plugin ValidatingAdmissionPolicy. */
import { isStatusError, type StatusError } from '../../apimachinery/status/status.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import type { DeferredAuthorizer } from '../../cel/libraries/deferred-authorizer.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { HookMetrics } from '../hook-metrics.ts';
import { ExpressionInput, requestAuthorizer, type ViewedObjects, viewedObjects } from '../matching/expression-input.ts';
import { HookDispatcher } from '../matching/hook-dispatcher.ts';
import type { Candidate, HookView } from '../matching/match-index.ts';
import { matchesNamespace, matchesObject } from '../matching/match-selectors.ts';
import { boundPolicies } from './bound-policies.ts';
import { type Denial, type EvaluationObserver, evaluatePolicy } from './evaluate-policy.ts';
import { collectParams, type ParamKinds } from './params.ts';
import type { MatchedHook, PolicyBinding, ValidatingPolicy } from './policy.ts';
import { policyRefusal } from './policy-refusal.ts';

export interface PolicyPluginOptions {
  readonly policies: Lister;
  readonly bindings: Lister;
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
/** Reviews store nothing. A policy for them could lock everybody out. */
const REVIEWS: Readonly<Record<string, ReadonlySet<string>>> = {
  'authentication.k8s.io': new Set(['selfsubjectreviews', 'tokenreviews']),
  'authorization.k8s.io': new Set([
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'subjectaccessreviews',
  ]),
};
/** Longer values of audit annotations are cut. */
const MAX_ANNOTATION = 10 * 1024;
const FAILURE_KEY = 'validation.policy.admission.k8s.io/validation_failure';

export function validatingAdmissionPolicy(options: PolicyPluginOptions): AdmissionPlugin {
  const { policies, bindings } = options;
  const dispatcher = new HookDispatcher({
    listers: [policies, bindings],
    hooks: boundPolicies(policies, bindings),
    isExempt,
    dispatch: (attributes, candidates) => new ValidatingRun(options, attributes).run(candidates),
  });
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: () => true,
    validate: (attributes) => dispatcher.run(attributes),
  };
}

function isExempt({ resource }: AdmissionAttributes): boolean {
  if (resource.group === 'admissionregistration.k8s.io') return POLICY_RESOURCES.has(resource.resource);
  return REVIEWS[resource.group]?.has(resource.resource) === true;
}

type PolicyAction = Parameters<HookMetrics['policyChecked']>[1];

/** The policies of one request. All are evaluated, and the first denial is the answer. */
class ValidatingRun {
  readonly #options: PolicyPluginOptions;
  readonly #attributes: AdmissionAttributes;
  readonly #authorizer: DeferredAuthorizer;
  #refusal: StatusError | undefined;

  constructor(options: PolicyPluginOptions, attributes: AdmissionAttributes) {
    this.#options = options;
    this.#attributes = attributes;
    this.#authorizer = requestAuthorizer(options.authorizer, attributes.user);
  }

  async run(candidates: readonly Candidate<ValidatingPolicy>[]): Promise<void> {
    for (const candidate of candidates) await this.#evaluate(candidate);
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  async #evaluate(candidate: Candidate<ValidatingPolicy>): Promise<void> {
    const { hook: policy } = candidate;
    const view = await this.#matches(candidate);
    if (view === undefined) return;
    if (typeof view === 'string') return this.#misconfigured(policy, undefined, view);
    const annotations = new Map<string, Set<string>>();
    let objects: ViewedObjects | undefined;
    for (const binding of policy.bindings) {
      const [bound] = binding.index.candidates(this.#attributes);
      const matched = bound === undefined ? undefined : await this.#matches(bound);
      if (typeof matched === 'string') this.#misconfigured(policy, binding, matched);
      if (matched === undefined || typeof matched === 'string') continue;
      const collected = await collectParams(this.#options.params, policy, binding, this.#attributes.namespace);
      if ('error' in collected) {
        this.#misconfigured(policy, collected.isPolicy === true ? undefined : binding, collected.error);
        if (collected.isPolicy === true) return;
        continue;
      }
      objects ??= await viewedObjects(this.#attributes, view);
      for (const params of collected.params) await this.#judge({ policy, binding, view, objects, params, annotations });
    }
    for (const [key, values] of annotations) this.#attributes.annotate(`${policy.name}/${key}`, [...values].join(', '));
  }

  /** Returns the view of a policy or binding that matches, undefined for one that does not, or why that fails. */
  async #matches({ hook, viewFor }: Candidate<MatchedHook>): Promise<HookView | string | undefined> {
    const attributes = this.#attributes;
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

  async #judge(evaluation: {
    readonly policy: ValidatingPolicy;
    readonly binding: PolicyBinding;
    readonly view: HookView;
    readonly objects: ViewedObjects;
    readonly params: JsonObject | undefined;
    readonly annotations: Map<string, Set<string>>;
  }): Promise<void> {
    const { policy, binding, view, objects, params, annotations } = evaluation;
    const attributes = this.#attributes;
    const isNamespace = attributes.kind.group === '' && attributes.kind.kind === 'Namespace';
    const namespaceObject = isNamespace ? undefined : await attributes.namespaceObject();
    const input = new ExpressionInput(attributes, view, objects, { authorizer: this.#authorizer, namespaceObject });
    const { metrics } = this.#options;
    const started = metrics?.now() ?? 0;
    const verdict = await evaluatePolicy(policy, input, params, metrics && this.#observer(metrics, policy));
    const count = (message: string, action: PolicyAction): void =>
      metrics?.policyChecked(
        { policy: policy.name, binding: binding.name, milliseconds: metrics.now() - started, message },
        action,
      );
    for (const message of verdict.ignored) count(message, 'allow');
    for (const denial of verdict.denials) this.#deny(policy, binding, denial, count);
    for (const [key, value] of verdict.annotations) {
      const values = annotations.get(key) ?? new Set();
      annotations.set(key, values.add(value.slice(0, MAX_ANNOTATION)));
    }
    for (const message of verdict.annotationErrors) {
      count(message, 'deny');
      this.#refuse(policy, binding, message, '');
    }
  }

  #observer(metrics: HookMetrics, { name }: ValidatingPolicy): EvaluationObserver {
    const { operation } = this.#attributes;
    return {
      now: () => metrics.now(),
      conditions: (milliseconds, errors) =>
        metrics.conditionsEvaluated({ name, kind: 'policy', type: 'validate', operation }, milliseconds, errors),
    };
  }

  #deny(
    policy: ValidatingPolicy,
    binding: PolicyBinding,
    { index, message, reason }: Denial,
    count: (message: string, action: PolicyAction) => void,
  ): void {
    const attributes = this.#attributes;
    const { actions } = binding;
    for (const action of actions) {
      count(message, action.toLowerCase() as PolicyAction);
      if (action === 'Deny') this.#refuse(policy, binding, message, reason);
      else if (action === 'Warn')
        attributes.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
        );
      else if (action === 'Audit') {
        const failure = {
          message,
          policy: policy.name,
          binding: binding.name,
          expressionIndex: index,
          validationActions: [...actions],
        };
        attributes.annotate(FAILURE_KEY, writeJson([failure]));
      }
    }
  }

  #misconfigured(policy: ValidatingPolicy, binding: PolicyBinding | undefined, error: string): void {
    if (policy.ignoresFailures) return;
    const what = binding === undefined ? 'policy' : 'binding';
    this.#refuse(policy, binding, `failed to configure ${what}: ${error}`, '');
  }

  #refuse(policy: ValidatingPolicy, binding: PolicyBinding | undefined, message: string, reason: string): void {
    this.#refusal ??= policyRefusal(this.#attributes, { policy: policy.name, binding: binding?.name, message, reason });
  }
}
