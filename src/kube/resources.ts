/**
 * What the middle server stores and serves: one table, a resource an entry. Invariant: everything that is special about a kind stands here by name; how it works is in
 * `rules/`.
 */
import { nameIsPathSegment } from '../apimachinery/validation/name-rules.ts';
import type { ResourceDefinition, Strategy, SubresourceDefinition } from '../server/registry/definition.ts';
import { builtInStrategy, builtInVersion, storedResource } from './built-in.ts';
import { RBAC_GROUP } from './rbac/policy.ts';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateClusterRoleUpdate,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
  validateRoleUpdate,
} from './rbac/validate.ts';
import { configMapTable, validateConfigMap, validateConfigMapUpdate } from './rules/config-map.ts';
import { isCoreEvent, validateEvent, validateEventUpdate } from './rules/event.ts';
import { eventFromCore, eventToCore } from './rules/event-conversion.ts';
import { EVENT_FIELD_SOURCES, EVENT_FIELDS, EVENTS_EVENT_FIELDS } from './rules/event-fields.ts';
import { coreEventTable, eventsEventTable } from './rules/event-table.ts';
import {
  leaseTable,
  prepareLeaseForCreate,
  prepareLeaseForUpdate,
  validateLease,
  validateLeaseUpdate,
} from './rules/lease.ts';
import {
  canonicalizeNamespace,
  namespaceIsHeld,
  namespaceTable,
  prepareNamespaceFinalizeForUpdate,
  prepareNamespaceForCreate,
  prepareNamespaceForDeletion,
  prepareNamespaceForUpdate,
  prepareNamespaceStatusForUpdate,
  setNamespaceDefaults,
  validateNamespace,
  validateNamespaceFinalizeUpdate,
  validateNamespaceStatusUpdate,
  validateNamespaceUpdate,
} from './rules/namespace.ts';
import { bindingTable, roleTable, setBindingDefaults } from './rules/rbac.ts';
import {
  prepareSecretForUpdate,
  secretTable,
  secretWarnings,
  setSecretDefaults,
  validateSecret,
  validateSecretUpdate,
} from './rules/secret.ts';
import {
  cleanSecretReferences,
  serviceAccountTable,
  serviceAccountWarnings,
  validateServiceAccount,
  validateServiceAccountUpdate,
} from './rules/service-account.ts';
import { updateSubresource } from './subresources.ts';

export interface KubeResourceOptions {
  /** `--event-ttl`. */
  readonly eventTtlSeconds: number;
  /** The subresource `token` of ServiceAccounts. */
  readonly token: SubresourceDefinition;
}

/** The name rule that every kind gets after its own validation, as in the reference. */
const COMMON = { nameRule: nameIsPathSegment };

export function storedResources(options: KubeResourceOptions): readonly ResourceDefinition[] {
  return [
    NAMESPACES,
    CONFIG_MAPS,
    SECRETS,
    serviceAccounts(options.token),
    events(options.eventTtlSeconds),
    LEASES,
    ROLES,
    ROLE_BINDINGS,
    CLUSTER_ROLES,
    CLUSTER_ROLE_BINDINGS,
  ];
}

// ── core/v1 ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const NAMESPACE_STRATEGY: Strategy = builtInStrategy({
  ...COMMON,
  prepareForCreate: prepareNamespaceForCreate,
  validate: validateNamespace,
  prepareForUpdate: prepareNamespaceForUpdate,
  validateUpdate: validateNamespaceUpdate,
  canonicalize: canonicalizeNamespace,
  holdsDeletion: namespaceIsHeld,
  prepareForDeletion: prepareNamespaceForDeletion,
  returnsDeletedObject: true,
});

export const NAMESPACES: ResourceDefinition = storedResource({
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  isNamespaces: true,
  versions: [
    builtInVersion({
      group: '',
      version: 'v1',
      kind: 'Namespace',
      setDefaults: setNamespaceDefaults,
      table: namespaceTable,
      selectableFields: ['status.phase'],
    }),
  ],
  strategy: NAMESPACE_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...NAMESPACE_STRATEGY,
      prepareForUpdate: prepareNamespaceStatusForUpdate,
      validateUpdate: validateNamespaceStatusUpdate,
    }),
    updateSubresource(
      'finalize',
      {
        ...NAMESPACE_STRATEGY,
        prepareForUpdate: prepareNamespaceFinalizeForUpdate,
        validateUpdate: validateNamespaceFinalizeUpdate,
      },
      { readable: false },
    ),
  ],
});

export const CONFIG_MAPS: ResourceDefinition = storedResource({
  plural: 'configmaps',
  shortNames: ['cm'],
  scope: 'Namespaced',
  versions: [builtInVersion({ group: '', version: 'v1', kind: 'ConfigMap', table: configMapTable })],
  strategy: builtInStrategy({
    ...COMMON,
    validate: validateConfigMap,
    validatesMetadata: true,
    validateUpdate: validateConfigMapUpdate,
  }),
});

