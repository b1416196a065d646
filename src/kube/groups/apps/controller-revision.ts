/** The kind ControllerRevision. Its data is immutable. */
import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { declared, type FieldIssue, required } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateNonnegative } from '../../shared/numbers.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { METADATA } from '../../shared/workload-rules.ts';

const DATA = FieldPath.of('data');

const controllerRevisionTable: () => TableDefinition = tableOf(
  NAME,
  column('Controller', 'Whose state it is.', controllerText),
  column('Revision', 'Its number.', (object) => numberAt(object, 'revision')),
  AGE,
);

export const CONTROLLER_REVISION: KubeResource = {
  definition: storedResource({
    plural: 'controllerrevisions',
    scope: 'Namespaced',
    versions: [
      builtInVersion({ group: 'apps', version: 'v1', kind: 'ControllerRevision', table: controllerRevisionTable }),
    ],
    strategy: strategyWithDefaults({
      nameRule: nameIsDnsSubdomain,
      validatesMetadata: true,
      validate: (object) => [...validateRevision(object), ...validateData(fieldAt(object, 'data'))],
      validateUpdate: (object, old) => [
        ...validateMetaUpdate(object, old),
        ...validateRevision(object),
        ...validateImmutableField(fieldAt(object, 'data') ?? null, fieldAt(old, 'data') ?? null, DATA).map(declared),
      ],
    }),
  }),
};

function validateRevision(object: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA),
    ...validateNonnegative(numberAt(object, 'revision'), FieldPath.of('revision')),
  ];
}

function validateData(data: ReturnType<typeof fieldAt>): FieldIssue[] {
  if (data === undefined) return [required(DATA, 'data is mandatory')];
  return isJsonObject(data) ? [] : [required(DATA, 'data must be a valid JSON object')];
}

function controllerText(object: JsonObject): string {
  const owner = objectsAt(objectAt(object, 'metadata') ?? {}, 'ownerReferences').find(
    (one) => one['controller'] === true,
  );
  if (owner === undefined) return '<none>';
  const [version = '', group = ''] = textAt(owner, 'apiVersion').split('/').reverse();
  const kind = textAt(owner, 'kind');
  const groupKind = version === '' || group === '' ? kind : `${kind}.${group}`;
  return `${groupKind.toLowerCase()}/${textAt(owner, 'name')}`;
}
