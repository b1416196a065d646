/** Validation of StatefulSets. */
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateLabels } from '../../../apimachinery/validation/label-syntax.ts';
import { checkDns1123Label } from '../../../apimachinery/validation/name-syntax.ts';
import { validateAnnotations } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { appsShapes } from '../../../kinds/shapes/apps.ts';
import { metaFacts, specOf } from '../../../server/resource/strategy-fields.ts';
import {
  intOrPercentValue,
  validateAtMost100Percent,
  validateNonnegativeIntOrPercent,
} from '../../shared/int-or-percent.ts';
import {
  invalidSelector,
  isEmptySelector,
  labelsAt,
  labelsDoNotMatch,
  selectorAt,
  selectorMatches,
} from '../../shared/label-selector.ts';
import { validateNonnegativeFields } from '../../shared/numbers.ts';
import { validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import {
  intOrStringAt,
  SPEC,
  STATUS,
  statusOf,
  TEMPLATE,
  templateOf,
  validateAtMost,
  validateCollisionCount,
} from '../../shared/workload-rules.ts';
import { validatePodTemplateSpec } from '../core/pod/pod-template-spec.ts';
import { validateClaimSpec } from '../core/volume/validate-claim-spec.ts';
import { validateOwnSelector, validateRunsForever } from './replica-template.ts';

const STRATEGY: FieldPath = SPEC.child('updateStrategy');
const RETENTION: FieldPath = SPEC.child('persistentVolumeClaimRetentionPolicy');
const CLAIMS: FieldPath = SPEC.child('volumeClaimTemplates');

/** Fields of the spec that an update may change. */
const UPDATABLE: ReadonlySet<string> = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);

/** `old` is the stored object; undefined on create. `keepsTemplate` skips the validation of the pod template. */
export function validateStatefulSetSpec(
  object: JsonObject,
  old: JsonObject | undefined,
  keepsTemplate = false,
): FieldIssue[] {
  const spec = specOf(object);
  const issues = [...validatePodManagement(spec), ...validateUpdateStrategy(objectAt(spec, 'updateStrategy') ?? {})];
  addIssues(issues, validateRetention(objectAt(spec, 'persistentVolumeClaimRetentionPolicy')));
  if (old === undefined)
    objectsAt(spec, 'volumeClaimTemplates').forEach((claim, i) => {
      addIssues(issues, validateClaimSpec(objectAt(claim, 'spec') ?? {}, CLAIMS.index(i).child('spec')));
    });
  issues.push(...validateNonnegativeFields(spec, ['replicas', 'minReadySeconds'], SPEC));
  issues.push(...validateNonnegativeFields(objectAt(spec, 'ordinals') ?? {}, ['start'], SPEC.child('ordinals')));
  const service = textAt(spec, 'serviceName');
  if (old === undefined && service !== '')
    for (const complaint of checkDns1123Label(service))
      issues.push(invalid(SPEC.child('serviceName'), service, complaint));
  return [...issues, ...validateSelectorAndTemplate(object, old, keepsTemplate)];
}

/** Does not validate the template again if the stored object is invalid already. */
export function validateStatefulSetUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const keepsTemplate = validateStatefulSetSpec(old, old).length > 0;
  const issues = [...validateMetaUpdate(object, old), ...validateStatefulSetSpec(object, old, keepsTemplate)];
  if (!equalJson(fixedPart(specOf(object)), fixedPart(specOf(old))))
    issues.push(
      forbidden(
        SPEC,
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    );
  return issues;
}

export function validateStatefulSetStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const status = statusOf(object);
  return [
    ...validateNonnegativeFields(
      status,
      [
        'replicas',
        'readyReplicas',
        'currentReplicas',
        'updatedReplicas',
        'availableReplicas',
        'observedGeneration',
        'collisionCount',
      ],
      STATUS,
    ),
    ...validateAtMost(status, ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'], 'replicas'),
    ...validateAtMost(status, ['availableReplicas'], 'readyReplicas'),
    ...validateMetaUpdate(object, old),
    ...validateCollisionCount(object, old),
  ];
}

function fixedPart(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([name, value]) => !UPDATABLE.has(name) && value !== null));
}

