/** Kinds of scheduling.k8s.io, node.k8s.io and apiregistration.k8s.io; flow control and certificates. */
import type { ResourceDefinition, Strategy } from '../../server/resource/resource-definition.ts';
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
import type { KubeResource } from '../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';
import { keepStatus } from '../shared/object-fields.ts';
import { certificateResources } from './certificate-kinds.ts';
import { flowControlResources } from './flow-control-kinds.ts';
import { internalResources } from './internal-kinds.ts';

export function clusterResources(): readonly KubeResource[] {
  return [
    { definition: PRIORITY_CLASSES },
    { definition: RUNTIME_CLASSES },
    ...flowControlResources(),
    ...certificateResources(),
    { definition: API_SERVICES },
    ...internalResources(),
  ];
}

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
