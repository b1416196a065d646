/**
 * Validation of a definition on create, on update and on update of its status. Both versions are validated in the form
 * of v1beta1; requests in v1beta1 are validated by less strict rules.
 */

import { fieldAt, flagAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { declared, type FieldIssue, invalid, required } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { type ObjectMetaFacts, validateObjectMeta } from '../../../apimachinery/validation/validate-object-meta.ts';
import { validateObjectMetaUpdate } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { readNames } from '../../crd.ts';
import { APPROVED_ANNOTATION, approvalOf, isProtectedGroup } from '../api-approval.ts';
import { toV1beta1 } from '../crd-conversion.ts';
import { validateNames } from './validate-crd-names.ts';
import { validateOwnAnnotations } from './validate-own-annotations.ts';
import { validateSpec, validateSpecUpdate } from './validate-spec.ts';
import { optionsForCreate, optionsForUpdate, type ValidationTools } from './validation-options.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');

export interface Request {
  /** The objects are in v1beta1. */
  readonly isV1beta1: boolean;
  readonly tools: ValidationTools;
}

export function validateDefinition(object: JsonObject, { isV1beta1, tools }: Request): FieldIssue[] {
  const definition = isV1beta1 ? object : toV1beta1(object, '');
  const wantedName = `${textAt(definition, 'spec', 'names', 'plural')}.${textAt(definition, 'spec', 'group')}`;
  const rules = {
    namespaced: false,
    name: (name: string, prefix: boolean) => [
      ...nameIsDnsSubdomain(name, prefix),
      ...(name === wantedName ? [] : ['must be spec.names.plural+"."+spec.group']),
    ],
  };
  const issues = [
    ...validateObjectMeta(metaOf(definition), rules, METADATA),
    ...validateSpec(objectAt(definition, 'spec') ?? {}, SPEC, optionsForCreate(isV1beta1, tools)),
    ...validateStatus(definition),
    ...validateStoredVersions(definition),
    ...(isV1beta1 ? [] : [...validateApproval(definition, undefined), ...validatePreserving(definition, undefined)]),
  ];
  return issues.length > 0 ? issues : [...validateOwnAnnotations(object, undefined, isV1beta1)];
}

export function validateDefinitionUpdate(
  object: JsonObject,
  oldObject: JsonObject,
  { isV1beta1, tools }: Request,
): FieldIssue[] {
  const definition = isV1beta1 ? object : toV1beta1(object, '');
  const old = isV1beta1 ? oldObject : toV1beta1(oldObject, '');
  const options = optionsForUpdate(definition, old, isV1beta1, tools);
  const issues = [
    ...validateObjectMetaUpdate(metaOf(definition), metaOf(old), METADATA),
    ...validateSpecUpdate(objectAt(definition, 'spec') ?? {}, objectAt(old, 'spec') ?? {}, SPEC, options),
    ...validateStatus(definition),
    ...validateStoredVersions(definition),
    ...(isV1beta1 ? [] : [...validateApproval(definition, old), ...validatePreserving(definition, old)]),
  ];
  return issues.length > 0 ? issues : [...validateOwnAnnotations(object, oldObject, isV1beta1)];
}

/** An update of the status may change annotations, too. */
export function validateDefinitionStatusUpdate(
  object: JsonObject,
  old: JsonObject,
  { isV1beta1 }: Pick<Request, 'isV1beta1'>,
): FieldIssue[] {
  const issues = [...validateObjectMetaUpdate(metaOf(object), metaOf(old), METADATA), ...validateStatus(object)];
  return issues.length > 0 ? issues : [...validateOwnAnnotations(object, old, isV1beta1)];
}

function metaOf(object: JsonObject): ObjectMetaFacts {
  return (objectAt(object, 'metadata') ?? {}) as ObjectMetaFacts;
}

function validateStatus(object: JsonObject): FieldIssue[] {
  return validateNames(readNames(objectAt(object, 'status', 'acceptedNames')), STATUS.child('acceptedNames'));
}

/** A stored version stays in the spec until its objects are rewritten, because there may be some. */
function validateStoredVersions(object: JsonObject): FieldIssue[] {
  const path = STATUS.child('storedVersions');
  const stored = textsAt(object, 'status', 'storedVersions');
  const value = stored.length === 0 ? null : [...stored];
  if (stored.length === 0) return [declared(invalid(path, value, 'must have at least one stored version'))];
  const left = new Map(stored.map((name, i) => [name, i]));
  const issues: FieldIssue[] = [];
  for (const version of objectsAt(object, 'spec', 'versions')) {
    const name = textAt(version, 'name');
    // Of two versions with the same name, only the first is a stored version, as in kube-apiserver.
    if (!left.delete(name) && flagAt(version, 'storage'))
      issues.push(declared(invalid(path, value, `must have the storage version ${name}`)));
  }
  for (const [name, i] of left) issues.push(invalid(path.index(i), name, missingVersion(name)));
  return issues;
}

function missingVersion(name: string): string {
  return `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
}

/** Checks the annotation only if the update changes its state. */
function validateApproval(object: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  if (!isProtectedGroup(textAt(object, 'spec', 'group'))) return [];
  const { state, reason } = approvalOf(annotationsOf(object));
  if (old !== undefined && approvalOf(annotationsOf(old)).state === state) return [];
  const path = METADATA.child('annotations').key(APPROVED_ANNOTATION);
  if (state === 'missing') return [required(path, reason)];
  return state === 'invalid' ? [invalid(path, annotationsOf(object)[APPROVED_ANNOTATION], reason)] : [];
}

function annotationsOf(object: JsonObject): Readonly<Record<string, string>> {
  return (objectAt(object, 'metadata', 'annotations') ?? {}) as Record<string, string>;
}

function validatePreserving(object: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  if (old !== undefined && flagAt(old, 'spec', 'preserveUnknownFields')) return [];
  if (fieldAt(object, 'spec', 'preserveUnknownFields') !== true) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalid(SPEC.child('preserveUnknownFields'), true, detail)];
}
