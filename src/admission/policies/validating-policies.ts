/** The plugin ValidatingAdmissionPolicy. */
import type { StatusError } from '../../apimachinery/status/status.ts';
import { writeJson } from '../../base/json-write.ts';
import type { DeferredAuthorizer } from '../../cel/libraries/deferred-authorizer.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import type { HookMetrics } from '../hook-metrics.ts';
import { ExpressionInput, requestAuthorizer, type ViewedObjects, viewedObjects } from '../matching/expression-input.ts';
import { HookDispatcher } from '../matching/hook-dispatcher.ts';
import type { Candidate } from '../matching/match-index.ts';
import { boundPolicies, manifestPolicies } from './bound-policies.ts';
import { type Denial, evaluatePolicy } from './evaluate-policy.ts';
import {
  exemptionOf,
  type Misconfiguration,
  matchPolicy,
  misconfiguration,
  type PolicyInvocation,
  type PolicyPluginOptions,
} from './match-policy.ts';
import { compilePolicy, type PolicyBinding, type ValidatingPolicy } from './policy.ts';
import { conditionObserver } from './policy-expressions.ts';
import { policyRefusal } from './policy-refusal.ts';

/** Longer values of audit annotations are cut. */
const MAX_ANNOTATION = 10 * 1024;
const FAILURE_KEY = 'validation.policy.admission.k8s.io/validation_failure';

export function validatingAdmissionPolicy(options: PolicyPluginOptions): AdmissionPlugin {
  const { policies, bindings, manifests } = options;
  const dispatcher = new HookDispatcher<ValidatingPolicy>({
    listers: [policies, bindings],
    hooks: boundPolicies(policies, bindings, compilePolicy),
    manifests: manifests && manifestPolicies(manifests, 'ValidatingAdmissionPolicy', compilePolicy),
    exemptionOf,
    dispatch: (attributes, candidates) => new ValidatingRun(options, attributes).run(candidates),
  });
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: () => true,
    validate: (attributes) => dispatcher.run(attributes),
  };
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
    const annotations = new Map<string, Set<string>>();
    let objects: ViewedObjects | undefined;
    for (const match of await matchPolicy(this.#attributes, this.#options.params, candidate)) {
      if ('error' in match) {
        this.#misconfigured(policy, match);
        continue;
      }
      objects ??= await viewedObjects(this.#attributes, match.view);
      await this.#evaluateInvocation(match, objects, annotations);
    }
    for (const [key, values] of annotations) this.#attributes.annotate(`${policy.name}/${key}`, [...values].join(', '));
  }

  async #evaluateInvocation(
    { policy, binding, view, params }: PolicyInvocation<ValidatingPolicy>,
    objects: ViewedObjects,
    annotations: Map<string, Set<string>>,
  ): Promise<void> {
    const attributes = this.#attributes;
    const isNamespace = attributes.kind.group === '' && attributes.kind.kind === 'Namespace';
    const namespaceObject = isNamespace ? undefined : await attributes.namespaceObject();
    const input = new ExpressionInput(attributes, view, objects, { authorizer: this.#authorizer, namespaceObject });
    const { metrics } = this.#options;
    const started = metrics?.now() ?? 0;
    const observer = conditionObserver(metrics, policy, attributes.operation);
    const verdict = await evaluatePolicy(policy, input, params, observer);
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

  #misconfigured(policy: ValidatingPolicy, { binding, error }: Misconfiguration): void {
    if (policy.ignoresFailures) return;
    this.#refuse(policy, binding, misconfiguration(binding, error), '');
  }

  #refuse(policy: ValidatingPolicy, binding: PolicyBinding | undefined, message: string, reason: string): void {
    this.#refusal ??= policyRefusal(this.#attributes, { policy: policy.name, binding: binding?.name, message, reason });
  }
}
