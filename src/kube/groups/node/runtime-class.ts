/** RuntimeClass: how the containers of a pod are run, and what that costs. Invariant: pure; the issues are the reference's, in its order. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
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
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import { metaFacts } from '../../shared/object-fields.ts';
import { validateContainerResources } from '../../shared/validate-resources.ts';
import { validateTolerations } from '../core/pod/spec/validate-tolerations.ts';

const METADATA = FieldPath.of('metadata');
const HANDLER = FieldPath.of('handler');
const OVERHEAD = FieldPath.of('overhead');
const SCHEDULING = FieldPath.of('scheduling');

export const runtimeClassTable: () => TableDefinition = tableOf(
  NAME,
  column('Handler', 'What the container runtime calls it.', (object) => textAt(object, 'handler')),
  AGE,
);

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

export function validateRuntimeClassUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
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
      issues.push(declared(duplicate(SCHEDULING.child('tolerations').index(i), shownToleration(toleration))));
    seen.add(key);
  }
  return issues;
}

/** Labels of nodes that have other names now. */
const DEPRECATED_NODE_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

export function runtimeClassWarnings(object: JsonObject): readonly string[] {
  return Object.keys(objectAt(object, 'scheduling', 'nodeSelector') ?? {}).flatMap((label) => {
    const text = Object.hasOwn(DEPRECATED_NODE_LABELS, label) ? DEPRECATED_NODE_LABELS[label] : undefined;
    return text === undefined ? [] : [`scheduling.nodeSelector: ${text}`];
  });
}

/** As the reference's internal type prints. */
function shownToleration(toleration: JsonObject): JsonObject {
  return {
    Key: textAt(toleration, 'key'),
    Operator: textAt(toleration, 'operator'),
    Value: textAt(toleration, 'value'),
    Effect: textAt(toleration, 'effect'),
    TolerationSeconds: fieldAt(toleration, 'tolerationSeconds') ?? null,
  };
}
