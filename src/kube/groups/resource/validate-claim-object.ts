/** Validation that ResourceClaim and ResourceClaimTemplate share. */
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { declared, type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { resourceShapes } from '../../../kinds/shapes/resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');

export function validateClaimMeta(object: JsonObject): FieldIssue[] {
  return validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
}

/** Reports a changed spec. `type` is the Go type of the spec, as which the message prints it. */
export function validateSameSpec(
  object: JsonObject,
  old: JsonObject,
  type: 'ResourceClaimSpec' | 'ResourceClaimTemplateSpec',
): FieldIssue[] {
  const spec = objectAt(object, 'spec') ?? {};
  if (equalJson(spec, objectAt(old, 'spec') ?? {})) return [];
  return [declared(invalid(SPEC, goValue(resourceShapes, type, spec), FIELD_IMMUTABLE))];
}
