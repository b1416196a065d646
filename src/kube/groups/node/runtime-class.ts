/** The kind RuntimeClass. */
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateLabels } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Label } from '../../../apimachinery/validation/name-syntax.ts';
import { validateObjectMeta } from '../../../apimachinery/validation/validate-object-meta.ts';
import {
  validateImmutableField,
  validateObjectMetaUpdate,
} from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { coreShapes } from '../../../kinds/shapes/core.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { deprecatedNodeLabel } from '../../shared/node-selector.ts';
import { validateContainerResources } from '../../shared/validate-resources.ts';
import { validateTolerations } from '../core/pod/spec/validate-tolerations.ts';

const METADATA = FieldPath.of('metadata');
const HANDLER = FieldPath.of('handler');
const OVERHEAD = FieldPath.of('overhead');
const SCHEDULING = FieldPath.of('scheduling');

const runtimeClassTable: () => TableDefinition = tableOf(
  NAME,
  column('Handler', 'What the container runtime calls it.', (object) => textAt(object, 'handler')),
  AGE,
);

export const RUNTIME_CLASS: KubeResource = {
  definition: storedResource({
    plural: 'runtimeclasses',
    scope: 'Cluster',
    versions: [builtInVersion({ group: 'node.k8s.io', version: 'v1', kind: 'RuntimeClass', table: runtimeClassTable })],
    strategy: strategyWithDefaults({
      allowUnconditionalUpdate: false,
      allowCreateOnUpdate: true,
      validate: validateRuntimeClass,
      validatesMetadata: true,
      warningsOnCreate: runtimeClassWarnings,
      validateUpdate: validateRuntimeClassUpdate,
      warningsOnUpdate: runtimeClassWarnings,
    }),
  }),
};

export function validateRuntimeClass(object: JsonObject): FieldIssue[] {
  const issues = validateObjectMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
  const handler = textAt(object, 'handler');
  if (handler === '') issues.push(required(HANDLER, ''));
  else for (const complaint of checkDns1123Label(handler)) issues.push(invalid(HANDLER, handler, complaint));
  const overhead = objectAt(object, 'overhead');
  if (overhead !== undefined)
    addIssues(issues, validateContainerResources({ limits: objectAt(overhead, 'podFixed') ?? {} }, OVERHEAD));
  const scheduling = objectAt(object, 'scheduling');
  if (scheduling !== undefined) addIssues(issues, validateScheduling(scheduling));
  return issues;
}

function validateRuntimeClassUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateRuntimeClass(object),
    ...validateObjectMetaUpdate(metaFacts(object), metaFacts(old), METADATA),
    ...validateImmutableField(textAt(object, 'handler'), textAt(old, 'handler'), HANDLER),
  ];
}

function validateScheduling(scheduling: JsonObject): FieldIssue[] {
  const issues = validateLabels(
    (objectAt(scheduling, 'nodeSelector') ?? {}) as Record<string, string>,
    SCHEDULING.child('nodeSelector'),
  );
  const tolerations = objectsAt(scheduling, 'tolerations');
  addIssues(issues, validateTolerations(tolerations, SCHEDULING.child('tolerations')));
  const seen = new Set<string>();
  for (const [i, toleration] of tolerations.entries()) {
    const key = ['key', 'operator', 'value', 'effect'].map((name) => textAt(toleration, name)).join('\0');
    if (seen.has(key))
      issues.push(
        declared(duplicate(SCHEDULING.child('tolerations').index(i), goValue(coreShapes, 'Toleration', toleration))),
      );
    seen.add(key);
  }
  return issues;
}

export function runtimeClassWarnings(object: JsonObject): readonly string[] {
  return Object.keys(objectAt(object, 'scheduling', 'nodeSelector') ?? {}).flatMap((label) => {
    const message = deprecatedNodeLabel(label);
    return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`];
  });
}
