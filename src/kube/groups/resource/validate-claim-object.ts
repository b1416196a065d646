/** Validation that ResourceClaim and ResourceClaimTemplate share. */
import { objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { declared, type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import { inGoShape } from '../../shared/go-shape.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';
import { CLAIM_SPEC } from './shapes.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');

export function validateClaimMeta(object: JsonObject): FieldIssue[] {
  return validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
}

/** Reports a changed spec. `shown` returns the spec as kube-apiserver's internal Go type prints it. */
export function validateSameSpec(
  object: JsonObject,
  old: JsonObject,
  shown: (spec: JsonObject) => JsonObject,
): FieldIssue[] {
  const spec = objectAt(object, 'spec') ?? {};
  if (equalJson(spec, objectAt(old, 'spec') ?? {})) return [];
  return [declared(invalid(SPEC, shown(spec), FIELD_IMMUTABLE))];
}

export function shownClaimSpec(spec: JsonObject): JsonObject {
  return inGoShape(spec, CLAIM_SPEC);
}
