/**
 * The loop of the status of ValidatingAdmissionPolicies: writes the warnings of type checking, once per generation, by
 * server-side apply as the manager `validatingadmissionpolicy-status-controller`.
 */
import { ValidatingAdmissionPolicy } from '../kinds/api/admissionregistration/v1.ts';
import { KeyedLoop } from './keyed-loop.ts';
import type { LoopDefinition } from './loop.ts';

const NAME = 'validatingadmissionpolicy-status-controller';

export const policyStatusLoop: LoopDefinition = {
  name: NAME,
  serviceAccount: NAME,
  start: (context) => {
    const policies = context.informers.informer(ValidatingAdmissionPolicy);
    const api = context.client.api(ValidatingAdmissionPolicy);
    const loop = new KeyedLoop(context);
    loop.follow(policies, ({ metadata }) => [metadata.name]);
    return loop.start(context, {
      failure: 'cannot check the types of a ValidatingAdmissionPolicy, retrying',
      sync: async (name) => {
        const policy = policies.store.get(name);
        const generation = policy?.metadata.generation ?? 0;
        if (policy === undefined || generation <= (policy.status?.observedGeneration ?? 0)) return;
        const warnings = await context.policyTypes.check(policy);
        const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings.map((one) => ({ ...one })) };
        await api.apply(
          { metadata: { name }, status: { observedGeneration: generation, typeChecking } },
          { fieldManager: NAME, force: true, subresource: 'status' },
        );
      },
    });
  },
};
