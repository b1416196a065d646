/**
 * Validation of the metadata of built-in kinds. In addition to the general rules, a finalizer must be a standard one or
 * have a domain.
 */
import { addIssues, type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import { childPath, FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { Complaints } from '../../apimachinery/validation/name-syntax.ts';
import {
  FINALIZER_FOREGROUND,
  FINALIZER_ORPHAN,
  type ObjectMetaFacts,
  type ObjectMetaRules,
  validateObjectMeta,
} from '../../apimachinery/validation/validate-object-meta.ts';
import { validateObjectMetaUpdate } from '../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { metaFacts } from '../../server/resource/strategy-fields.ts';

const METADATA = FieldPath.of('metadata');
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', FINALIZER_ORPHAN, FINALIZER_FOREGROUND]);

/** Metadata on create. */
export function validateKubeMeta(meta: ObjectMetaFacts, rules: ObjectMetaRules, path: FieldPath): FieldIssue[] {
  const issues = validateObjectMeta(meta, rules, path);
  if (meta.finalizers !== undefined) addIssues(issues, validateFinalizerNames(meta, path));
  return issues;
}

/** Metadata on update. */
export function validateKubeMetaUpdate(next: ObjectMetaFacts, old: ObjectMetaFacts, path: FieldPath): FieldIssue[] {
  return [...validateObjectMetaUpdate(next, old, path), ...validateFinalizerNames(next, path)];
}

/** Like `validateKubeMetaUpdate`, for whole objects. */
export function validateMetaUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return validateKubeMetaUpdate(metaFacts(object), metaFacts(old), METADATA);
}

/** Checks that a syntactically valid finalizer name is a standard one or has a domain. */
export function checkKubeFinalizerName(name: string): Complaints {
  if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return [];
  return ['name is neither a standard finalizer name nor is it fully qualified'];
}

function validateFinalizerNames(meta: ObjectMetaFacts, path: FieldPath): FieldIssue[] {
  return (meta.finalizers ?? []).flatMap((name, i) =>
    checkKubeFinalizerName(name).map((complaint) => invalid(childPath(path, 'finalizers').index(i), name, complaint)),
  );
}
