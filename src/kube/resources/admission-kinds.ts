/** The kinds of admissionregistration.k8s.io. Invariant: how they work is in `rules/admissionregistration/`. */
import type { ResourceDefinition, Strategy } from '../../server/registry/definition.ts';
import type { VersionDefinition } from '../../server/registry/version-definition.ts';
import { type BuiltInVersion, builtInStrategy, builtInVersion, storedResource } from '../built-in.ts';
import type { KubeResource } from '../kube-world.ts';
import { clearStatus, keepAllButStatus, keepStatus } from '../object-fields.ts';
import {
  setAlphaBindingDefaults,
  setBindingDefaults,
  setMutatingWebhookDefaults,
  setPolicyDefaults,
  setValidatingWebhookDefaults,
} from '../rules/admissionregistration/defaults.ts';
import {
  mutatingPolicyTable,
  policyBindingTable,
  validatingPolicyTable,
  webhookTable,
} from '../rules/admissionregistration/tables.ts';
import { updateSubresource } from '../subresources.ts';

const GROUP = 'admissionregistration.k8s.io';
const CATEGORIES = ['api-extensions'];

export function admissionResources(): readonly KubeResource[] {
  return [
    { definition: VALIDATING_WEBHOOKS },
    { definition: MUTATING_WEBHOOKS },
    { definition: VALIDATING_POLICIES },
    { definition: VALIDATING_POLICY_BINDINGS },
    { definition: MUTATING_POLICIES },
    { definition: MUTATING_POLICY_BINDINGS },
  ];
}

function version(options: Omit<BuiltInVersion, 'group'>): VersionDefinition {
  return builtInVersion({ group: GROUP, ...options });
}

/** All count generations and must be updated with a resourceVersion. */
function strategy(own: Partial<Strategy>): Strategy {
  return builtInStrategy({ allowUnconditionalUpdate: false, countsGeneration: true, ...own });
}

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
  strategy: strategy({}),
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
  strategy: strategy({}),
});

const VALIDATING_POLICY_STRATEGY: Strategy = strategy({
  prepareForCreate: clearStatus,
  prepareForUpdate: keepStatus,
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
  subresources: [updateSubresource('status', { ...VALIDATING_POLICY_STRATEGY, prepareForUpdate: keepAllButStatus })],
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
  strategy: strategy({}),
});

/** Stored as v1beta1, as the reference does for one release more; alpha is deprecated since then. The versions differ in their type fields alone. */
function mutatingKind(
  plural: string,
  kind: string,
  alpha: Setter,
  set: Setter,
  table: BuiltInVersion['table'],
): ResourceDefinition {
  const shown = table === undefined ? {} : { table };
  const beta = version({ version: 'v1beta1', kind, setDefaults: set, ...shown });
  return {
    ...storedResource({
      plural,
      categories: CATEGORIES,
      scope: 'Cluster',
      versions: [
        version({ version: 'v1', kind, setDefaults: set, ...shown }),
        beta,
        {
          ...version({ version: 'v1alpha1', kind, setDefaults: alpha, ...shown }),
          deprecationWarning: `${GROUP}/v1alpha1 ${kind} is deprecated in v1.35+, unavailable in v1.38+`,
        },
      ],
      strategy: strategy({}),
    }),
    storageVersion: beta,
  };
}

type Setter = NonNullable<BuiltInVersion['setDefaults']>;

const MUTATING_POLICIES: ResourceDefinition = mutatingKind(
  'mutatingadmissionpolicies',
  'MutatingAdmissionPolicy',
  setPolicyDefaults,
  setPolicyDefaults,
  mutatingPolicyTable,
);

const MUTATING_POLICY_BINDINGS: ResourceDefinition = mutatingKind(
  'mutatingadmissionpolicybindings',
  'MutatingAdmissionPolicyBinding',
  setAlphaBindingDefaults,
  setBindingDefaults,
  policyBindingTable,
);
