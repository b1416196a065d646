/**
 * Rules in a schema: what they may cost, alone and all together. Invariant: costs are counted for every rule that was compiled, also for those that are refused.
 */

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
import type { RuleVerdict } from '../../../schema/rule-check.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { ruleValue } from '../go-values.ts';
import type { SchemaChecks } from './schema-checks.ts';

/** The reference's limits for one rule and for all rules of a schema. */
export const RULE_COST_LIMIT = 10_000_000;
const SCHEMA_COST_LIMIT = 100_000_000;
/** Rules below 1 % of the limit are never to blame, and at most four are named. */
const BLAME_FROM = SCHEMA_COST_LIMIT / 100;
const BLAMED = 4;
const MAX_COST = 2 ** 64;

/** What all rules of one schema cost. */
export class TotalCost {
  #total = 0;
  #expensive: { readonly path: FieldPath; readonly cost: number }[] = [];

  add(path: FieldPath, cost: number): void {
    this.#total = Math.min(this.#total + cost, MAX_COST);
    if (cost < BLAME_FROM) return;
    this.#expensive.push({ path, cost });
    this.#expensive.sort((a, b) => b.cost - a.cost);
    this.#expensive.length = Math.min(this.#expensive.length, BLAMED);
  }

  issues(path: FieldPath): FieldIssue[] {
    if (this.#total <= SCHEMA_COST_LIMIT) return [];
    const blame = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((rule) => forbidden(rule.path, blame)),
      forbidden(path, costText(what, this.#total, SCHEMA_COST_LIMIT)),
    ];
  }
}

/** A node of the schema as rules see it. */
export interface RuleContext {
  /** Undefined where the structural schema has no such node. */
  readonly schema: StructuralSchema | undefined;
  readonly isResource: boolean;
  /** How often the node can occur, as far as limits above it say; undefined: without bound. */
  readonly cardinality: number | undefined;
  readonly total: TotalCost;
}

/** The context of a node below: `parent` is the schema that has it. */
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

/** By how much a schema multiplies what is in it; undefined for a list or a map without a limit. */
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
  /** The schema is an unchanged one: a rule may cost what it costs. */
  readonly anyCost: boolean;
  /** The nearest place above from which old values cannot be told apart. */
  readonly uncorrelatable: FieldPath | undefined;
}

/** Compiles the rules of a node and judges them. `rules` as written, `path` that of the list. */
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
  return result.verdicts.flatMap((verdict, i) => judge(rules[i] ?? {}, verdict, context, path.index(i), options));
}

/** What a rule costs at most in one object: as often as its node can occur. */
export function ruleCost(verdict: RuleVerdict, { cardinality }: Pick<RuleContext, 'cardinality'>): number {
  return product(verdict.maxCost, cardinality ?? verdict.maxCardinality);
}

function judge(
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
  if (verdict.problem !== undefined) issues.push(declared(invalid(rulePath, ruleValue(rule), verdict.problem)));
  if (verdict.messageProblem !== undefined)
    issues.push(declared(invalid(messagePath, ruleValue(rule), verdict.messageProblem)));
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
