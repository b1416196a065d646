/**
 * The policies of all configurations with their bindings, as an index for requests. A policy without a binding does
 * nothing and is not in it.
 * Invariant: a policy or binding counts from the request after its write was answered. It is compiled once per change.
 */
import { nameOf } from '../../apimachinery/meta/meta.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Lister } from '../../server/own/lister.ts';
import { MatchIndex } from '../matching/match-index.ts';
import { compileBinding, compilePolicy, type PolicyBinding, policyNameOf, type ValidatingPolicy } from './policy.ts';

export class PolicySource {
  readonly #policies: Lister;
  readonly #bindings: Lister;
  readonly #compiledPolicies = new WeakMap<JsonObject, ValidatingPolicy>();
  readonly #compiledBindings = new WeakMap<JsonObject, PolicyBinding>();
  #index: MatchIndex<ValidatingPolicy> | undefined;

  /** The listers start at the first request. */
  constructor(policies: Lister, bindings: Lister) {
    this.#policies = policies;
    this.#bindings = bindings;
    for (const lister of [policies, bindings])
      lister.subscribe(() => {
        this.#index = undefined;
      });
  }

  /** Returns the index of the present policies. Usually synchronous. */
  current(): MaybePromise<MatchIndex<ValidatingPolicy>> {
    const first = this.#policies.fresh();
    const second = this.#bindings.fresh();
    if (!isPromise(first) && !isPromise(second)) return this.#made();
    return Promise.all([first, second]).then(() => this.#made());
  }

  #made(): MatchIndex<ValidatingPolicy> {
    this.#index ??= new MatchIndex(this.#compile());
    return this.#index;
  }

  /** Policies are ordered by name. The order in kube-apiserver is random. */
  #compile(): readonly ValidatingPolicy[] {
    const bound = new Map<string, PolicyBinding[]>();
    for (const binding of this.#bindings.list()) {
      const name = policyNameOf(binding);
      bound.set(name, [...(bound.get(name) ?? []), this.#bindingOf(binding)]);
    }
    return this.#policies.list().flatMap((policy) => {
      const bindings = bound.get(nameOf(policy));
      return bindings === undefined ? [] : [this.#policyOf(policy, bindings)];
    });
  }

  #policyOf(policy: JsonObject, bindings: readonly PolicyBinding[]): ValidatingPolicy {
    const known = this.#compiledPolicies.get(policy);
    const compiled = known === undefined ? compilePolicy(policy, bindings) : { ...known, bindings };
    this.#compiledPolicies.set(policy, compiled);
    return compiled;
  }

  #bindingOf(binding: JsonObject): PolicyBinding {
    let compiled = this.#compiledBindings.get(binding);
    if (compiled === undefined) {
      compiled = compileBinding(binding);
      this.#compiledBindings.set(binding, compiled);
    }
    return compiled;
  }
}
