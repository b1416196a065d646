/**
 * The tree of schema nodes that have rules at or below them. Rules are compiled when an object first reaches their
 * node.
 */
import { getField, type JsonObject } from '../../base/json-value.ts';
import { someNode } from '../structural/schema-source.ts';
import type { NestedValidation, StructuralSchema, ValidationRule } from '../structural/structural.ts';
import { adapterOf } from './adapt-value.ts';
import type { Adapter } from './adapter.ts';
import { type DeclaredType, declaredType } from './declared-type.ts';
import { escapeName } from './escape-name.ts';
import { carriesRules } from './has-rules.ts';
import { type CompiledRule, compileRules } from './rule-program.ts';
import { withObjectMeta } from './with-object-meta.ts';

export interface RuleNode {
  readonly schema: StructuralSchema;
  readonly rules: readonly ValidationRule[];
  /** The compiled rules of this node, compiled on first call; undefined if rules cannot read values of this schema. */
  compiled(): readonly CompiledRule[] | undefined;
  /** Converts a value to `self`. */
  readonly adapt: Adapter;
  readonly items: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additionalProperties: RuleNode | undefined;
  readonly allOf: readonly RuleNode[];
}

/** A schema that may have rules: a node, or a part of its `allOf`. */
type Validation = Pick<StructuralSchema, 'rules' | 'allOf' | 'source'> & {
  readonly items: Validation | undefined;
  readonly properties: ReadonlyMap<string, Validation>;
  readonly additionalProperties: Validation | boolean | undefined;
};

const NO_PROPERTIES: ReadonlyMap<string, RuleNode> = new Map();

/** The tree of a schema with rules; see `hasRules`. `isRoot`: true if the schema is that of a whole resource. */
export function ruleTree(schema: StructuralSchema, isRoot: boolean): RuleNode | undefined {
  return nodeOf(schema, schema, isRoot, () => declaredType(schema, isRoot));
}

/** True if the JSON of a node itself may lead to a rule. */
function mayCarryRules(source: Readonly<JsonObject>): boolean {
  return carriesRules(source) || getField(source, 'allOf') !== undefined;
}

type LazyType = () => DeclaredType | undefined;

function nodeOf(
  validation: Validation,
  schema: StructuralSchema,
  isRoot: boolean,
  declared: LazyType,
): RuleNode | undefined {
  if (!someNode(validation.source, mayCarryRules)) return undefined;
  const type = once(declared);
  const element: LazyType = () => type()?.element;
  const { items, additionalProperties: values } = schema;
  const own = validation.additionalProperties;
  const itemsNode =
    validation.items !== undefined && items !== undefined
      ? nodeOf(validation.items, items, items.embeddedResource, element)
      : undefined;
  const valuesNode =
    typeof own === 'object' && typeof values === 'object'
      ? nodeOf(own, values, values.embeddedResource, element)
      : undefined;
  const properties = propertyNodes(validation, schema, type);
  const allOf: RuleNode[] = [];
  for (const part of validation.allOf) {
    const node = nodeOf(part satisfies NestedValidation, schema, isRoot, type);
    if (node !== undefined) allOf.push(node);
  }
  const { rules } = validation;
  if (rules.length + properties.size + allOf.length === 0 && itemsNode === undefined && valuesNode === undefined)
    return undefined;
  return {
    schema,
    rules,
    compiled: once(() => {
      const declaredHere = type();
      return declaredHere === undefined ? undefined : compileRules(rules, schema, declaredHere);
    }),
    adapt: (value) => adapterOf(isRoot && schema.type === 'object' ? withObjectMeta(schema) : schema)(value),
    items: itemsNode,
    properties,
    additionalProperties: valuesNode,
    allOf,
  };
}

function propertyNodes(
  validation: Validation,
  schema: StructuralSchema,
  type: LazyType,
): ReadonlyMap<string, RuleNode> {
  if (validation.properties.size === 0) return NO_PROPERTIES;
  const nodes = new Map<string, RuleNode>();
  for (const [name, part] of validation.properties) {
    const property = schema.properties.get(name);
    if (property === undefined) continue;
    const escaped = escapeName(name);
    const declared: LazyType =
      escaped === undefined
        ? () => declaredType(property, property.embeddedResource)
        : () => type()?.fields?.get(escaped);
    const node = nodeOf(part, property, property.embeddedResource, declared);
    if (node !== undefined) nodes.set(name, node);
  }
  return nodes;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
