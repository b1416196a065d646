/**
 * The plugin MutatingAdmissionPolicy. Policies are evaluated by name, each for its bindings and their parameters,
 * before mutating webhooks are called. Each mutation sees the changes of those before it.
 *
 * A mutation that is applied makes the whole chain run once more. In that second run a policy is evaluated only if it
 * was evaluated before and has `reinvocationPolicy: IfNeeded`.
 */
import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { notFound } from '../../apimachinery/status/status-catalogue.ts';
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { DeferredAuthorizer } from '../../cel/libraries/deferred-authorizer.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { requestAuthorizer } from '../matching/expression-input.ts';
import { HookDispatcher } from '../matching/hook-dispatcher.ts';
import type { Candidate } from '../matching/match-index.ts';
import { Reinvocation } from '../reinvocation.ts';
import { boundPolicies, manifestPolicies } from './bound-policies.ts';
import { evaluateMutation, type MutationInput, mutationExpressions } from './evaluate-mutation.ts';
import {
  exemptionOf,
  type Misconfiguration,
  matchPolicy,
  misconfiguration,
  type PolicyInvocation,
  type PolicyPluginOptions,
} from './match-policy.ts';
import { compileMutatingPolicy, type MutatingPolicy } from './mutating-policy.ts';
import type { PolicyBinding } from './policy.ts';
import { conditionObserver } from './policy-expressions.ts';
import { mutationRefusal, type PolicyDenial } from './policy-refusal.ts';
import { ViewedObject } from './viewed-object.ts';

export function mutatingAdmissionPolicy(options: PolicyPluginOptions): AdmissionPlugin {
  const { policies, bindings, manifests } = options;
  const dispatcher = new HookDispatcher<MutatingPolicy>({
    listers: [policies, bindings],
    hooks: boundPolicies(policies, bindings, compileMutatingPolicy),
    manifests: manifests && manifestPolicies(manifests, 'MutatingAdmissionPolicy', compileMutatingPolicy),
    exemptionOf,
    dispatch: (attributes, candidates) => new MutatingRun(options, attributes).run(candidates),
  });
  return {
    name: 'MutatingAdmissionPolicy',
    handles: (operation) => operation !== 'DELETE',
    admit: (attributes) => dispatcher.run(attributes),
  };
}

type Invocation = PolicyInvocation<MutatingPolicy>;

/** The key of the state in attributes. */
const REINVOCATION = {};

/** One run over the policies of one request. */
class MutatingRun {
  readonly #options: PolicyPluginOptions;
  readonly #attributes: AdmissionAttributes;
  readonly #authorizer: DeferredAuthorizer;
  readonly #reinvocation: Reinvocation;
  readonly #isSecond: boolean;
  readonly #denials: PolicyDenial[] = [];
  readonly #object: ViewedObject;

  constructor(options: PolicyPluginOptions, attributes: AdmissionAttributes) {
    this.#options = options;
    this.#attributes = attributes;
    this.#authorizer = requestAuthorizer(options.authorizer, attributes.user);
    this.#reinvocation = attributes.state(REINVOCATION, () => new Reinvocation());
    this.#isSecond = attributes.reinvocation === 'running';
    this.#object = new ViewedObject(attributes);
  }

  /** Evaluates the policies. All of them are matched before the first one changes the object. */
  async run(candidates: readonly Candidate<MutatingPolicy>[]): Promise<void> {
    const invocations: Invocation[] = [];
    for (const candidate of candidates) await this.#match(candidate, invocations);
    if (invocations.length > 0) await this.#mutate(invocations);
    const [first, ...others] = this.#denials;
    if (first !== undefined) throw mutationRefusal(this.#attributes, [first, ...others]);
  }

  async #match(candidate: Candidate<MutatingPolicy>, invocations: Invocation[]): Promise<void> {
    for (const match of await matchPolicy(this.#attributes, this.#options.params, candidate))
      if ('error' in match) this.#misconfigured(candidate.hook, match);
      else invocations.push(match);
  }

  async #mutate(invocations: readonly Invocation[]): Promise<void> {
    const attributes = this.#attributes;
    if (this.#isSecond) this.#reinvocation.beginSecondRun(attributes.object);
    const namespaceObject = await this.#namespaceObject();
    for (const invocation of invocations) await this.#invoke(invocation, namespaceObject);
    if (await this.#object.store()) {
      this.#reinvocation.objectChanged();
      if (!this.#isSecond) attributes.reinvocation = 'wanted';
    }
    if (!this.#isSecond) this.#reinvocation.endFirstRun(attributes.object);
  }

  /** Undefined for a cluster-scoped request. Throws the 404 of a namespace that does not exist. */
  async #namespaceObject(): Promise<JsonObject | undefined> {
    const { kind, namespace } = this.#attributes;
    const isNamespace = kind.group === '' && kind.kind === 'Namespace';
    if (namespace === '' || isNamespace) return undefined;
    const found = await this.#attributes.namespaceObject();
    if (found === undefined) throw new StatusError(notFound({ group: '', resource: 'namespaces' }, namespace));
    return found;
  }

  async #invoke(invocation: Invocation, namespaceObject: JsonObject | undefined): Promise<void> {
    const { policy, binding } = invocation;
    const input = this.#input(invocation, namespaceObject);
    const { metrics } = this.#options;
    const observer = conditionObserver(metrics, policy, this.#attributes.operation);
    const holds = await (await mutationExpressions(input)).conditionsHold(observer);
    if (typeof holds === 'string') this.#deny(policy, binding, holds);
    if (holds !== true) return;
    const id = idOf(invocation);
    if (this.#isSecond && !this.#reinvocation.isRequired(id)) return;
    for (const mutation of policy.mutations) {
      const started = metrics?.now() ?? 0;
      const count = (message: string): void =>
        metrics?.mutationChecked({
          policy: policy.name,
          binding: binding.name,
          milliseconds: metrics.now() - started,
          message,
        });
      const result = await evaluateMutation(mutation, input).catch((caught: unknown) => {
        count(toError(caught).message);
        throw caught;
      });
      if (result === undefined) break;
      count('error' in result ? result.error : '');
      if ('error' in result) this.#deny(policy, binding, result.error);
      else this.#object.replace(result.object);
    }
    if (policy.reinvocable) this.#reinvocation.wasInvoked(id);
  }

  #input({ policy, params, view }: Invocation, namespaceObject: JsonObject | undefined): MutationInput {
    const parts = { authorizer: this.#authorizer, namespaceObject };
    return { attributes: this.#attributes, policy, params, view, object: this.#object, parts };
  }

  #misconfigured(policy: MutatingPolicy, { binding, error }: Misconfiguration): void {
    if (policy.ignoresFailures) return;
    const message = misconfiguration(binding, error);
    this.#denials.push({ policy: policy.name, binding: binding?.name, message, reason: 'Forbidden' });
  }

  #deny(policy: MutatingPolicy, binding: PolicyBinding, message: string): void {
    if (policy.ignoresFailures) return;
    this.#denials.push({ policy: policy.name, binding: binding.name, message, reason: 'Invalid' });
  }
}

/** Returns an id of the invocation. The separator occurs in no name. */
function idOf({ policy, binding, params }: Invocation): string {
  const parameter = params === undefined ? '' : `${namespaceOf(params)}/${nameOf(params)}`;
  return `${policy.name} ${binding.name} ${parameter}`;
}