function validatePodManagement(spec: JsonObject): FieldIssue[] {
  const policy = textAt(spec, 'podManagementPolicy');
  const path = SPEC.child('podManagementPolicy');
  if (policy === '') return [required(path, '')];
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [declared(invalid(path, policy, "must be 'OrderedReady' or 'Parallel'"))];
}

function validateUpdateStrategy(strategy: JsonObject): FieldIssue[] {
  const type = textAt(strategy, 'type');
  const rolling = objectAt(strategy, 'rollingUpdate');
  if (type === '') return [required(STRATEGY, '')];
  if (type === 'RollingUpdate') return rolling === undefined ? [] : validateRollingUpdate(rolling);
  if (type !== 'OnDelete') {
    const shown = goValue(appsShapes, 'StatefulSetUpdateStrategy', strategy);
    return [declared(invalid(STRATEGY, shown, "must be 'RollingUpdate' or 'OnDelete'"))];
  }
  if (rolling === undefined) return [];
  const detail = "only allowed for updateStrategy 'RollingUpdate'";
  const shown = goValue(appsShapes, 'RollingUpdateStatefulSetStrategy', rolling);
  return [declared(invalid(STRATEGY.child('rollingUpdate'), shown, detail))];
}

function validateRollingUpdate(rolling: JsonObject): FieldIssue[] {
  const path = STRATEGY.child('rollingUpdate');
  const issues = validateNonnegativeFields(rolling, ['partition'], path);
  const unavailable = intOrStringAt(rolling, 'maxUnavailable');
  if (unavailable === undefined) return issues;
  const at = path.child('maxUnavailable');
  issues.push(...validateNonnegativeIntOrPercent(unavailable, at));
  if (intOrPercentValue(unavailable) === 0) issues.push(declared(invalid(at, unavailable, 'cannot be 0')));
  return [...issues, ...validateAtMost100Percent(unavailable, at)];
}

function validateRetention(policy: JsonObject | undefined): FieldIssue[] {
  if (policy === undefined) return [];
  return ['whenDeleted', 'whenScaled'].flatMap((name) => {
    const value = textAt(policy, name);
    return value === 'Retain' || value === 'Delete'
      ? []
      : [declared(notSupported(RETENTION.child(name), value, ['Retain', 'Delete']))];
  });
}

function validateSelectorAndTemplate(
  object: JsonObject,
  old: JsonObject | undefined,
  keepsTemplate: boolean,
): FieldIssue[] {
  const selector = selectorAt(object, 'spec', 'selector');
  const issues = validateOwnSelector(selector, 'statefulset');
  const template = templateOf(object);
  const labels = labelsAt(template, 'metadata', 'labels');
  const matches = selectorMatches(selector, labels);
  if (matches === undefined) issues.push(invalidSelector(selector, SPEC.child('selector'), ''));
  else {
    if (!matches && (selector === undefined || !isEmptySelector(selector)))
      issues.push(labelsDoNotMatch(labels, TEMPLATE));
    if (!keepsTemplate)
      addIssues(
        issues,
        validatePodTemplateSpec(templateToJudge(object), TEMPLATE, {
          old: old === undefined ? undefined : templateToJudge(old),
        }),
      );
    addIssues(issues, validateLabels(labels, TEMPLATE.child('labels')));
    addIssues(issues, validateAnnotations(metaFacts(template).annotations, TEMPLATE.child('annotations')));
  }
  return [...issues, ...validateRunsForever(template, 'StatefulSet')];
}

/**
 * The template as its pods will look: with the volumes of the claim templates and without hostname and subdomain, which
 * the controller sets on every pod.
 */
function templateToJudge(object: JsonObject): JsonObject {
  const template = templateOf(object);
  const spec = objectAt(template, 'spec') ?? {};
  const claims = objectsAt(object, 'spec', 'volumeClaimTemplates').map((claim) => textAt(claim, 'metadata', 'name'));
  if (claims.length === 0 && textAt(spec, 'subdomain') === '' && textAt(spec, 'hostname') === '') return template;
  const { subdomain: _subdomain, hostname: _hostname, ...rest } = spec;
  if (claims.length === 0) return { ...template, spec: rest };
  const names = new Set(claims);
  const volumes = [
    ...[...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...objectsAt(spec, 'volumes').filter((volume) => !names.has(textAt(volume, 'name'))),
  ];
  return { ...template, spec: { ...rest, volumes } };
}
