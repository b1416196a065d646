/** The policies that have a binding. A policy without one does nothing. */
import { nameOf } from '../../apimachinery/meta/meta.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Lister } from '../../server/own/lister.ts';
import { compiledOnce } from '../matching/hook-dispatcher.ts';
import { type Bound, compileBinding, type PolicyBinding, type PolicyParts, policyNameOf } from './policy.ts';

/** Returns a function that compiles the present policies, by name. The order in kube-apiserver is random. */
export function boundPolicies<P extends PolicyParts>(
  policies: Lister,
  bindings: Lister,
  compile: (policy: JsonObject) => P,
): () => readonly Bound<P>[] {
  const policyOf = compiledOnce(compile);
  const bindingOf = compiledOnce(compileBinding);
  return () => {
    const bound = new Map<string, PolicyBinding[]>();
    for (const binding of bindings.list()) {
      const name = policyNameOf(binding);
      bound.set(name, [...(bound.get(name) ?? []), bindingOf(binding)]);
    }
    return policies.list().flatMap((policy) => {
      const its = bound.get(nameOf(policy));
      return its === undefined ? [] : [{ ...policyOf(policy), bindings: its }];
    });
  };
}