export const SECRETS: ResourceDefinition = storedResource({
  plural: 'secrets',
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      group: '',
      version: 'v1',
      kind: 'Secret',
      setDefaults: setSecretDefaults,
      table: secretTable,
      selectableFields: ['type'],
    }),
  ],
  strategy: builtInStrategy({
    ...COMMON,
    validate: validateSecret,
    validatesMetadata: true,
    warningsOnCreate: secretWarnings,
    prepareForUpdate: prepareSecretForUpdate,
    validateUpdate: validateSecretUpdate,
    warningsOnUpdate: secretWarnings,
  }),
});

function serviceAccounts(token: SubresourceDefinition): ResourceDefinition {
  return storedResource({
    plural: 'serviceaccounts',
    shortNames: ['sa'],
    scope: 'Namespaced',
    versions: [builtInVersion({ group: '', version: 'v1', kind: 'ServiceAccount', table: serviceAccountTable })],
    strategy: builtInStrategy({
      ...COMMON,
      prepareForCreate: cleanSecretReferences,
      validate: validateServiceAccount,
      warningsOnCreate: (object) => serviceAccountWarnings(object, undefined),
      prepareForUpdate: cleanSecretReferences,
      validateUpdate: validateServiceAccountUpdate,
      warningsOnUpdate: serviceAccountWarnings,
      returnsDeletedObject: true,
    }),
    subresources: [token],
  });
}

/** In two groups, stored as core v1. */
function events(ttlSeconds: number): ResourceDefinition {
  return storedResource({
    plural: 'events',
    shortNames: ['ev'],
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: '',
        version: 'v1',
        kind: 'Event',
        table: coreEventTable,
        selectableFields: EVENT_FIELDS,
        fieldSources: EVENT_FIELD_SOURCES,
      }),
      builtInVersion({
        group: 'events.k8s.io',
        version: 'v1',
        kind: 'Event',
        table: eventsEventTable,
        selectableFields: EVENTS_EVENT_FIELDS,
      }),
    ],
    convert: (objects, _from, to) => objects.map(isCoreEvent(to) ? eventToCore : eventFromCore),
    strategy: builtInStrategy({
      ...COMMON,
      allowCreateOnUpdate: true,
      validate: (event, { version }) => validateEvent(event, version),
      validateUpdate: (event, old, { version }) => validateEventUpdate(event, old, version),
      defaultGarbageCollection: 'unsupported',
      ttlSeconds: () => ttlSeconds,
    }),
  });
}

// ── coordination.k8s.io/v1 ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export const LEASES: ResourceDefinition = storedResource({
  plural: 'leases',
  scope: 'Namespaced',
  versions: [builtInVersion({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', table: leaseTable })],
  strategy: builtInStrategy({
    ...COMMON,
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: true,
    prepareForCreate: prepareLeaseForCreate,
    validate: validateLease,
    prepareForUpdate: prepareLeaseForUpdate,
    validateUpdate: validateLeaseUpdate,
  }),
});

// ── rbac.authorization.k8s.io/v1 ───────────────────────────────────────────────────────────────────────────────────────────────────

const RBAC = { group: RBAC_GROUP, version: 'v1' } as const;
const RBAC_STRATEGY = { ...COMMON, allowCreateOnUpdate: true } as const;

export const ROLES: ResourceDefinition = storedResource({
  plural: 'roles',
  scope: 'Namespaced',
  versions: [builtInVersion({ ...RBAC, kind: 'Role', table: roleTable })],
  strategy: builtInStrategy({ ...RBAC_STRATEGY, validate: validateRole, validateUpdate: validateRoleUpdate }),
});

export const CLUSTER_ROLES: ResourceDefinition = storedResource({
  plural: 'clusterroles',
  scope: 'Cluster',
  versions: [builtInVersion({ ...RBAC, kind: 'ClusterRole', table: roleTable })],
  strategy: builtInStrategy({
    ...RBAC_STRATEGY,
    validate: validateClusterRole,
    validateUpdate: validateClusterRoleUpdate,
  }),
});

export const ROLE_BINDINGS: ResourceDefinition = storedResource({
  plural: 'rolebindings',
  scope: 'Namespaced',
  versions: [builtInVersion({ ...RBAC, kind: 'RoleBinding', setDefaults: setBindingDefaults, table: bindingTable })],
  strategy: builtInStrategy({
    ...RBAC_STRATEGY,
    validate: validateRoleBinding,
    validateUpdate: validateRoleBindingUpdate,
  }),
});

export const CLUSTER_ROLE_BINDINGS: ResourceDefinition = storedResource({
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  versions: [
    builtInVersion({ ...RBAC, kind: 'ClusterRoleBinding', setDefaults: setBindingDefaults, table: bindingTable }),
  ],
  strategy: builtInStrategy({
    ...RBAC_STRATEGY,
    validate: validateClusterRoleBinding,
    validateUpdate: validateClusterRoleBindingUpdate,
  }),
});
