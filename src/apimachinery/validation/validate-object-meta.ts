/**
 * Validation of the metadata that all kinds share. Issues are in the reference's order, except that entries of maps are
 * in the order of the object.
 */
import type { JsonObject } from '../../base/json-value.ts';
import { utf8Length } from '../../base/utf8.ts';
import { addIssues, declared, type FieldIssue, forbidden, invalid, required, tooLong } from './field-issue.ts';
import { childPath, type FieldPath } from './field-path.ts';
import { checkQualifiedName, validateLabels } from './label-syntax.ts';
import { type NameRule, nameIsDnsLabel } from './name-rules.ts';
import { type ManagedFieldsFacts, validateManagedFields } from './validate-managed-fields.ts';

/** The part of an owner reference that validation reads. */
export interface OwnerReferenceFacts {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly controller?: boolean | null | undefined;
  readonly blockOwnerDeletion?: boolean | null | undefined;
}

/** The part of metadata that validation reads. Absent and empty are the same. Times are RFC 3339. */
export interface ObjectMetaFacts {
  readonly name?: string | undefined;
  readonly generateName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | bigint | undefined;
  readonly creationTimestamp?: string | null | undefined;
  readonly deletionTimestamp?: string | null | undefined;
  readonly deletionGracePeriodSeconds?: number | bigint | null | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences?: readonly OwnerReferenceFacts[] | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly managedFields?: readonly ManagedFieldsFacts[] | undefined;
}

/** The limit of all annotations of an object, keys and values, in bytes. */
export const ANNOTATIONS_MAX: number = 256 * 1024;
export const FIELD_IMMUTABLE = 'field is immutable';
export const FINALIZER_ORPHAN = 'orphan';
export const FINALIZER_FOREGROUND = 'foregroundDeletion';

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly name: NameRule;
}

/** Validates the metadata of an object to be created. Its name has been generated. */
export function validateObjectMeta(
  meta: ObjectMetaFacts,
  rules: ObjectMetaRules,
  path: FieldPath | undefined,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const { name = '', generateName = '', namespace = '', generation = 0 } = meta;
  for (const complaint of generateName === '' ? [] : rules.name(generateName, true))
    issues.push(invalid(childPath(path, 'generateName'), generateName, complaint));
  if (name === '') issues.push(required(childPath(path, 'name'), 'name or generateName is required'));
  else for (const complaint of rules.name(name, false)) issues.push(invalid(childPath(path, 'name'), name, complaint));
  addIssues(issues, validateNamespace(namespace, rules.namespaced, path));
  if (generation < 0)
    issues.push(invalid(childPath(path, 'generation'), generation, 'must be greater than or equal to 0'));
  const { labels, annotations, ownerReferences, finalizers, managedFields } = meta;
  if (labels !== undefined) addIssues(issues, validateLabels(labels, childPath(path, 'labels')));
  if (annotations !== undefined) addIssues(issues, validateAnnotations(annotations, childPath(path, 'annotations')));
  if (ownerReferences !== undefined)
    addIssues(issues, validateOwnerReferences(ownerReferences, childPath(path, 'ownerReferences')));
  if (finalizers !== undefined) addIssues(issues, validateFinalizers(finalizers, childPath(path, 'finalizers')));
  if (managedFields !== undefined)
    addIssues(issues, validateManagedFields(managedFields, childPath(path, 'managedFields')));
  return issues;
}

/** The path is that of the metadata. */
function validateNamespace(
  namespace: string,
  namespaced: boolean,
  metadata: FieldPath | undefined,
): readonly FieldIssue[] {
  if (namespaced ? nameIsDnsLabel(namespace, false).length === 0 : namespace === '') return NONE;
  const path = childPath(metadata, 'namespace');
  if (!namespaced) return [forbidden(path, 'not allowed on this type')];
  if (namespace === '') return [required(path, '')];
  return nameIsDnsLabel(namespace, false).map((complaint) => invalid(path, namespace, complaint));
}

const NONE: readonly FieldIssue[] = [];

/** Keys are qualified names in any case. The total size is limited. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath | undefined,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (annotations === undefined) return issues;
  let size = 0;
  for (const key of Object.keys(annotations)) {
    for (const complaint of checkQualifiedName(lowerCase(key))) issues.push(invalid(path, key, complaint));
    size += utf8Length(key) + utf8Length(annotations[key] as string);
  }
  if (size > ANNOTATIONS_MAX) issues.push(tooLong(path, undefined, ANNOTATIONS_MAX));
  return issues;
}

/**
 * Lower-cases character by character as Go does, which maps U+0130 to a plain i. JavaScript would add a combining dot.
 */
export function lowerCase(text: string): string {
  return (text.includes('\u0130') ? text.replaceAll('\u0130', 'i') : text).toLowerCase();
}

/** Required fields must be set, an Event cannot own anything, and at most one owner is the controller. */
export function validateOwnerReferences(
  references: readonly OwnerReferenceFacts[] | undefined,
  path: FieldPath | undefined,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  let firstController: string | undefined;
  for (const reference of references ?? []) {
    issues.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const controller = `${reference.kind ?? ''}/${reference.name ?? ''}`;
    if (firstController === undefined) firstController = controller;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${firstController} and ${controller}`;
      issues.push(declared(invalid(path, (references ?? []).map(declaredReference), detail)));
    }
  }
  return issues;
}

function validateOwnerReference(reference: OwnerReferenceFacts, path: FieldPath | undefined): FieldIssue[] {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const issues: FieldIssue[] = [];
  if (versionOf(apiVersion) === '')
    issues.push(invalid(childPath(path, 'apiVersion'), apiVersion, 'version must not be empty'));
  if (kind === '') issues.push(invalid(childPath(path, 'kind'), kind, 'must not be empty'));
  if (name === '') issues.push(invalid(childPath(path, 'name'), name, 'must not be empty'));
  if (uid === '') issues.push(invalid(childPath(path, 'uid'), uid, 'must not be empty'));
  if ((apiVersion === 'v1' || apiVersion === '/v1') && kind === 'Event')
    issues.push(
      declared(invalid(path, declaredReference(reference), '/v1, Kind=Event is disallowed from being an owner')),
    );
  return issues;
}

/** The version of an apiVersion. Also '' if there are two slashes. */
function versionOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  const version = slash < 0 ? apiVersion : apiVersion.slice(slash + 1);
  return version.includes('/') ? '' : version;
}

/** The reference with its declared fields: required ones always, optional ones if set. */
function declaredReference(reference: OwnerReferenceFacts): JsonObject {
  const { apiVersion = '', kind = '', name = '', uid = '', controller, blockOwnerDeletion } = reference;
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(typeof controller === 'boolean' ? { controller } : undefined),
    ...(typeof blockOwnerDeletion === 'boolean' ? { blockOwnerDeletion } : undefined),
  };
}

/** Finalizers are qualified names. Orphaning and foreground deletion exclude each other. */
function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath | undefined): FieldIssue[] {
  const list = finalizers ?? [];
  const issues = list.flatMap((finalizer) =>
    checkQualifiedName(finalizer).map((complaint) => invalid(path, finalizer, complaint)),
  );
  if (list.includes(FINALIZER_ORPHAN) && list.includes(FINALIZER_FOREGROUND)) {
    const detail = `finalizer ${FINALIZER_ORPHAN} and ${FINALIZER_FOREGROUND} cannot be both set`;
    issues.push(invalid(path, [...list], detail));
  }
  return issues;
}
