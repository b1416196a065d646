/** The validation of the value of a `default` rule by the schema of its field. */
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import { typeInvalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateLabels } from '../../../apimachinery/validation/label-syntax.ts';
import { defaultRules } from '../../../schema/rules/rules-of.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { validateValue } from '../../../schema/validate-defaults.ts';
import { objectMetaView } from '../../../server/resource/schema/object-metadata-form.ts';
import type { DefaultRule } from './field-rules.ts';
import { EVERY } from './rule-path.ts';
import { schemaAt } from './schema-fields.ts';

/** Returns the issues of the value. `schema` is that of the whole resource. */
export function valueIssues(schema: StructuralSchema, { path, value }: DefaultRule): readonly FieldIssue[] {
  const target = schemaAt(schema, path);
  if (target === undefined || target === 'any') return [];
  const [first, second, key] = path;
  const at = path
    .slice(1)
    .reduce((above, step) => (step === EVERY ? above.key('*') : above.child(step)), FieldPath.of(String(first)));
  if (first === 'metadata' && typeof key === 'string') {
    if (typeof value !== 'string') return [typeInvalid(at, value, 'must be a string')];
    return second === 'labels' ? validateLabels({ [key]: value }, FieldPath.of('metadata', 'labels')) : [];
  }
  const issues = validateValue(target, value, at, {
    objectMeta: objectMetaView(),
    requirePruned: true,
    rules: defaultRules,
  });
  // The texts about a value of its own have no name of a field before `in body`.
  return issues.map((issue) => ({ ...issue, detail: issue.detail.replace(/^\s*in body /, '') }));
}
