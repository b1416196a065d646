/**
 * The places of a schema that have rules, and those on the way to them. Invariant: a place without rules at or below it is not in the tree; rules are compiled when an object first
 * reaches their place.
 */
import { getField, type JsonObject } from '../../base/json-value.ts';
import { someNode } from '../structural/schema-source.ts';
import type { NestedValidation, StructuralSchema, ValidationRule } from '../structural/structural.ts';
import { adapterOf } from './adapt-value.ts';
import type { Adapter } from './adapter.ts';
import { type DeclaredType, declaredType } from './declared-type.ts';
import { escapeName } from './escape-name.ts';
import { type CompiledRule, compileRules } from './rule-program.ts';
import { withObjectMeta } from './with-object-meta.ts';

export interface RuleNode {
  readonly schema: StructuralSchema;
  readonly rules: readonly ValidationRule[];
  /** Undefined where rules cannot see the value at all. */
  compiled(): readonly CompiledRule[] | undefined;
  /** Makes `self` of the value. */
  readonly adapt: Adapter;
  readonly items: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additionalProperties: RuleNode | undefined;
  readonly allOf: readonly RuleNode[];
}

/** What may carry rules: a node, or a part of `allOf` of one. */
type Validation = Pick<StructuralSchema, 'rules' | 'allOf' | 'source'> & {
  readonly items: Validation | undefined;
  readonly properties: ReadonlyMap<string, Validation>;
  readonly additionalProperties: Validation | boolean | undefined;
};

const NO_PROPERTIES: ReadonlyMap<string, RuleNode> = new Map();

/** Undefined if there is no rule. `isRoot`: the schema is that of a whole resource. */
export function ruleTree(schema: StructuralSchema, isRoot: boolean): RuleNode | undefined {
  return hasRules(schema) ? nodeOf(schema, schema, isRoot, () => declaredType(schema, isRoot)) : undefined;
}

/** Rules under logic operators alone do not count, as in the reference. The JSON is searched: nodes that have no rules are never made. */
function hasRules({ source }: StructuralSchema): boolean {
  return someNode(source, carriesRules);
}

function carriesRules(source: Readonly<JsonObject>): boolean {
  const rules = getField(source, 'x-kubernetes-validations');
  return Array.isArray(rules) && rules.length > 0;
}

/** Below a node that nothing of this is true of there is nothing to run. */
function mayCarryRules(source: Readonly<JsonObject>): boolean {
  return carriesRules(source) || getField(source, 'allOf') !== undefined;
}

type LateType = () => DeclaredType | undefined;

function nodeOf(
  validation: Validation,
  schema: StructuralSchema,
  isRoot: boolean,
  declared: LateType,
): RuleNode | undefined {
  if (!someNode(validation.source, mayCarryRules)) return undefined;
  const type = once(declared);
  const element: LateType = () => type()?.element;
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
  type: LateType,
): ReadonlyMap<string, RuleNode> {
  if (validation.properties.size === 0) return NO_PROPERTIES;
  const nodes = new Map<string, RuleNode>();
  for (const [name, part] of validation.properties) {
    const property = schema.properties.get(name);
    if (property === undefined) continue;
    const escaped = escapeName(name);
    const declared: LateType =
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
