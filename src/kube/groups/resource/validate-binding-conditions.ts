/** Validation of the binding conditions of devices and of allocation results. */
import { textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { duplicate, type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateLabelName } from '../../../apimachinery/validation/label-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { validateList } from './validate-list.ts';

const MAX_BINDING_CONDITIONS = 4;

/** bindingConditions and bindingFailureConditions must be set together and must not overlap. */
export function validateBindingConditions(owner: JsonObject, path: FieldPath): FieldIssue[] {
  const [good, bad] = [textsAt(owner, 'bindingConditions'), textsAt(owner, 'bindingFailureConditions')];
  const [goodPath, badPath] = [path.child('bindingConditions'), path.child('bindingFailureConditions')];
  const issues = [
    ...validateList(good, MAX_BINDING_CONDITIONS, goodPath, validateLabelName),
    ...validateList(bad, MAX_BINDING_CONDITIONS, badPath, validateLabelName),
  ];
  const [goodOnes, badOnes] = [new Set<string>(), new Set<string>()];
  for (const [i, condition] of good.entries()) {
    if (goodOnes.has(condition)) issues.push(duplicate(goodPath.index(i), condition));
    goodOnes.add(condition);
  }
  for (const [i, condition] of bad.entries()) {
    if (badOnes.has(condition)) issues.push(duplicate(badPath.index(i), condition));
    badOnes.add(condition);
    if (goodOnes.has(condition))
      issues.push(
        invalid(badPath.index(i), condition, 'bindingFailureConditions must not overlap with bindingConditions'),
      );
  }
  if (good.length === 0 && bad.length > 0)
    issues.push(invalid(goodPath, null, 'bindingConditions are required to use bindingFailureConditions'));
  if (bad.length === 0 && good.length > 0)
    issues.push(invalid(badPath, null, 'bindingFailureConditions are required to use bindingConditions'));
  return issues;
}
