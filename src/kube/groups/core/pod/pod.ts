/** The kind Pod. */
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { RESETS_NOTHING, resetting } from '../../../../server/resource/reset-fields.ts';
import { storedResource, strategyWithDefaults } from '../../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../../server/resource/strategy.ts';
import { updateSubresource } from '../../../../server/resource/update-subresource.ts';
import type { KubeContext, KubeResource } from '../../../kube-context.ts';
import { builtInVersion } from '../../../shared/built-in.ts';
import { bindingSubresource } from './binding.ts';
import { connectSubresources } from './connect-pod.ts';
import { evictionSubresource } from './evict-pod.ts';
import { setPodDefaults } from './pod-defaults.ts';
import {
  canonicalizePod,
  podGrace,
  prepareEphemeralForUpdate,
  preparePodForCreate,
  preparePodForUpdate,
  preparePodStatusForUpdate,
  prepareResizeForUpdate,
} from './pod-strategy.ts';
import { podTable } from './pod-table.ts';
import { podCreateWarnings, podStatusWarnings } from './pod-warnings.ts';
import { validatePodCreate } from './validate-pod.ts';
import { validatePodResize } from './validate-pod-resize.ts';
import { validatePodStatusUpdate } from './validate-pod-status.ts';
import { validateEphemeralUpdate, validatePodUpdate } from './validate-pod-update.ts';

const STATUS = FieldPath.of('status');

const POD_FIELDS = [
  'spec.nodeName',
  'spec.host',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
] as const;

const POD_STRATEGY: Strategy = strategyWithDefaults({
  prepareForCreate: preparePodForCreate,
  validate: validatePodCreate,
  validatesMetadata: true,
  warningsOnCreate: podCreateWarnings,
  prepareForUpdate: preparePodForUpdate,
  validateUpdate: validatePodUpdate,
  canonicalize: canonicalizePod,
  grace: podGrace,
  returnsDeletedObject: true,
});

/** Also the strategy by which an eviction writes its condition. */
const POD_STATUS_STRATEGY: Strategy = {
  ...POD_STRATEGY,
  resetFields: resetting(['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']),
  prepareForUpdate: preparePodStatusForUpdate,
  validateUpdate: validatePodStatusUpdate,
  warningsOnUpdate: (pod) => podStatusWarnings(pod, STATUS),
};

export function podResource(kube: KubeContext): KubeResource {
  return {
    definition: storedResource({
      plural: 'pods',
      shortNames: ['po'],
      categories: ['all'],
      scope: 'Namespaced',
      versions: [
        builtInVersion({
          group: '',
          version: 'v1',
          kind: 'Pod',
          setDefaults: setPodDefaults,
          table: podTable,
          selectableFields: POD_FIELDS,
          fieldSources: { 'spec.host': ['spec.nodeName'], 'spec.hostNetwork': ['spec.hostNetwork', '=false'] },
        }),
      ],
      strategy: POD_STRATEGY,
      subresources: [
        updateSubresource('status', POD_STATUS_STRATEGY),
        // The reference declares filters for the next two strategies, but its stores do not use them.
        updateSubresource('ephemeralcontainers', {
          ...POD_STRATEGY,
          resetFields: RESETS_NOTHING,
          prepareForUpdate: prepareEphemeralForUpdate,
          validateUpdate: validateEphemeralUpdate,
        }),
        updateSubresource('resize', {
          ...POD_STRATEGY,
          resetFields: RESETS_NOTHING,
          prepareForUpdate: prepareResizeForUpdate,
          validateUpdate: validatePodResize,
        }),
        bindingSubresource(kube),
        evictionSubresource(kube),
        ...connectSubresources(kube),
      ],
    }),
  };
}
