/**
 * Validation of the field rules of a definition on create and update. Invariant: a definition whose rules fail, or lose
 * fields that are not declared lossy, is never stored.
 */
import { type FieldIssue, forbidden, invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { parseStructural } from '../../schema/structural/parse-structural.ts';
import { compileVersion } from '../compile-version.ts';
import type { Crd } from '../crd.ts';
import { checkFieldRules } from './fields/check-field-rules.ts';
import { FIELD_RULES_ANNOTATION, type RuleProblem } from './fields/field-rules.ts';

const PATH = FieldPath.of('metadata', 'annotations').key(FIELD_RULES_ANNOTATION);

/**
 * Returns the issues of the rules. `old` is the definition before the update; unchanged rules with unchanged schemas
 * are not checked again.
 */
export function validateFieldRules(crd: Crd, old: Crd | undefined): readonly FieldIssue[] {
  const text = crd.annotations[FIELD_RULES_ANNOTATION];
  if (text === undefined) return [];
  if (crd.webhook !== undefined) return [forbidden(PATH, 'may not be used beside a conversion webhook')];
  if (old !== undefined && old.annotations[FIELD_RULES_ANNOTATION] === text && old.generation === crd.generation)
    return [];
  const versions = crd.versions.map((version) => {
    const parsed = version.schema === undefined ? undefined : parseStructural(version.schema);
    const compiled = parsed?.ok === true ? compileVersion(crd, version) : undefined;
    return {
      name: version.name,
      schema: parsed?.ok === true ? parsed.schema : undefined,
      prune: (object: JsonObject) => void compiled?.prune(object),
    };
  });
  return checkFieldRules(text, versions).map(issueOf);
}

function issueOf({ at, value, message }: RuleProblem): FieldIssue {
  const path = at.reduce<FieldPath>(
    (above, step) => (typeof step === 'number' ? above.index(step) : above.child(step)),
    PATH,
  );
  return value === undefined ? forbidden(path, message) : invalid(path, value, message);
}
