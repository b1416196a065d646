/** Validation of a Node's config sources, the fields of the removed feature DynamicKubeletConfig. */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import {
  checkConfigMapKey,
  checkDns1123Label,
  checkDns1123Subdomain,
} from '../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';

/** uid and resourceVersion are forbidden in spec and required in status. */
export function validateConfigSource(source: JsonObject, path: FieldPath, where: 'spec' | 'status'): FieldIssue[] {
  const configMap = objectAt(source, 'configMap');
  if (configMap === undefined) {
    const shown = goValue(coreShapes, 'NodeConfigSource', source);
    return [declared(invalid(path, shown, 'exactly one reference subfield must be non-nil'))];
  }
  const own = path.child('configMap');
  const issues: FieldIssue[] = [];
  for (const field of ['uid', 'resourceVersion']) {
    const isSet = textAt(configMap, field) !== '';
    if (where === 'spec' && isSet) issues.push(forbidden(own.child(field), `${field} must not be set in spec`));
    if (where === 'status' && !isSet) issues.push(required(own.child(field), ''));
  }
  const rules = [
    ['namespace', checkDns1123Label],
    ['name', checkDns1123Subdomain],
    ['kubeletConfigKey', checkConfigMapKey],
  ] as const;
  for (const [field, check] of rules) {
    const value = textAt(configMap, field);
    if (value === '') issues.push(required(own.child(field), ''));
    else issues.push(...check(value).map((complaint) => invalid(own.child(field), value, complaint)));
  }
  return issues;
}
