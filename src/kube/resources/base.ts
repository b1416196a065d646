/** The kinds that every server needs: namespaces, configuration, accounts, events, leases. Invariant: how they work is in `rules/`. */
import type { ResourceDefinition, Strategy, SubresourceDefinition } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import {
  leaseTable,
  prepareLeaseForCreate,
  prepareLeaseForUpdate,
  validateLease,
  validateLeaseUpdate,
} from '../groups/coordination/lease.ts';
import { isCoreEvent, validateEvent, validateEventUpdate } from '../groups/core/event.ts';
import { eventFromCore, eventToCore } from '../groups/core/event-conversion.ts';
import { EVENT_FIELD_SOURCES, EVENT_FIELDS, EVENTS_EVENT_FIELDS } from '../groups/core/event-fields.ts';
import { coreEventTable, eventsEventTable } from '../groups/core/event-table.ts';
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
} from '../groups/core/namespace.ts';
import { frontNamespaces } from '../groups/core/namespace-store.ts';
import {
  cleanSecretReferences,
  serviceAccountTable,
  serviceAccountWarnings,
  validateServiceAccount,
  validateServiceAccountUpdate,
} from '../groups/core/service-account.ts';
import type { KubeResource } from '../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';

export interface BaseResourceOptions {
  /** `--event-ttl`. */
  readonly eventTtlSeconds: number;
  /** The subresource `token` of ServiceAccounts. */
  readonly token: SubresourceDefinition;
}

export function baseResources(options: BaseResourceOptions): readonly KubeResource[] {
  return [
    { definition: NAMESPACES, wrapStore: frontNamespaces },
    { definition: serviceAccounts(options.token) },
    { definition: events(options.eventTtlSeconds) },
    { definition: LEASES },
  ];
}

const NAMESPACE_STRATEGY: Strategy = builtInStrategy({
  prepareForCreate: prepareNamespaceForCreate,
  validate: validateNamespace,
  prepareForUpdate: prepareNamespaceForUpdate,
  validateUpdate: validateNamespaceUpdate,
  canonicalize: canonicalizeNamespace,
  holdsDeletion: namespaceIsHeld,
  prepareForDeletion: prepareNamespaceForDeletion,
  returnsDeletedObject: true,
});

const NAMESPACES: ResourceDefinition = storedResource({
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

function serviceAccounts(token: SubresourceDefinition): ResourceDefinition {
  return storedResource({
    plural: 'serviceaccounts',
    shortNames: ['sa'],
    scope: 'Namespaced',
    versions: [builtInVersion({ group: '', version: 'v1', kind: 'ServiceAccount', table: serviceAccountTable })],
    strategy: builtInStrategy({
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
      allowCreateOnUpdate: true,
      validate: (event, { version }) => validateEvent(event, version),
      validateUpdate: (event, old, { version }) => validateEventUpdate(event, old, version),
      defaultGarbageCollection: 'unsupported',
      ttlSeconds: () => ttlSeconds,
    }),
  });
}

const LEASES: ResourceDefinition = storedResource({
  plural: 'leases',
  scope: 'Namespaced',
  versions: [builtInVersion({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', table: leaseTable })],
  strategy: builtInStrategy({
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: true,
    prepareForCreate: prepareLeaseForCreate,
    validate: validateLease,
    prepareForUpdate: prepareLeaseForUpdate,
    validateUpdate: validateLeaseUpdate,
  }),
});
