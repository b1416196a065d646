/**
 * The costs of the CEL rules in a schema, of each and in total. Invariant: the total includes every rule that was
 * compiled, also those that are refused.
 */

import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, numberAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  type FieldIssue,
  forbidden,
  internalError,
  invalid,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { apiextensionsShapes } from '../../../kinds/shapes/apiextensions.ts';
import type { RuleVerdict } from '../../../schema/rule-check.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import type { SchemaChecks } from './schema-checks.ts';

/** kube-apiserver's limits for one rule and for all rules of a schema. */
export const RULE_COST_LIMIT = 10_000_000;
const SCHEMA_COST_LIMIT = 100_000_000;
/** Rules below 1 % of the limit are not reported as expensive, and at most four are. */
const REPORTED_FROM = SCHEMA_COST_LIMIT / 100;
const MAX_REPORTED = 4;
const MAX_COST = 2 ** 64;

/** The total cost of the rules of one schema. */
export class TotalCost {
  #total = 0;
  #expensive: { readonly path: FieldPath; readonly cost: number }[] = [];

  add(path: FieldPath, cost: number): void {
    this.#total = Math.min(this.#total + cost, MAX_COST);
    if (cost < REPORTED_FROM) return;
    this.#expensive.push({ path, cost });
    this.#expensive.sort((a, b) => b.cost - a.cost);
    this.#expensive.length = Math.min(this.#expensive.length, MAX_REPORTED);
  }

  issues(path: FieldPath): FieldIssue[] {
    if (this.#total <= SCHEMA_COST_LIMIT) return [];
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((rule) => forbidden(rule.path, detail)),
      forbidden(path, costText(what, this.#total, SCHEMA_COST_LIMIT)),
    ];
  }
}

/** A node of a schema, as its rules see it. */
export interface RuleContext {
  /** Undefined if the structural schema has no such node. */
  readonly schema: StructuralSchema | undefined;
  readonly isResource: boolean;
  /** The maximum number of occurrences of the node in an object, from the limits above it. Undefined: unbounded. */
  readonly cardinality: number | undefined;
  readonly total: TotalCost;
}

/** Returns the context of a child node. `parent` is the schema that contains it. */
export function innerContext(
  context: RuleContext,
  parent: JsonObject,
  schema: StructuralSchema | undefined,
): RuleContext {
  const elements = maxElements(parent);
  return {
    schema,
    isResource: schema?.embeddedResource === true,
    cardinality:
      context.cardinality === undefined || elements === undefined ? undefined : product(context.cardinality, elements),
    total: context.total,
  };
}

/** Returns the factor by which a schema multiplies the nodes in it, or undefined for a list or map without a limit. */
function maxElements(schema: JsonObject): number | undefined {
  const limit = (name: string): number | undefined =>
    fieldAt(schema, name) === undefined ? undefined : Math.max(0, Number(numberAt(schema, name)));
  switch (textAt(schema, 'type')) {
    case 'object':
      return fieldAt(schema, 'additionalProperties') === undefined ? 1 : limit('maxProperties');
    case 'array':
      return limit('maxItems');
    default:
      return 1;
  }
}

function product(a: number, b: number): number {
  return Math.min(a * b, MAX_COST);
}

export interface RuleOptions {
  readonly checks: SchemaChecks;
  /** Allows any cost, because the schema has not changed. */
  readonly anyCost: boolean;
  /** The nearest node above whose old values cannot be correlated with new ones. */
  readonly uncorrelatable: FieldPath | undefined;
}

/** Compiles and checks the rules of a node. `rules` are the rules as written, and `path` is the path of their list. */
export function validateRules(
  rules: readonly JsonObject[],
  context: RuleContext,
  path: FieldPath,
  options: RuleOptions,
): FieldIssue[] {
  if (context.schema === undefined)
    return [internalError(path, 'internal error: failed to retrieve type information for x-kubernetes-validations')];
  const result = options.checks.checkRules(context.schema, context.isResource);
  if (!result.ok) {
    const what = 'internal error: failed to construct type information for x-kubernetes-validations rules';
    return [internalError(path, `${what}: ${result.message}`)];
  }
  return result.verdicts.flatMap((verdict, i) => ruleIssues(rules[i] ?? {}, verdict, context, path.index(i), options));
}

/** Returns the maximum cost of a rule in one object: its cost times the occurrences of its node. */
export function ruleCost(verdict: RuleVerdict, { cardinality }: Pick<RuleContext, 'cardinality'>): number {
  return product(verdict.maxCost, cardinality ?? verdict.maxCardinality);
}

function ruleIssues(
  rule: JsonObject,
  verdict: RuleVerdict,
  context: RuleContext,
  path: FieldPath,
  options: RuleOptions,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const rulePath = path.child('rule');
  const messagePath = path.child('messageExpression');
  const cost = ruleCost(verdict, context);
  if (!options.anyCost && cost > RULE_COST_LIMIT)
    issues.push(forbidden(rulePath, costText('estimated rule cost', cost, RULE_COST_LIMIT)));
  context.total.add(rulePath, cost);
  const shown = (): JsonObject => goValue(apiextensionsShapes, 'ValidationRule', rule);
  if (verdict.problem !== undefined) issues.push(declared(invalid(rulePath, shown(), verdict.problem)));
  if (verdict.messageProblem !== undefined)
    issues.push(declared(invalid(messagePath, shown(), verdict.messageProblem)));
  else if (verdict.messageMaxCost !== undefined) {
    const { messageMaxCost } = verdict;
    if (!options.anyCost && messageMaxCost > RULE_COST_LIMIT)
      issues.push(
        forbidden(messagePath, costText('estimated messageExpression cost', messageMaxCost, RULE_COST_LIMIT)),
      );
    context.total.add(messagePath, messageMaxCost);
  }
  const optional = fieldAt(rule, 'optionalOldSelf');
  if (verdict.usesOldSelf) {
    if (options.uncorrelatable !== undefined) {
      const where = `within ${options.uncorrelatable}`;
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema ${where}`;
      issues.push(invalid(rulePath, textAt(rule, 'rule'), detail));
    }
  } else if (optional !== undefined)
    issues.push(invalid(path.child('optionalOldSelf'), optional, 'may not be set if oldSelf is not used in rule'));
  return issues;
}

function costText(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${what} exceeds budget by factor of ${shown} (${advice})`;
}
