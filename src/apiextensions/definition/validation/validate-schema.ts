/**
 * Validation of the schema of a version, or of all versions: whether it is structural, its defaults, its nodes, and the
 * compilation and cost of its rules. As in kube-apiserver, a check runs only if the checks before it found no issue.
 */

import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { structShape } from '../../../apimachinery/go-shape/package-shapes.ts';
import { flagAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { declared, type FieldIssue, forbidden, invalid } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { getField, type JsonObject } from '../../../base/json-value.ts';
import { apiextensionsShapes } from '../../../kinds/shapes/apiextensions.ts';
import { type PlainNodes, plainSchema } from '../../../schema/structural/plain-nodes.ts';
import { type RuleContext, TotalCost } from './schema-rules.ts';
import { isDeeper } from './schema-walk.ts';
import { type SchemaOptions, validateSchemaNodes } from './validate-schema-node.ts';

/**
 * The fields that the root may have if the status is a subresource. The status is then validated by its own part of the
 * schema, to which no other field of the root may apply.
 */
const ROOT_FIELDS: readonly string[] = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/**
 * The maximum nesting of schemas. Schemas, and objects that have them, are processed recursively. kube-apiserver has
 * only the depth limit of its JSON decoder.
 */
const MAX_DEPTH = 500;

/** `validation` is the `schema` of a version or the `validation` of a v1beta1 spec, and `path` is its path. */
export function validateSchema(
  validation: JsonObject | undefined,
  hasStatus: boolean,
  path: FieldPath,
  options: SchemaOptions,
): FieldIssue[] {
  const schema = validation && objectAt(validation, 'openAPIV3Schema');
  if (schema === undefined) return [];
  const place = path.child('openAPIV3Schema');
  const { nodes: plain, isWhole } = plainSchema(schema, options.defaultsForbidden === undefined);
  if (isWhole) return [];
  if (isDeeper(schema, MAX_DEPTH, plain))
    return [forbidden(place, `must not be nested deeper than ${MAX_DEPTH} levels`)];
  const issues: FieldIssue[] = [];
  if (hasStatus) issues.push(...validateRoot(schema, path));
  if (flagAt(schema, 'nullable'))
    issues.push(forbidden(path.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root'));
  const structure = checkStructure(schema, place, plain, options);
  issues.push(...structure.issues, ...validateSchemaNodes(schema, place, structure.context, { ...options, plain }));
  // For most schemas that cannot be parsed, the issues of the other checks are more precise.
  if (issues.length === 0) issues.push(...structure.unparsed);
  if (structure.context !== undefined) issues.push(...structure.context.total.issues(place));
  return issues;
}

function validateRoot(schema: JsonObject, path: FieldPath): FieldIssue[] {
  // The first field that is not allowed, in the order of the Go type, is reported.
  for (const { goName, jsonName } of structShape(apiextensionsShapes, 'JSONSchemaProps').fields) {
    if ((getField(schema, jsonName) ?? undefined) === undefined) continue;
    if (goName === 'Type') {
      const type = textAt(schema, 'type');
      if (type === 'object') continue;
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(path.child('openAPIV3Schema.type'), type, detail)];
    }
    if (ROOT_FIELDS.includes(goName)) continue;
    const detail = `only [${ROOT_FIELDS.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    const shown = goValue(apiextensionsShapes, 'JSONSchemaProps', schema);
    return [declared(invalid(path.child('openAPIV3Schema'), shown, detail))];
  }
  return [];
}

interface Structure {
  readonly issues: readonly FieldIssue[];
  readonly unparsed: readonly FieldIssue[];
  /** Undefined if rules are not checked, because the schema is invalid or need not be structural. */
  readonly context: RuleContext | undefined;
}

const NOTHING: Structure = { issues: [], unparsed: [], context: undefined };

function checkStructure(schema: JsonObject, path: FieldPath, plain: PlainNodes, options: SchemaOptions): Structure {
  if (!options.requireStructural) return NOTHING;
  const { checks } = options;
  const parsed = checks.parse(schema);
  if (!parsed.ok) return { ...NOTHING, unparsed: [invalid(path, '', parsed.message)] };
  const structural = checks.validateStructural(parsed.schema, path, plain);
  if (structural.length > 0) return { ...NOTHING, issues: structural };
  const defaults = checks.validateDefaults(parsed.schema, path, options.requirePrunedDefaults, plain);
  if (defaults.length > 0) return { ...NOTHING, issues: defaults };
  const context = { schema: parsed.schema, isResource: true, cardinality: 1, total: new TotalCost() };
  return { ...NOTHING, context };
}
