/**
 * Validation of PersistentVolumeClaims. The spec is immutable, except for volumeName before the claim is bound, and for
 * the requested size and volumeAttributesClassName afterwards.
 */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, listAt, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { compareQuantity, quantityValue } from '../../../../apimachinery/scalars/quantity-arithmetic.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/name-rules.ts';
import { FIELD_IMMUTABLE } from '../../../../apimachinery/validation/validate-object-meta.ts';
import { validateImmutableField } from '../../../../apimachinery/validation/validate-object-meta-update.ts';
import { equalJson, getField, type JsonObject, type JsonValue } from '../../../../base/json-value.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';
import { metaFacts, specOf, takeField } from '../../../../server/resource/strategy-fields.ts';
import { amountOf, isNativeResource } from '../../../shared/resource-lists.ts';
import { unifiedDiff } from '../../../shared/unified-diff.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { BETA_CLASS_ANNOTATION } from './access-modes.ts';
import { claimSpecWarnings, validateClaimSpec } from './validate-claim-spec.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const STORAGE_REQUEST = SPEC.child('resources', 'requests', 'storage');
const ATTRIBUTES_CLASS = 'volumeAttributesClassName';
const SPEC_IS_IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

export function validateClaim(object: JsonObject, old?: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA),
    ...validateClaimSpec(specOf(object), SPEC, { old: old === undefined ? undefined : specOf(old) }),
  ];
}

export function validateClaimUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = [...validateMetaUpdate(object, old), ...validateClaim(object, old)];
  const next: JsonObject = { ...specOf(object) };
  const was: JsonObject = { ...specOf(old) };
  if (textAt(was, 'volumeName') === '') takeField(was, next, 'volumeName');
  addIssues(issues, reconcileClass(object, old, next, was));
  if (textAt(object, 'status', 'phase') === 'Bound') {
    const request = fieldAt(was, 'resources', 'requests', 'storage');
    if (fieldAt(next, 'resources', 'requests') !== undefined) next['resources'] = withRequest(next, request ?? '0');
    takeField(next, was, ATTRIBUTES_CLASS);
  }
  if (!equalJson({ ...next, resources: likeBefore(next, was) }, { resources: {}, ...was })) {
    const shown = (spec: JsonObject): JsonObject => goValue(coreShapes, 'PersistentVolumeClaimSpec', spec);
    const diff = unifiedDiff(shown(was), shown(next));
    issues.push(forbidden(SPEC, `${SPEC_IS_IMMUTABLE}\n${diff}`));
  }
  return [...issues, ...validateSize(object, old), ...validateFixedFields(object, old)];
}

/**
 * The class may move from the annotation to the field, and may be set if the claim had none. Such a change is removed
 * from `next`, so that the comparison of the specs does not report it.
 */
function reconcileClass(object: JsonObject, old: JsonObject, next: JsonObject, was: JsonObject): FieldIssue[] {
  const [annotated, wasAnnotated] = [object, old].map(annotatedClass);
  const name = next['storageClassName'];
  const isNew = typeof name === 'string' && was['storageClassName'] === undefined;
  if (isNew && name === wasAnnotated && (annotated === undefined || annotated === wasAnnotated)) {
    delete next['storageClassName'];
    return [];
  }
  if (isNew && (wasAnnotated === undefined || name === wasAnnotated)) delete next['storageClassName'];
  if ((annotated ?? '') === (wasAnnotated ?? '')) return [];
  return [invalid(METADATA.child('annotations', BETA_CLASS_ANNOTATION), annotated ?? '', FIELD_IMMUTABLE)];
}

function annotatedClass(object: JsonObject): string | undefined {
  const annotations = objectAt(object, 'metadata', 'annotations');
  const name = annotations === undefined ? undefined : getField(annotations, BETA_CLASS_ANNOTATION);
  return typeof name === 'string' ? name : undefined;
}

function withRequest(spec: JsonObject, storage: JsonValue): JsonObject {
  const resources = objectAt(spec, 'resources') ?? {};
  return { ...resources, requests: { ...objectAt(resources, 'requests'), storage } };
}

