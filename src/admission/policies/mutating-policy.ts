/** A MutatingAdmissionPolicy, compiled for matching and evaluation. */
import { objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { APPLIED_OBJECT, type ExpressionScope, PATCH_LIST } from '../expression-compiler.ts';
import { type Bound, compileParts, type PolicyExpression, type PolicyParts } from './policy.ts';

export interface PolicyMutation extends PolicyExpression {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
}

/** A policy without its bindings. */
export interface CompiledMutatingPolicy extends PolicyParts {
  readonly mutations: readonly PolicyMutation[];
  /** Whether it is evaluated again after a later change of the object: `reinvocationPolicy: IfNeeded`. */
  readonly reinvocable: boolean;
}

export type MutatingPolicy = Bound<CompiledMutatingPolicy>;

/** Compiles a stored policy. Its expressions were compiled before when it was written. */
export function compileMutatingPolicy(policy: JsonObject): CompiledMutatingPolicy {
  const spec = objectAt(policy, 'spec') ?? {};
  const { parts, compiler } = compileParts(policy);
  const scope: ExpressionScope = { ...parts.scope, patches: true };
  const mutations = objectsAt(spec, 'mutations').map((mutation): PolicyMutation => {
    const isPatch = textAt(mutation, 'patchType') === 'JSONPatch';
    const source = textAt(mutation, isPatch ? 'jsonPatch' : 'applyConfiguration', 'expression');
    const compiled = compiler.compile(source, scope, [isPatch ? PATCH_LIST : APPLIED_OBJECT]);
    return { patchType: isPatch ? 'JSONPatch' : 'ApplyConfiguration', source, compiled };
  });
  return { ...parts, mutations, reinvocable: textAt(spec, 'reinvocationPolicy') === 'IfNeeded' };
}
