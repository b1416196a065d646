/** Pods and what is done to them. Invariant: how they work is in `rules/pod/` and, where a request does more than store an object, in `pods/`. */
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { ResourceDefinition, Strategy } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import { BINDING_SUBRESOURCE, bindings } from '../groups/core/pod/bind-pod.ts';
import { connectSubresources } from '../groups/core/pod/connect-pod.ts';
import { evictionSubresource } from '../groups/core/pod/evict-pod.ts';
import { setPodDefaults, setTemplateDefaults } from '../groups/core/pod/pod-defaults.ts';
import {
  canonicalizePod,
  podGrace,
  prepareEphemeralForUpdate,
  preparePodForCreate,
  preparePodForUpdate,
  preparePodStatusForUpdate,
  prepareResizeForUpdate,
} from '../groups/core/pod/pod-strategy.ts';
import { podTable, podTemplateTable } from '../groups/core/pod/pod-table.ts';
import {
  dropDisabledPodFields,
  podTemplateWarnings,
  validatePodTemplateSpec,
} from '../groups/core/pod/pod-template.ts';
import { podCreateWarnings, podStatusWarnings } from '../groups/core/pod/pod-warnings.ts';
import { METADATA, POD_RULES, validatePodCreate } from '../groups/core/pod/validate-pod.ts';
import { validatePodResize } from '../groups/core/pod/validate-pod-resize.ts';
import { validatePodStatusUpdate } from '../groups/core/pod/validate-pod-status.ts';
import { validateEphemeralUpdate, validatePodUpdate } from '../groups/core/pod/validate-pod-update.ts';
import type { KubeContext, KubeResource } from '../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';
import { metaFacts } from '../shared/object-fields.ts';
import { validateKubeMeta, validateMetaUpdate } from '../shared/validate-kube-meta.ts';

export interface PodResourceOptions {
  /** Containers may be privileged. Default true; see PodSpecContext. */
  readonly allowPrivileged?: boolean;
}

export function podResources({ allowPrivileged = true }: PodResourceOptions = {}): readonly KubeResource[] {
  let known: KubeContext | undefined;
  const world = (): KubeContext => {
    if (known === undefined) throw new BugError('pods were asked before their server was put together');
    return known;
  };
  return [
    {
      definition: pods(allowPrivileged, world),
      // Nothing stands in front of pods; this is where their subresources learn of the other kinds.
      wrapStore: ({ store }, around) => {
        known = around;
        return store;
      },
    },
    bindings(world),
    { definition: POD_TEMPLATES },
  ];
}

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

function pods(allowPrivileged: boolean, world: () => KubeContext): ResourceDefinition {
  const strategy: Strategy = builtInStrategy({
    prepareForCreate: preparePodForCreate,
    validate: (pod) => validatePodCreate(pod, allowPrivileged),
    validatesMetadata: true,
    warningsOnCreate: podCreateWarnings,
    prepareForUpdate: preparePodForUpdate,
    validateUpdate: (pod, old) => validatePodUpdate(pod, old, allowPrivileged),
    canonicalize: canonicalizePod,
    grace: podGrace,
    returnsDeletedObject: true,
  });
  const statusStrategy: Strategy = {
    ...strategy,
    prepareForUpdate: preparePodStatusForUpdate,
    validateUpdate: (pod, old) => validatePodStatusUpdate(pod, old, allowPrivileged),
    warningsOnUpdate: (pod) => podStatusWarnings(pod, STATUS),
  };
  return storedResource({
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
    strategy,
    subresources: [
      updateSubresource('status', statusStrategy),
      updateSubresource('ephemeralcontainers', {
        ...strategy,
        prepareForUpdate: prepareEphemeralForUpdate,
        validateUpdate: (pod, old) => validateEphemeralUpdate(pod, old, allowPrivileged),
      }),
      updateSubresource('resize', {
        ...strategy,
        prepareForUpdate: prepareResizeForUpdate,
        validateUpdate: (pod, old) => validatePodResize(pod, old, allowPrivileged),
      }),
      BINDING_SUBRESOURCE,
      evictionSubresource(statusStrategy, world),
      ...connectSubresources(world),
    ],
  });
}

const TEMPLATE = FieldPath.of('template');
const STATUS = FieldPath.of('status');

const POD_TEMPLATES: ResourceDefinition = storedResource({
  plural: 'podtemplates',
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      group: '',
      version: 'v1',
      kind: 'PodTemplate',
      setDefaults: (object) => {
        const template = objectAt(object, 'template');
        if (template !== undefined) setTemplateDefaults(template);
      },
      table: podTemplateTable,
    }),
  ],
  strategy: builtInStrategy({
    countsGeneration: true,
    prepareForCreate: (object) => dropDisabledPodFields(templateOf(object), undefined),
    validate: (object) => [
      ...validateKubeMeta(metaFacts(object), POD_RULES, METADATA),
      ...validatePodTemplateSpec(templateOf(object), TEMPLATE),
    ],
    validatesMetadata: true,
    warningsOnCreate: (object) => podTemplateWarnings(templateOf(object), undefined, TEMPLATE),
    prepareForUpdate: (object, old) => dropDisabledPodFields(templateOf(object), templateOf(old)),
    validateUpdate: (object, old) => [
      ...validateMetaUpdate(object, old),
      ...validatePodTemplateSpec(templateOf(object), TEMPLATE, { old: templateOf(old) }),
    ],
    warningsOnUpdate: (object, old) =>
      metaFacts(object).generation === metaFacts(old).generation
        ? []
        : podTemplateWarnings(templateOf(object), templateOf(old), TEMPLATE),
    returnsDeletedObject: true,
  }),
});

function templateOf(object: JsonObject): JsonObject {
  return objectAt(object, 'template') ?? {};
}
