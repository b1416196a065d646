/** The kind StatefulSet: declaration, defaults and strategy. Validation is in `stateful-set-validation.ts`. */
import { ensureObject, fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { nameIsDnsLabel } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { keepSpec, keepStatus, metaFacts, setDefault } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { int32At } from '../../shared/numbers.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';
import {
  beginObject,
  countSpecChange,
  generationChanged,
  METADATA,
  SPEC,
  setDefaultText,
  TEMPLATE,
  templateColumns,
  templateOf,
} from '../../shared/workload-rules.ts';
import { builtInScale } from '../autoscaling/scale.ts';
import { dropDisabledPodFields, podTemplateWarnings, setPodTemplateDefaults } from '../core/pod/pod-template-spec.ts';
import { setClaimTemplateDefaults } from '../core/volume/claim-defaults.ts';
import { claimSpecWarnings } from '../core/volume/validate-claim-spec.ts';
import { readyText } from './replica-template.ts';
import {
  validateStatefulSetSpec,
  validateStatefulSetStatusUpdate,
  validateStatefulSetUpdate,
} from './stateful-set-validation.ts';

const statefulSetTable: () => TableDefinition = tableOf(
  NAME,
  column('Ready', 'Pods that are ready, of those wanted.', readyText),
  AGE,
  ...templateColumns('spec', 'template'),
);

const STATEFUL_SET_STRATEGY: Strategy = strategyWithDefaults({
  nameRule: nameIsDnsLabel,
  validatesMetadata: true,
  prepareForCreate: (object) => {
    beginObject(object, { replicas: 0, availableReplicas: 0 });
    dropGatedFields(object, undefined);
    dropDisabledPodFields(templateOf(object), undefined);
  },
  validate: (object) => [
    ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsLabel }, METADATA),
    ...validateStatefulSetSpec(object, undefined),
  ],
  warningsOnCreate: (object) => [
    ...podTemplateWarnings(templateOf(object), undefined, TEMPLATE),
    ...specWarnings(object, false),
  ],
  prepareForUpdate: (object, old) => {
    keepStatus(object, old);
    dropGatedFields(object, old);
    dropDisabledPodFields(templateOf(object), templateOf(old));
    countSpecChange(object, old);
  },
  validateUpdate: validateStatefulSetUpdate,
  warningsOnUpdate: (object, old) => [
    ...(generationChanged(object, old) ? podTemplateWarnings(templateOf(object), templateOf(old), TEMPLATE) : []),
    ...specWarnings(object, true),
  ],
});

export const STATEFUL_SET: KubeResource = {
  definition: storedResource({
    plural: 'statefulsets',
    shortNames: ['sts'],
    categories: ['all'],
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: 'apps',
        version: 'v1',
        kind: 'StatefulSet',
        setDefaults: setStatefulSetDefaults,
        table: statefulSetTable,
      }),
    ],
    strategy: STATEFUL_SET_STRATEGY,
    subresources: [
      statusSubresource(STATEFUL_SET_STRATEGY, {
        prepareForUpdate: keepSpec,
        validateUpdate: validateStatefulSetStatusUpdate,
      }),
      builtInScale({ group: 'apps', plural: 'statefulsets', selector: 'object' }),
    ],
  }),
};

export function setStatefulSetDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  setDefaultText(spec, 'podManagementPolicy', 'OrderedReady');
  const strategy = ensureObject(spec, 'updateStrategy');
  if (textAt(strategy, 'type') === '') {
    strategy['type'] = 'RollingUpdate';
    ensureObject(strategy, 'rollingUpdate');
  }
  const rolling = objectAt(strategy, 'rollingUpdate');
  if (rolling !== undefined && textAt(strategy, 'type') === 'RollingUpdate') setDefault(rolling, 'partition', 0);
  const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
  setDefaultText(retention, 'whenDeleted', 'Retain');
  setDefaultText(retention, 'whenScaled', 'Retain');
  setDefault(spec, 'replicas', 1);
  setDefault(spec, 'revisionHistoryLimit', 10);
  setPodTemplateDefaults(ensureObject(spec, 'template'));
  for (const claim of objectsAt(spec, 'volumeClaimTemplates')) setClaimTemplateDefaults(claim);
}

/** Drops `maxUnavailable`, whose feature gate MaxUnavailableStatefulSet is off, unless the stored object has it. */
function dropGatedFields(object: JsonObject, old: JsonObject | undefined): void {
  const path = ['spec', 'updateStrategy', 'rollingUpdate'] as const;
  const rolling = objectAt(object, ...path);
  if (rolling === undefined || (old !== undefined && fieldAt(old, ...path, 'maxUnavailable') !== undefined)) return;
  delete rolling['maxUnavailable'];
}

/** kube-apiserver writes `Spec` in the path of a claim template on updates. */
function specWarnings(object: JsonObject, isUpdate: boolean): string[] {
  const warnings = objectsAt(object, 'spec', 'volumeClaimTemplates').flatMap((claim, i) => {
    const path = SPEC.child('volumeClaimTemplates').index(i);
    return claimSpecWarnings(objectAt(claim, 'spec') ?? {}, isUpdate ? path.child('Spec') : path);
  });
  if ((int32At(object, 'spec', 'revisionHistoryLimit') ?? 0) < 0)
    warnings.push(
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    );
  return warnings;
}
