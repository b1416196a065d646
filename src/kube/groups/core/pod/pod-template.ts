/** The kind PodTemplate. */
import { objectAt } from '../../../../apimachinery/meta/object-fields.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { storedResource, strategyWithDefaults } from '../../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../../server/resource/strategy-fields.ts';
import type { KubeResource } from '../../../kube-context.ts';
import { builtInVersion } from '../../../shared/built-in.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { setTemplateDefaults } from './pod-defaults.ts';
import { podTemplateTable } from './pod-table.ts';
import { dropDisabledPodFields, podTemplateWarnings, validatePodTemplateSpec } from './pod-template-spec.ts';
import { METADATA, POD_RULES } from './validate-pod.ts';

const TEMPLATE = FieldPath.of('template');

export const POD_TEMPLATE: KubeResource = {
  definition: storedResource({
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
    strategy: strategyWithDefaults({
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
  }),
};

function templateOf(object: JsonObject): JsonObject {
  return objectAt(object, 'template') ?? {};
}
