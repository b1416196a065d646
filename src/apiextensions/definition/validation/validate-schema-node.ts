/**
 * Validation of the nodes of a schema: fields of JSON Schema that definitions may not use, and extensions. Invariants:
 * issues are in kube-apiserver's order, with properties sorted by name; the rules of a node are compiled only if the
 * node and those below it have no issue.
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

/** The restrictions on a node that follow from its position. */
interface NodePosition {
  /** The reason why a default is not allowed. Undefined: it is. */
  readonly defaultsForbidden: string | undefined;
  readonly insideMeta: boolean;
  /** The highest node whose items cannot be correlated between two states of an object. */
  readonly uncorrelatable: FieldPath | undefined;
}

export interface SchemaOptions extends ValidationOptions {
  /** Allows any cost of rules, because the schema has not changed. */
  readonly anyCost: boolean;
}

export interface NodeOptions extends SchemaOptions {
  /** Nodes that need no check. */
  readonly plain: PlainNodes;
}

/** Returns the issues of a schema, those of rules last. `context` is undefined if rules cannot be compiled. */
export function validateSchemaNodes(
  schema: JsonObject,
  path: FieldPath,
  context: RuleContext | undefined,
  options: NodeOptions,
): FieldIssue[] {
  const walk = new SchemaValidation(options);
  const position = { defaultsForbidden: options.defaultsForbidden, insideMeta: false, uncorrelatable: undefined };
  walk.visit(schema, path, position, context, true);
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
    position: NodePosition,
    context: RuleContext | undefined,
    isRoot: boolean,
  ): void {
    if (this.#options.plain.has(schema)) return;
    const before = this.schemaIssues.length;
    addIssues(this.schemaIssues, validateDialect(schema, path, position, this.#options));
    if (flagAt(schema, 'uniqueItems')) {
      const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
      this.schemaIssues.push(forbidden(path.child('uniqueItems'), detail));
    }
    this.#visitValues(schema, path, position, context);
    this.#visitProperties(schema, path, position, context, isRoot);
    this.#visitOperators(schema, path, position);
    this.#visitItems(schema, path, position, context);
    for (const [name, inner] of schemaEntries(schema, 'dependencies'))
      this.visit(inner, path.child('dependencies').key(name), position, undefined, false);
    addIssues(this.schemaIssues, validateExtensions(schema, path, this.#options));
    this.#checkRules(schema, path, position, context, before);
  }

  #visitValues(schema: JsonObject, path: FieldPath, position: NodePosition, context: RuleContext | undefined): void {
    const values = fieldAt(schema, 'additionalProperties');
    if (values === undefined) return;
    const place = path.child('additionalProperties');
    if (Object.keys(objectAt(schema, 'properties') ?? {}).length > 0 && values !== true)
      this.schemaIssues.push(forbidden(place, 'additionalProperties and properties are mutual exclusive'));
    if (!isJsonObject(values)) return;
    // How such a default is pruned depends on the object.
    const inner = position.insideMeta
      ? { ...position, defaultsForbidden: 'inside additionalProperties applying to object metadata' }
      : position;
    const structural = context?.schema?.additionalProperties;
    const below = context && innerContext(context, schema, typeof structural === 'object' ? structural : undefined);
    this.visit(values, place, inner, below, false);
  }

  #visitProperties(
    schema: JsonObject,
    path: FieldPath,
    position: NodePosition,
    context: RuleContext | undefined,
    isRoot: boolean,
  ): void {
    const isCorrelatable = ['', 'granular', 'atomic'].includes(textAt(schema, 'x-kubernetes-map-type'));
    const isResource = isRoot || flagAt(schema, 'x-kubernetes-embedded-resource');
    for (const [name, property] of schemaEntries(schema, 'properties')) {
      if (this.#options.plain.has(property)) continue;
      let inner = isCorrelatable ? position : uncorrelatable(position, path);
      if (isResource && META_FIELDS.has(name)) {
        inner = { ...inner, insideMeta: true };
        if (isRoot) inner = { ...inner, defaultsForbidden: `in top-level ${name}` };
      }
      const below = context && innerContext(context, schema, context.schema?.properties.get(name));
      this.visit(property, path.child('properties').key(name), inner, below, false);
    }
  }

  /** Rules below logical operators are not compiled. */
  #visitOperators(schema: JsonObject, path: FieldPath, position: NodePosition): void {
    const not = objectAt(schema, 'not');
    if (not !== undefined) this.visit(not, path.child('not'), position, undefined, false);
    for (const name of ['allOf', 'oneOf', 'anyOf'])
      for (const [i, inner] of objectsAt(schema, name).entries())
        this.visit(inner, path.child(name).index(i), position, undefined, false);
    for (const [name, inner] of schemaEntries(schema, 'definitions'))
      this.visit(inner, path.child('definitions').key(name), position, undefined, false);
  }

  #visitItems(schema: JsonObject, path: FieldPath, position: NodePosition, context: RuleContext | undefined): void {
    const items = fieldAt(schema, 'items');
    if (items === undefined) return;
    const inner = textAt(schema, 'x-kubernetes-list-type') === 'map' ? position : uncorrelatable(position, path);
    const below = context && innerContext(context, schema, context.schema?.items);
    if (isJsonObject(items)) this.visit(items, path.child('items'), inner, below, false);
    else
      for (const [i, item] of objectsAt(schema, 'items').entries())
        this.visit(item, path.child('items').index(i), inner, below, false);
  }

  #checkRules(
    schema: JsonObject,
    path: FieldPath,
    position: NodePosition,
    context: RuleContext | undefined,
    issuesBefore: number,
  ): void {
    const rules = objectsAt(schema, 'x-kubernetes-validations');
    if (rules.length === 0) return;
    const place = path.child('x-kubernetes-validations');
    const { checks, anyCost } = this.#options;
    addIssues(this.schemaIssues, validateRuleTexts(rules, schema, place, checks));
    if (this.schemaIssues.length > issuesBefore || context === undefined) return;
    const options = { checks, anyCost, uncorrelatable: position.uncorrelatable };
    addIssues(this.ruleIssues, validateRules(rules, context, place, options));
  }
}

/** Marks the node as uncorrelatable, unless a higher one is. */
function uncorrelatable(position: NodePosition, path: FieldPath): NodePosition {
  return position.uncorrelatable === undefined ? { ...position, uncorrelatable: path } : position;
}

/** Reports fields of JSON Schema that definitions may not use, or not at this position. */
function validateDialect(
  schema: JsonObject,
  path: FieldPath,
  position: NodePosition,
  options: NodeOptions,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const type = textAt(schema, 'type');
  const isSet = (name: string): boolean => fieldAt(schema, name) !== undefined;
  const refuse = (name: string, detail = `${name} is not supported`): void => {
    issues.push(forbidden(path.child(name), detail));
  };
  if (options.requireValidTypes && type !== '' && !SCHEMA_TYPES.includes(type))
    issues.push(notSupported(path.child('type'), type, SCHEMA_TYPES));
  if (getField(schema, 'default') !== undefined && position.defaultsForbidden !== undefined)
    refuse('default', `must not be set ${position.defaultsForbidden}`);
  if (textAt(schema, 'id') !== '') refuse('id');
  for (const name of ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'])
    if (isSet(name)) refuse(name);
  if (type === 'null') refuse('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(fieldAt(schema, 'items'))) refuse('items', 'items must be a schema object and not an array');
  if (position.insideMeta && flagAt(schema, 'x-kubernetes-embedded-resource'))
    refuse('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  return issues;
}
