/** DeviceClass, ResourceClaim and ResourceClaimTemplate as they are written. Invariant: pure; the issues are the reference's, in its order; a spec of a claim never changes. */
import { fieldAt, objectAt, objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import { declared, type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { inGoShape } from '../../shared/go-shape.ts';
import { metaFacts } from '../../shared/object-fields.ts';
import { validateTemplateMeta } from '../../shared/template-meta.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { isExtendedResource } from '../../shared/validate-resources.ts';
import { MAX_CONFIGS, validateConfiguration, validateDeviceClaim } from './device-claim.ts';
import { validateSelectors } from './device-selector.ts';
import { validateList } from './lists.ts';
import { CLAIM_SPEC } from './shapes.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');

function validateMeta(object: JsonObject, namespaced: boolean): FieldIssue[] {
  return validateKubeMeta(metaFacts(object), { namespaced, name: nameIsDnsSubdomain }, METADATA);
}

// ── DeviceClass ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function validateDeviceClass(object: JsonObject): FieldIssue[] {
  return [...validateMeta(object, false), ...validateClassSpec(objectAt(object, 'spec') ?? {}, undefined)];
}

export function validateDeviceClassUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateMeta(object, false),
    ...validateMetaUpdate(object, old),
    ...validateClassSpec(objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {}),
  ];
}

function validateClassSpec(spec: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const stored = old !== undefined && equalJson(fieldAt(spec, 'config') ?? null, fieldAt(old, 'config') ?? null);
  const issues = [
    ...validateSelectors(spec, SPEC),
    ...validateList(objectsAt(spec, 'config'), MAX_CONFIGS, SPEC.child('config'), (config, path) =>
      validateConfiguration(config, path, stored),
    ),
  ];
  const name = fieldAt(spec, 'extendedResourceName');
  if (typeof name === 'string' && !isExtendedResource(name))
    issues.push(invalid(SPEC.child('extendedResourceName'), name, 'must be a valid extended resource name'));
  return issues;
}

// ── Claims and their templates ─────────────────────────────────────────────────────────────────────────────────────────────────────

export function validateClaim(claim: JsonObject): FieldIssue[] {
  return [...validateMeta(claim, true), ...validateDeviceClaim(devicesOf(claim, 'spec'), SPEC.child('devices'))];
}

export function validateClaimUpdate(claim: JsonObject, old: JsonObject): FieldIssue[] {
  return [...validateMeta(claim, true), ...validateMetaUpdate(claim, old), ...validateSameSpec(claim, old, shownClaim)];
}

export function validateClaimTemplate(template: JsonObject): FieldIssue[] {
  const path = SPEC.child('spec', 'devices');
  return [
    ...validateMeta(template, true),
    ...validateTemplateMeta(objectAt(template, 'spec', 'metadata') ?? {}, SPEC.child('metadata')),
    ...validateDeviceClaim(devicesOf(template, 'spec', 'spec'), path),
  ];
}

export function validateClaimTemplateUpdate(template: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateClaimTemplate(template),
    ...validateMetaUpdate(template, old),
    ...validateSameSpec(template, old, shownTemplate),
  ];
}

function validateSameSpec(object: JsonObject, old: JsonObject, shown: (spec: JsonObject) => JsonObject): FieldIssue[] {
  const spec = objectAt(object, 'spec') ?? {};
  if (equalJson(spec, objectAt(old, 'spec') ?? {})) return [];
  return [declared(invalid(SPEC, shown(spec), FIELD_IMMUTABLE))];
}

function shownClaim(spec: JsonObject): JsonObject {
  return inGoShape(spec, CLAIM_SPEC);
}

/** The metadata stands beside the spec, without a name of its own. */
function shownTemplate(spec: JsonObject): JsonObject {
  return { ...objectAt(spec, 'metadata'), Spec: shownClaim(objectAt(spec, 'spec') ?? {}) };
}

function devicesOf(object: JsonObject, ...path: readonly string[]): JsonObject {
  return objectAt(object, ...path, 'devices') ?? {};
}
