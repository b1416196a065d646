/**
 * Defaults must be values that an object could have been written with. Invariant: pure; a default inside of metadata is judged by the metadata that it results in.
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
import { renewEffort, TooMuchEffort } from './validation/validation-effort.ts';
import { ValidationResult } from './validation/validation-result.ts';
import { ValidatorNode } from './validation/validator-node.ts';

export interface DefaultsOptions {
  /** Where the schema stands. */
  readonly path: FieldPath | undefined;
  readonly objectMeta: TypeView;
  /** A default with a field that its schema does not specify is refused. */
  readonly requirePruned: boolean;
  /** The rules of nodes that have some. Default: none are run. */
  readonly rules?: DefaultRules;
  /** Nodes that have none. Default: none are known. */
  readonly plain?: PlainNodes;
}

/** What all rules of all defaults may cost together. */
const BUDGET = 10_000_000;

/** What is wrong with the defaults of the schema of a whole resource. */
export function validateDefaults(schema: StructuralSchema, options: DefaultsOptions): FieldIssue[] {
  // All defaults together may take as much as one object.
  renewEffort();
  const pass = new DefaultsPass(options);
  pass.visit(schema, { path: options.path, isResource: true, root: schema, insideMeta: false, wrap: resourceOf });
  return pass.issues;
}

/** True if a default loses something when it is pruned as objects are. The schema is that of a whole resource. */
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
  /** The node describes a whole resource. */
  readonly isResource: boolean;
  /** The nearest resource around, itself included. */
  readonly root: StructuralSchema;
  /** Inside of that resource's type fields or metadata. */
  readonly insideMeta: boolean;
  /** That resource with a value at this place and nothing else. */
  wrap(value: JsonValue): JsonValue;
}

/** A resource with the fields given, and the type that the reference uses for this. */
function resourceOf(value: JsonValue): JsonValue {
  return { apiVersion: 'validation/v1', kind: 'Validation', ...(value as JsonObject) };
}

class DefaultsPass {
  readonly issues: FieldIssue[] = [];
  readonly #options: DefaultsOptions;
  readonly #plain: PlainNodes;
  #remaining = BUDGET;

  constructor(options: DefaultsOptions) {
    this.#options = options;
    this.#plain = options.plain ?? NO_PLAIN_NODES;
  }

  visit(schema: StructuralSchema, around: Place): void {
    const isResource = around.isResource || schema.embeddedResource;
    const place = isResource ? { ...around, isResource, root: schema, insideMeta: false, wrap: resourceOf } : around;
    if (schema.default !== undefined) this.#judge(schema, cloneJson(schema.default), place);
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

  #judge(schema: StructuralSchema, value: JsonValue, place: Place): void {
    const path = childPath(place.path, 'default');
    const problems = place.insideMeta
      ? this.#metaIssues(schema, value, path, place)
      : this.#ownIssues(schema, value, path, place);
    addIssues(this.issues, problems);
    if (problems.some((issue) => issue.detail !== UNKNOWN_FIELDS)) return;
    const found = schemaIssues(schema, value, path);
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

  /** Rules must hold whether the default replaces nothing or stays as it is. */
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

function schemaIssues(schema: StructuralSchema, value: JsonValue, path: FieldPath): readonly FieldIssue[] {
  const node = new ValidatorNode(schema.source, 'default');
  try {
    if (accepts(node, value)) return [];
    const result = new ValidationResult(path);
    explain(result, node, value, '', undefined);
    return [...result.findings.values()];
  } catch (caught) {
    if (caught instanceof TooMuchEffort) return [invalid(path, value, caught.message)];
    throw caught;
  }
}
