/**
 * Validation of the annotations of a definition under `keelson.dev/`, which this server reads. Invariant: such an
 * annotation is never ignored. An unknown one is refused, because it is probably a misspelt one.
 */
import { objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { nearestName } from '../../../base/nearest-name.ts';
import { FIELD_RULES_ANNOTATION } from '../../conversion/fields/field-rules.ts';
import { validateFieldRules } from '../../conversion/validate-field-rules.ts';
import { readCrd } from '../../crd.ts';
import { toV1 } from '../crd-conversion.ts';

const PREFIX = 'keelson.dev/';
const KNOWN: readonly string[] = [FIELD_RULES_ANNOTATION];
const PATH = FieldPath.of('metadata', 'annotations');

/**
 * Called on create, on update and on update of the status, after the other checks found no issue. `old` is undefined on
 * create. An update may keep an unknown annotation that the stored definition has.
 */
export function validateOwnAnnotations(
  object: JsonObject,
  old: JsonObject | undefined,
  isV1beta1: boolean,
): readonly FieldIssue[] {
  const own = ownAnnotations(object);
  if (own.length === 0) return [];
  const kept = old === undefined ? [] : ownAnnotations(old);
  const issues = own.filter((key) => !KNOWN.includes(key) && !kept.includes(key)).map(unknownAnnotation);
  if (!own.includes(FIELD_RULES_ANNOTATION)) return issues;
  // Field rules are validated on the v1 form of a definition.
  const crdOf = (given: JsonObject) => readCrd(isV1beta1 ? toV1(given, '') : given);
  return [...issues, ...validateFieldRules(crdOf(object), old === undefined ? undefined : crdOf(old))];
}

function ownAnnotations(object: JsonObject): readonly string[] {
  return Object.keys(objectAt(object, 'metadata', 'annotations') ?? {}).filter((key) => key.startsWith(PREFIX));
}

function unknownAnnotation(key: string): FieldIssue {
  const near = nearestName(
    key.slice(PREFIX.length),
    KNOWN.map((known) => known.slice(PREFIX.length)),
  );
  const hint =
    near === undefined ? `the annotations under ${PREFIX} are ${KNOWN.join(', ')}` : `did you mean ${PREFIX}${near}?`;
  return forbidden(PATH.key(key), `unknown annotation of a definition: ${hint}`);
}