/** The resources of `next`, with the text of `was` for amounts that are equal in value. */
function likeBefore(next: JsonObject, was: JsonObject): JsonObject {
  const resources: JsonObject = { ...objectAt(next, 'resources') };
  for (const list of ['limits', 'requests']) {
    const amounts = objectAt(resources, list);
    if (amounts === undefined) continue;
    const before = objectAt(was, 'resources', list) ?? {};
    resources[list] = Object.fromEntries(
      Object.entries(amounts).map(([name, amount]) => {
        const old = getField(before, name);
        const isSame = old !== undefined && compareQuantity(amountOf(amount), amountOf(old)) === 0;
        return [name, isSame ? old : amount];
      }),
    );
  }
  return resources;
}

/** The requested size may shrink only if it stays above the capacity: after an expansion that failed. */
function validateSize(object: JsonObject, old: JsonObject): FieldIssue[] {
  const [size, was] = [object, old].map((one) =>
    amountOf(fieldAt(one, 'spec', 'resources', 'requests', 'storage') ?? '0'),
  );
  if (size === undefined || was === undefined || compareQuantity(size, was) >= 0) return [];
  const capacity = amountOf(fieldAt(old, 'status', 'capacity', 'storage') ?? '0');
  if (compareQuantity(size, capacity) > 0) return [];
  return [forbidden(STORAGE_REQUEST, 'field can not be less than status.capacity')];
}

function validateFixedFields(object: JsonObject, old: JsonObject): FieldIssue[] {
  const [next, was] = [specOf(object), specOf(old)];
  const issues = validateImmutableField(
    next['volumeMode'] ?? null,
    was['volumeMode'] ?? null,
    FieldPath.of('volumeMode'),
  ).map(declared);
  const name = next[ATTRIBUTES_CLASS];
  if (name === was[ATTRIBUTES_CLASS] || fieldAt(old, 'status', 'currentVolumeAttributesClassName') === undefined)
    return issues;
  if (name === undefined || name === '')
    issues.push(
      forbidden(
        SPEC.child(ATTRIBUTES_CLASS),
        `update to ${name === undefined ? 'nil' : 'empty string'} is forbidden when status.currentVolumeAttributesClassName is not nil`,
      ),
    );
  return issues;
}

export function validateClaimStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  if (listAt(object, 'spec', 'accessModes').length === 0)
    issues.push(required(FieldPath.of('Spec', 'accessModes'), ''));
  for (const [name, amount] of Object.entries(objectAt(object, 'status', 'capacity') ?? {}))
    issues.push(...validateAmount(amount, STATUS.child('capacity').key(name)));
  const states = STATUS.child('allocatedResourceStatuses');
  for (const [name, state] of Object.entries(objectAt(object, 'status', 'allocatedResourceStatuses') ?? {})) {
    addIssues(issues, validateResourceKey(name, states));
    if (typeof state === 'string' && !RESIZE_STATES.includes(state))
      issues.push(declared(notSupported(states, name, RESIZE_STATES)));
  }
  const allocated = STATUS.child('allocatedResources');
  for (const [name, amount] of Object.entries(objectAt(object, 'status', 'allocatedResources') ?? {})) {
    const wrongKey = validateResourceKey(name, allocated);
    addIssues(issues, wrongKey.length > 0 ? wrongKey : validateAmount(amount, allocated.key(name)));
  }
  return issues;
}

function validateAmount(value: JsonValue, path: FieldPath): FieldIssue[] {
  const whole = quantityValue(amountOf(value));
  return whole < 0n ? [invalid(path, whole, 'must be a valid resource quantity')] : [];
}

/** The name must be `storage` or have a domain outside of Kubernetes. */
function validateResourceKey(name: string, path: FieldPath): FieldIssue[] {
  const issues = checkQualifiedName(name).map((complaint) => invalid(path, name, complaint));
  if (issues.length > 0 || name === 'storage' || !isNativeResource(name)) return issues;
  return [notSupported(path, name, ['storage'])];
}

export function claimWarnings(object: JsonObject): readonly string[] {
  const warnings = claimSpecWarnings(specOf(object), SPEC);
  if (annotatedClass(object) === undefined) return warnings;
  const path = METADATA.child('annotations').key(BETA_CLASS_ANNOTATION);
  return [`${path}: deprecated since v1.8; use "storageClassName" attribute instead`, ...warnings];
}
