/** The kinds of admissionregistration.k8s.io. Invariant: how they work is in `rules/admissionregistration/`. */

import { withWriteCheck } from '../../server/resource/checked-writes.ts';
import type { OpenResource } from '../../server/resource/open-resource.ts';
import type { ResourceDefinition, Strategy } from '../../server/resource/resource-definition.ts';
import type { ResourceStore } from '../../server/resource/resource-store.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import {
  validateMutatingBinding,
  validatePolicyStatus,
  validateValidatingBinding,
} from '../groups/admissionregistration/bindings.ts';
import {
  setAlphaBindingDefaults,
  setBindingDefaults,
  setMutatingWebhookDefaults,
  setPolicyDefaults,
  setValidatingWebhookDefaults,
} from '../groups/admissionregistration/defaults.ts';
import { bindingAccess, policyAccess } from '../groups/admissionregistration/parameter-access.ts';
import { validateMutatingPolicy, validateValidatingPolicy } from '../groups/admissionregistration/policies.ts';
import {
  mutatingPolicyTable,
  policyBindingTable,
  validatingPolicyTable,
  webhookTable,
} from '../groups/admissionregistration/tables.ts';
import {
  staticNameWarnings,
  validateWebhookConfiguration,
  validateWebhookConfigurationUpdate,
} from '../groups/admissionregistration/webhooks.ts';
import type { KubeContext, KubeResource } from '../kube-context.ts';
import { type BuiltInVersion, builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';
import { clearStatus, keepAllButStatus, keepStatus } from '../shared/object-fields.ts';

const GROUP = 'admissionregistration.k8s.io';
const CATEGORIES = ['api-extensions'];

export function admissionResources(): readonly KubeResource[] {
  return [
    { definition: VALIDATING_WEBHOOKS },
    { definition: MUTATING_WEBHOOKS },
    { definition: VALIDATING_POLICIES, wrapStore: guardPolicies },
    { definition: VALIDATING_POLICY_BINDINGS, wrapStore: guardBindingsOf(VALIDATING_POLICIES) },
    { definition: MUTATING_POLICIES, wrapStore: guardPolicies },
    { definition: MUTATING_POLICY_BINDINGS, wrapStore: guardBindingsOf(MUTATING_POLICIES) },
  ];
}

function guardPolicies(open: OpenResource, world: KubeContext): ResourceStore {
  return withWriteCheck(open.store, policyAccess(world));
}

function guardBindingsOf(policies: ResourceDefinition): NonNullable<KubeResource['wrapStore']> {
  return (open, world) => withWriteCheck(open.store, bindingAccess(world, policies.plural));
}

function version(options: Omit<BuiltInVersion, 'group'>): VersionDefinition {
  return builtInVersion({ group: GROUP, ...options });
}

/** All count generations and must be updated with a resourceVersion; all judge their metadata themselves. */
function strategy(own: Partial<Strategy>): Strategy {
  return builtInStrategy({
    allowUnconditionalUpdate: false,
    countsGeneration: true,
    validatesMetadata: true,
    warningsOnCreate: staticNameWarnings,
    warningsOnUpdate: staticNameWarnings,
    ...own,
  });
}

const WEBHOOK_STRATEGY: Strategy = strategy({
  validate: validateWebhookConfiguration,
  validateUpdate: validateWebhookConfigurationUpdate,
});

const VALIDATING_WEBHOOKS: ResourceDefinition = storedResource({
  plural: 'validatingwebhookconfigurations',
  categories: CATEGORIES,
  scope: 'Cluster',
  versions: [
    version({
      version: 'v1',
      kind: 'ValidatingWebhookConfiguration',
      setDefaults: setValidatingWebhookDefaults,
      table: webhookTable,
    }),
  ],
  strategy: WEBHOOK_STRATEGY,
});

const MUTATING_WEBHOOKS: ResourceDefinition = storedResource({
  plural: 'mutatingwebhookconfigurations',
  categories: CATEGORIES,
  scope: 'Cluster',
  versions: [
    version({
      version: 'v1',
      kind: 'MutatingWebhookConfiguration',
      setDefaults: setMutatingWebhookDefaults,
      table: webhookTable,
    }),
  ],
  strategy: WEBHOOK_STRATEGY,
});

const VALIDATING_POLICY_STRATEGY: Strategy = strategy({
  prepareForCreate: clearStatus,
  validate: (policy) => validateValidatingPolicy(policy),
  prepareForUpdate: keepStatus,
  validateUpdate: validateValidatingPolicy,
});

const VALIDATING_POLICIES: ResourceDefinition = storedResource({
  plural: 'validatingadmissionpolicies',
  categories: CATEGORIES,
  scope: 'Cluster',
  versions: [
    version({
      version: 'v1',
      kind: 'ValidatingAdmissionPolicy',
      setDefaults: setPolicyDefaults,
      table: validatingPolicyTable,
    }),
  ],
  strategy: VALIDATING_POLICY_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...VALIDATING_POLICY_STRATEGY,
      prepareForUpdate: keepAllButStatus,
      validateUpdate: validatePolicyStatus,
    }),
  ],
});

const VALIDATING_POLICY_BINDINGS: ResourceDefinition = storedResource({
  plural: 'validatingadmissionpolicybindings',
  categories: CATEGORIES,
  scope: 'Cluster',
  versions: [
    version({
      version: 'v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      setDefaults: setBindingDefaults,
      table: policyBindingTable,
    }),
  ],
  strategy: strategy({ validate: validateValidatingBinding, validateUpdate: validateValidatingBinding }),
});

interface MutatingKind {
  readonly plural: string;
  readonly kind: string;
  readonly table: NonNullable<BuiltInVersion['table']>;
  readonly setDefaults: NonNullable<BuiltInVersion['setDefaults']>;
  readonly setAlphaDefaults: NonNullable<BuiltInVersion['setDefaults']>;
  readonly strategy: Strategy;
}

/** Stored as v1beta1, as the reference does for one release more; the versions differ in their type fields alone. */
function mutatingKind({
  plural,
  kind,
  table,
  setDefaults,
  setAlphaDefaults,
  strategy,
}: MutatingKind): ResourceDefinition {
  const beta = version({ version: 'v1beta1', kind, setDefaults, table });
  const alpha = version({ version: 'v1alpha1', kind, setDefaults: setAlphaDefaults, table });
  return {
    ...storedResource({
      plural,
      categories: CATEGORIES,
      scope: 'Cluster',
      versions: [version({ version: 'v1', kind, setDefaults, table }), beta, alpha],
      strategy,
    }),
    storageVersion: beta,
  };
}

const MUTATING_POLICIES: ResourceDefinition = mutatingKind({
  plural: 'mutatingadmissionpolicies',
  kind: 'MutatingAdmissionPolicy',
  table: mutatingPolicyTable,
  setDefaults: setPolicyDefaults,
  setAlphaDefaults: setPolicyDefaults,
  strategy: strategy({ validate: (policy) => validateMutatingPolicy(policy), validateUpdate: validateMutatingPolicy }),
});

const MUTATING_POLICY_BINDINGS: ResourceDefinition = mutatingKind({
  plural: 'mutatingadmissionpolicybindings',
  kind: 'MutatingAdmissionPolicyBinding',
  table: policyBindingTable,
  setDefaults: setBindingDefaults,
  setAlphaDefaults: setAlphaBindingDefaults,
  strategy: strategy({ validate: validateMutatingBinding, validateUpdate: validateMutatingBinding }),
});
