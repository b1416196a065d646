/**
 * The validation of the defaults in a schema. A default must be valid under its own schema. A default inside metadata
 * is valid if the metadata that it produces is valid.
 */
import type { TypeView } from '../apimachinery/type-view.ts';
import { addIssues, type FieldIssue, formatIssues, invalid } from '../apimachinery/validation/field-issue.ts';
import { childPath, type FieldPath } from '../apimachinery/validation/field-path.ts';
import { cloneJson, equalJson, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { coerceEmbedded, validateEmbedded } from './embedded-resource.ts';
import { pruneValue } from './prune.ts';
import { defaultsOf } from './prune-default.ts';
import type { DefaultRules } from './rule-evaluator.ts';
import { NO_PLAIN_NODES, type PlainNodes } from './structural/plain-nodes.ts';
import type { StructuralSchema } from './structural/structural.ts';
import { accepts } from './validation/accepts.ts';
import { explain } from './validation/explain.ts';
import { BudgetExceeded, ValidationBudget } from './validation/validation-budget.ts';
import { ValidationResult } from './validation/validation-result.ts';
import { ValidatorNode } from './validation/validator-node.ts';

export interface DefaultsOptions {
  /** The path of the schema, for issues. */
  readonly path: FieldPath | undefined;
  readonly objectMeta: TypeView;
  /** Reports a default that contains fields which its schema does not specify. */
  readonly requirePruned: boolean;
  /** Finds the rules of a node. Default: no rules run. */
  readonly rules?: DefaultRules;
  /** Nodes that are skipped because their defaults are known to be valid. Default: none. */
  readonly plain?: PlainNodes;
}

/** The CEL cost budget of the rules of all defaults together. */
const BUDGET = 10_000_000;

/** The issues with all defaults of the schema of a whole resource. */
export function validateDefaults(schema: StructuralSchema, options: DefaultsOptions): FieldIssue[] {
  const pass = new DefaultsPass(options);
  pass.visit(schema, { path: options.path, isResource: true, root: schema, insideMeta: false, wrap: resourceOf });
  return pass.issues;
}

/**
 * The issues with a value for a field, as if it were the default of the field. `schema` is that of the field, which is
 * not inside metadata.
 */
export function validateValue(
  schema: StructuralSchema,
  value: JsonValue,
  path: FieldPath,
  options: Omit<DefaultsOptions, 'path' | 'plain'>,
): FieldIssue[] {
  const pass = new DefaultsPass({ ...options, path });
  const wrap = (inner: JsonValue): JsonValue => inner;
  const isResource = schema.embeddedResource;
  pass.validate(schema, cloneJson(value), path, { path, isResource, root: schema, insideMeta: false, wrap });
  return pass.issues;
}

/** True if pruning removes fields from a default. `schema` is that of a whole resource. */
export function hasUnprunedDefaults(schema: StructuralSchema, objectMeta: TypeView): boolean {
  const defaultOf = defaultsOf(schema, objectMeta);
  const loses = (node: StructuralSchema): boolean => {
    const { items, additionalProperties } = node;
    if (node.default !== undefined && !equalJson(defaultOf(node) ?? null, node.default)) return true;
    if (items !== undefined && loses(items)) return true;
    if (typeof additionalProperties === 'object' && loses(additionalProperties)) return true;
    for (const property of node.properties.values()) if (loses(property)) return true;
    return false;
  };
  return loses(schema);
}

interface Place {
  readonly path: FieldPath | undefined;
  /** True if the node is the schema of a whole resource. */
  readonly isResource: boolean;
  /** The schema of the innermost resource that contains the node; the node itself if it is a resource. */
  readonly root: StructuralSchema;
  /** True if the node is inside the type fields or the metadata of that resource. */
  readonly insideMeta: boolean;
  /** Makes that resource with `value` at this place and no other fields. */
  wrap(value: JsonValue): JsonValue;
}

/** A resource with the given fields and the type fields that kube-apiserver uses in this validation. */
function resourceOf(value: JsonValue): JsonValue {
  return { apiVersion: 'validation/v1', kind: 'Validation', ...(value as JsonObject) };
}

class DefaultsPass {
  readonly issues: FieldIssue[] = [];
  readonly #options: DefaultsOptions;
  readonly #plain: PlainNodes;
  /** All defaults together may take as many checks as one object. */
  readonly #budget = new ValidationBudget();
  #remaining = BUDGET;

  constructor(options: DefaultsOptions) {
    this.#options = options;
    this.#plain = options.plain ?? NO_PLAIN_NODES;
  }

  visit(schema: StructuralSchema, around: Place): void {
    const isResource = around.isResource || schema.embeddedResource;
    const place = isResource ? { ...around, isResource, root: schema, insideMeta: false, wrap: resourceOf } : around;
    if (schema.default !== undefined)
      this.validate(schema, cloneJson(schema.default), childPath(place.path, 'default'), place);
    const { items } = schema;
    const below = { ...place, isResource: false };
    if (items !== undefined && this.#remaining >= 0 && !this.#plain.has(items.source))
      this.visit(items, { ...below, path: childPath(place.path, 'items'), wrap: (value) => place.wrap([value]) });
    for (const [name, property] of schema.properties) {
      if (this.#remaining < 0) return;
      if (this.#plain.has(property.source)) continue;
      const isMeta = isResource && (name === 'metadata' || name === 'apiVersion' || name === 'kind');
      this.visit(property, {
        ...below,
        path: childPath(place.path, 'properties').key(name),
        insideMeta: place.insideMeta || isMeta,
        wrap: (value) => place.wrap({ [name]: value }),
      });
    }
  }

  /** Validates a value for a node, which belongs to the pass. `path` is the path of the value. */
  validate(schema: StructuralSchema, value: JsonValue, path: FieldPath, place: Place): void {
    const problems = place.insideMeta
      ? this.#metaIssues(schema, value, path, place)
      : this.#ownIssues(schema, value, path, place);
    addIssues(this.issues, problems);
    if (problems.some((issue) => issue.detail !== UNKNOWN_FIELDS)) return;
    const found = this.#limitIssues(schema, value, path);
    addIssues(this.issues, found.length > 0 ? found : this.#ruleIssues(schema, value, path, place));
  }

  #metaIssues(schema: StructuralSchema, value: JsonValue, path: FieldPath, place: Place): FieldIssue[] {
    const { objectMeta } = this.#options;
    const resource = place.wrap(cloneJson(value));
    const refuse = (why: string): FieldIssue[] => [
      invalid(path, schema.default, `must result in valid metadata: ${why}`),
    ];
    const coerced = coerceEmbedded(place.root, resource, { objectMeta, isResource: true });
    if (!coerced.ok) return refuse(coerced.message);
    const issues = validateEmbedded(place.root, resource, { objectMeta, isResource: true });
    return issues.length > 0 ? refuse(formatIssues(issues)) : [];
  }

  #ownIssues(schema: StructuralSchema, value: JsonValue, path: FieldPath, { isResource }: Place): FieldIssue[] {
    const { objectMeta, requirePruned } = this.#options;
    const issues: FieldIssue[] = [];
    if (requirePruned) {
      const pruned = cloneJson(value);
      pruneValue(schema, pruned, isResource);
      if (!equalJson(pruned, value)) issues.push(invalid(path, schema.default, UNKNOWN_FIELDS));
    }
    const coerced = coerceEmbedded(schema, value, { objectMeta, path, isResource });
    if (coerced.ok) addIssues(issues, validateEmbedded(schema, value, { objectMeta, path, isResource }));
    else issues.push(coerced.issue);
    return issues;
  }

  #limitIssues(schema: StructuralSchema, value: JsonValue, path: FieldPath): readonly FieldIssue[] {
    const node = new ValidatorNode(schema.source, 'default');
    try {
      if (accepts(node, value, this.#budget)) return [];
      const result = new ValidationResult(path, this.#budget);
      explain(result, node, value, '', undefined);
      return [...result.findings.values()];
    } catch (caught) {
      if (caught instanceof BudgetExceeded) return [invalid(path, value, caught.message)];
      throw caught;
    }
  }

  /** Rules must hold both when the default is filled in on create and when it stays unchanged on update. */
  #ruleIssues(schema: StructuralSchema, value: JsonValue, path: FieldPath, place: Place): readonly FieldIssue[] {
    const rules = this.#options.rules?.(schema, place.isResource);
    if (rules === undefined) return [];
    const budget = this.#remaining;
    const kept = rules.evaluate(value, { path, old: value, budget });
    this.#remaining = kept.remaining;
    if (kept.issues.length > 0) return kept.issues;
    const created = rules.evaluate(value, { path, old: undefined, budget });
    this.#remaining = Math.min(kept.remaining, created.remaining);
    return created.issues;
  }
}

const UNKNOWN_FIELDS = 'must not have unknown fields';
