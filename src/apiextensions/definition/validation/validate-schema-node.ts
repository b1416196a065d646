/**
 * One node of a schema after another: the dialect that definitions may use, and its extensions. Invariant: issues come in the order of the reference, with the properties in the
 * order of their names; rules are compiled only where nothing is wrong with the schema below them.
 */

import { fieldAt, flagAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { addIssues, type FieldIssue, forbidden, notSupported } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { getField, isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import type { PlainNodes } from '../../../schema/structural/plain-nodes.ts';
import { innerContext, type RuleContext, validateRules } from './schema-rules.ts';
import { SCHEMA_TYPES, schemaEntries } from './schema-walk.ts';
import { validateExtensions } from './validate-extensions.ts';
import { validateRuleTexts } from './validate-rule-texts.ts';
import type { ValidationOptions } from './validation-options.ts';

const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

/** What holds for a node because of where it stands. */
interface Standing {
  /** Undefined: a default is allowed. Otherwise why not. */
  readonly defaultsForbidden: string | undefined;
  readonly insideMeta: boolean;
  /** The highest place whose items cannot be told apart between two states of an object. */
  readonly uncorrelatable: FieldPath | undefined;
}

export interface SchemaOptions extends ValidationOptions {
  /** The schema did not change: rules may cost what they cost. */
  readonly anyCost: boolean;
}

export interface NodeOptions extends SchemaOptions {
  /** What need not be looked at. */
  readonly plain: PlainNodes;
}

/** Everything wrong with a schema, rules last. `context` is undefined where rules cannot be compiled anyway. */
export function validateSchemaNodes(
  schema: JsonObject,
  path: FieldPath,
  context: RuleContext | undefined,
  options: NodeOptions,
): FieldIssue[] {
  const walk = new SchemaValidation(options);
  const standing = { defaultsForbidden: options.defaultsForbidden, insideMeta: false, uncorrelatable: undefined };
  walk.visit(schema, path, standing, context, true);
  return [...walk.schemaIssues, ...walk.ruleIssues];
}

class SchemaValidation {
  readonly schemaIssues: FieldIssue[] = [];
  readonly ruleIssues: FieldIssue[] = [];
  readonly #options: NodeOptions;

  constructor(options: NodeOptions) {
    this.#options = options;
  }

  visit(
    schema: JsonObject,
    path: FieldPath,
    standing: Standing,
    context: RuleContext | undefined,
    isRoot: boolean,
  ): void {
    if (this.#options.plain.has(schema)) return;
    const before = this.schemaIssues.length;
    addIssues(this.schemaIssues, validateDialect(schema, path, standing, this.#options));
    if (flagAt(schema, 'uniqueItems')) {
      const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
      this.schemaIssues.push(forbidden(path.child('uniqueItems'), detail));
    }
    this.#visitValues(schema, path, standing, context);
    this.#visitProperties(schema, path, standing, context, isRoot);
    this.#visitOperators(schema, path, standing);
    this.#visitItems(schema, path, standing, context);
    for (const [name, inner] of schemaEntries(schema, 'dependencies'))
      this.visit(inner, path.child('dependencies').key(name), standing, undefined, false);
    addIssues(this.schemaIssues, validateExtensions(schema, path, this.#options));
    this.#checkRules(schema, path, standing, context, before);
  }

  #visitValues(schema: JsonObject, path: FieldPath, standing: Standing, context: RuleContext | undefined): void {
    const values = fieldAt(schema, 'additionalProperties');
    if (values === undefined) return;
    const place = path.child('additionalProperties');
    if (Object.keys(objectAt(schema, 'properties') ?? {}).length > 0 && values !== true)
      this.schemaIssues.push(forbidden(place, 'additionalProperties and properties are mutual exclusive'));
    if (!isJsonObject(values)) return;
    // What a default would be pruned to cannot be known without a value.
    const inner = standing.insideMeta
      ? { ...standing, defaultsForbidden: 'inside additionalProperties applying to object metadata' }
      : standing;
    const structural = context?.schema?.additionalProperties;
    const below = context && innerContext(context, schema, typeof structural === 'object' ? structural : undefined);
    this.visit(values, place, inner, below, false);
  }

  #visitProperties(
    schema: JsonObject,
    path: FieldPath,
    standing: Standing,
    context: RuleContext | undefined,
    isRoot: boolean,
  ): void {
    const isCorrelatable = ['', 'granular', 'atomic'].includes(textAt(schema, 'x-kubernetes-map-type'));
    const isResource = isRoot || flagAt(schema, 'x-kubernetes-embedded-resource');
    for (const [name, property] of schemaEntries(schema, 'properties')) {
      if (this.#options.plain.has(property)) continue;
      let inner = isCorrelatable ? standing : uncorrelatable(standing, path);
      if (isResource && META_FIELDS.has(name)) {
        inner = { ...inner, insideMeta: true };
        if (isRoot) inner = { ...inner, defaultsForbidden: `in top-level ${name}` };
      }
      const below = context && innerContext(context, schema, context.schema?.properties.get(name));
      this.visit(property, path.child('properties').key(name), inner, below, false);
    }
  }

  /** Rules below logic operators are not looked at. */
  #visitOperators(schema: JsonObject, path: FieldPath, standing: Standing): void {
    const not = objectAt(schema, 'not');
    if (not !== undefined) this.visit(not, path.child('not'), standing, undefined, false);
    for (const name of ['allOf', 'oneOf', 'anyOf'])
      for (const [i, inner] of objectsAt(schema, name).entries())
        this.visit(inner, path.child(name).index(i), standing, undefined, false);
    for (const [name, inner] of schemaEntries(schema, 'definitions'))
      this.visit(inner, path.child('definitions').key(name), standing, undefined, false);
  }

  #visitItems(schema: JsonObject, path: FieldPath, standing: Standing, context: RuleContext | undefined): void {
    const items = fieldAt(schema, 'items');
    if (items === undefined) return;
    const inner = textAt(schema, 'x-kubernetes-list-type') === 'map' ? standing : uncorrelatable(standing, path);
    const below = context && innerContext(context, schema, context.schema?.items);
    if (isJsonObject(items)) this.visit(items, path.child('items'), inner, below, false);
    else
      for (const [i, item] of objectsAt(schema, 'items').entries())
        this.visit(item, path.child('items').index(i), inner, below, false);
  }

  #checkRules(
    schema: JsonObject,
    path: FieldPath,
    standing: Standing,
    context: RuleContext | undefined,
    issuesBefore: number,
  ): void {
    const rules = objectsAt(schema, 'x-kubernetes-validations');
    if (rules.length === 0) return;
    const place = path.child('x-kubernetes-validations');
    const { checks, anyCost } = this.#options;
    addIssues(this.schemaIssues, validateRuleTexts(rules, schema, place, checks));
    if (this.schemaIssues.length > issuesBefore || context === undefined) return;
    const options = { checks, anyCost, uncorrelatable: standing.uncorrelatable };
    addIssues(this.ruleIssues, validateRules(rules, context, place, options));
  }
}

/** From here on rules cannot compare with old values; the highest such place is kept. */
function uncorrelatable(standing: Standing, path: FieldPath): Standing {
  return standing.uncorrelatable === undefined ? { ...standing, uncorrelatable: path } : standing;
}

/** Fields of JSON schema that definitions may not use, or not here. */
function validateDialect(schema: JsonObject, path: FieldPath, standing: Standing, options: NodeOptions): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const type = textAt(schema, 'type');
  const isSet = (name: string): boolean => fieldAt(schema, name) !== undefined;
  const refuse = (name: string, detail = `${name} is not supported`): void => {
    issues.push(forbidden(path.child(name), detail));
  };
  if (options.requireValidTypes && type !== '' && !SCHEMA_TYPES.includes(type))
    issues.push(notSupported(path.child('type'), type, SCHEMA_TYPES));
  if (getField(schema, 'default') !== undefined && standing.defaultsForbidden !== undefined)
    refuse('default', `must not be set ${standing.defaultsForbidden}`);
  if (textAt(schema, 'id') !== '') refuse('id');
  for (const name of ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'])
    if (isSet(name)) refuse(name);
  if (type === 'null') refuse('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(fieldAt(schema, 'items'))) refuse('items', 'items must be a schema object and not an array');
  if (standing.insideMeta && flagAt(schema, 'x-kubernetes-embedded-resource'))
    refuse('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  return issues;
}
