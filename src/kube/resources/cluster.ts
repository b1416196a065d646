/** Limits, quotas, priorities, flow control, certificates and other things of the whole cluster. Invariant: how they work is in `rules/`. */
import { objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { CREATED_AT, NAME, tableOf } from '../../server/resource/columns.ts';
import { delegateStore } from '../../server/resource/delegate-store.ts';
import type { ResourceDefinition, Strategy } from '../../server/resource/resource-definition.ts';
import type { ResourceStore } from '../../server/resource/resource-store.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import {
  apiServiceTable,
  prepareApiServiceForCreate,
  prepareApiServiceStatusForUpdate,
  setApiServiceDefaults,
  validateApiService,
  validateApiServiceStatusUpdate,
  validateApiServiceUpdate,
} from '../groups/apiregistration/api-service.ts';
import { componentStatusStore, componentStatusTable } from '../groups/core/component-status.ts';
import { setLimitRangeDefaults, validateLimitRange } from '../groups/core/limit-range.ts';
import {
  prepareQuotaStatusForUpdate,
  resourceQuotaTable,
  resourceQuotaWarnings,
  setResourceQuotaDefaults,
  validateResourceQuota,
  validateResourceQuotaStatusUpdate,
  validateResourceQuotaUpdate,
} from '../groups/core/resource-quota.ts';
import {
  runtimeClassTable,
  runtimeClassWarnings,
  validateRuntimeClass,
  validateRuntimeClassUpdate,
} from '../groups/node/runtime-class.ts';
import {
  preparePriorityClassForCreate,
  priorityClassTable,
  setPriorityClassDefaults,
  validatePriorityClass,
  validatePriorityClassUpdate,
} from '../groups/scheduling/priority-class.ts';
import type { KubeContext, KubeResource } from '../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';
import { clearStatus, ensureMeta, keepStatus } from '../shared/object-fields.ts';
import { certificateResources } from './certificate-kinds.ts';
import { flowControlResources } from './flow-control-kinds.ts';
import { internalResources } from './internal-kinds.ts';

export function clusterResources(): readonly KubeResource[] {
  return [
    { definition: LIMIT_RANGES, wrapStore: ({ store }, world) => nameLimitRanges(store, world) },
    { definition: RESOURCE_QUOTAS },
    { definition: COMPONENT_STATUSES },
    { definition: PRIORITY_CLASSES },
    { definition: RUNTIME_CLASSES },
    ...flowControlResources(),
    ...certificateResources(),
    { definition: API_SERVICES },
    ...internalResources(),
  ];
}

const LIMIT_RANGES: ResourceDefinition = storedResource({
  plural: 'limitranges',
  shortNames: ['limits'],
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      group: '',
      version: 'v1',
      kind: 'LimitRange',
      setDefaults: setLimitRangeDefaults,
      table: tableOf(NAME, CREATED_AT),
    }),
  ],
  strategy: builtInStrategy({
    allowCreateOnUpdate: true,
    validate: validateLimitRange,
    validatesMetadata: true,
    validateUpdate: validateLimitRange,
  }),
});

/** One that nobody named is named by chance. */
function nameLimitRanges(store: ResourceStore, { host }: KubeContext): ResourceStore {
  const { create } = store;
  if (create === undefined) return store;
  return delegateStore(store, {
    create: (context, object, request) => {
      const meta = objectAt(object, 'metadata') ?? {};
      if (textAt(meta, 'name') === '' && textAt(meta, 'generateName') === '')
        ensureMeta(object)['name'] = host.newUid();
      return create.call(store, context, object, request);
    },
  });
}

const RESOURCE_QUOTA_STRATEGY: Strategy = builtInStrategy({
  prepareForCreate: clearStatus,
  validate: validateResourceQuota,
  validatesMetadata: true,
  warningsOnCreate: resourceQuotaWarnings,
  prepareForUpdate: keepStatus,
  validateUpdate: validateResourceQuotaUpdate,
  returnsDeletedObject: true,
});

const RESOURCE_QUOTAS: ResourceDefinition = storedResource({
  plural: 'resourcequotas',
  shortNames: ['quota'],
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      group: '',
      version: 'v1',
      kind: 'ResourceQuota',
      setDefaults: setResourceQuotaDefaults,
      table: resourceQuotaTable,
    }),
  ],
  strategy: RESOURCE_QUOTA_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...RESOURCE_QUOTA_STRATEGY,
      prepareForUpdate: prepareQuotaStatusForUpdate,
      validateUpdate: validateResourceQuotaStatusUpdate,
    }),
  ],
});

const COMPONENT_STATUSES: ResourceDefinition = {
  plural: 'componentstatuses',
  singular: 'componentstatus',
  shortNames: ['cs'],
  categories: [],
  scope: 'Cluster',
  versions: [
    builtInVersion({ group: '', version: 'v1', kind: 'ComponentStatus', table: componentStatusTable, stored: false }),
  ],
  storageVersion: undefined,
  storagePrefix: '',
  generation: '1',
  strategy: builtInStrategy({}),
  store: componentStatusStore,
  subresources: [],
};

const PRIORITY_CLASSES: ResourceDefinition = storedResource({
  plural: 'priorityclasses',
  shortNames: ['pc'],
  scope: 'Cluster',
  versions: [
    builtInVersion({
      group: 'scheduling.k8s.io',
      version: 'v1',
      kind: 'PriorityClass',
      setDefaults: setPriorityClassDefaults,
      table: priorityClassTable,
    }),
  ],
  strategy: builtInStrategy({
    prepareForCreate: preparePriorityClassForCreate,
    validate: validatePriorityClass,
    validatesMetadata: true,
    validateUpdate: validatePriorityClassUpdate,
  }),
});

const RUNTIME_CLASSES: ResourceDefinition = storedResource({
  plural: 'runtimeclasses',
  scope: 'Cluster',
  versions: [
    builtInVersion({
      group: 'node.k8s.io',
      version: 'v1',
      kind: 'RuntimeClass',
      table: runtimeClassTable,
    }),
  ],
  strategy: builtInStrategy({
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: true,
    validate: validateRuntimeClass,
    validatesMetadata: true,
    warningsOnCreate: runtimeClassWarnings,
    validateUpdate: validateRuntimeClassUpdate,
    warningsOnUpdate: runtimeClassWarnings,
  }),
});

const API_SERVICE_STRATEGY: Strategy = builtInStrategy({
  allowUnconditionalUpdate: false,
  prepareForCreate: prepareApiServiceForCreate,
  validate: validateApiService,
  prepareForUpdate: keepStatus,
  validateUpdate: validateApiServiceUpdate,
});

const API_SERVICES: ResourceDefinition = storedResource({
  plural: 'apiservices',
  categories: ['api-extensions'],
  scope: 'Cluster',
  storagePrefix: 'apiregistration.k8s.io/apiservices',
  versions: [
    builtInVersion({
      group: 'apiregistration.k8s.io',
      version: 'v1',
      kind: 'APIService',
      setDefaults: setApiServiceDefaults,
      table: apiServiceTable,
    }),
  ],
  strategy: API_SERVICE_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...API_SERVICE_STRATEGY,
      prepareForUpdate: prepareApiServiceStatusForUpdate,
      validateUpdate: validateApiServiceStatusUpdate,
    }),
  ],
});
