/** The policies that have a binding. A policy without one does nothing. */
import { nameOf } from '../../apimachinery/meta/meta.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { ManifestObjects, ManifestPlugin } from '../manifests/manifest-objects.ts';
import { compiledOnce, type ManifestHooks } from '../matching/hook-dispatcher.ts';
import { type Bound, compileBinding, type PolicyBinding, type PolicyParts, policyNameOf } from './policy.ts';

/** Returns a function that compiles the present policies, by name. The order in kube-apiserver is random. */
export function boundPolicies<P extends PolicyParts>(
  policies: Pick<Lister, 'list'>,
  bindings: Pick<Lister, 'list'>,
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

/** Returns the policies of manifest files with their bindings, which are in the same files. */
export function manifestPolicies<P extends PolicyParts>(
  manifests: ManifestObjects,
  kind: ManifestPlugin & `${string}Policy`,
  compile: (policy: JsonObject) => P,
): ManifestHooks<Bound<P>> {
  return {
    hooks: boundPolicies(
      { list: () => manifests.list(kind) },
      { list: () => manifests.list(`${kind}Binding`) },
      compile,
    ),
    onChange: (listener) => manifests.onChange(listener),
  };
}
