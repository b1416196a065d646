/**
 * Metadata of the built-in kinds, which the reference judges more strictly than that of others: a finalizer is a standard one or has a
 * domain. Invariant: pure; these issues follow the general ones.
 */
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
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
import { metaFacts } from './object-fields.ts';

const METADATA = FieldPath.of('metadata');
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', FINALIZER_ORPHAN, FINALIZER_FOREGROUND]);

/** Metadata of an object about to be created. */
export function validateKubeMeta(meta: ObjectMetaFacts, rules: ObjectMetaRules, path: FieldPath): FieldIssue[] {
  return [...validateObjectMeta(meta, rules, path), ...validateFinalizerNames(meta, path)];
}

/** Metadata about to replace `old`. */
export function validateKubeMetaUpdate(next: ObjectMetaFacts, old: ObjectMetaFacts, path: FieldPath): FieldIssue[] {
  return [...validateObjectMetaUpdate(next, old, path), ...validateFinalizerNames(next, path)];
}

/** As `validateKubeMetaUpdate`, of whole objects. */
export function validateMetaUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return validateKubeMetaUpdate(metaFacts(object), metaFacts(old), METADATA);
}

/** What is wrong with the name of a finalizer beyond its syntax; empty if nothing is. */
export function checkKubeFinalizerName(name: string): Complaints {
  if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return [];
  return ['name is neither a standard finalizer name nor is it fully qualified'];
}

function validateFinalizerNames(meta: ObjectMetaFacts, path: FieldPath): FieldIssue[] {
  return (meta.finalizers ?? []).flatMap((name, i) =>
    checkKubeFinalizerName(name).map((complaint) => invalid(childPath(path, 'finalizers').index(i), name, complaint)),
  );
}
