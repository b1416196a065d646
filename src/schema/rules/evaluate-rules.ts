/**
 * The evaluation of the rules of a schema on an object. The cost budget is for the whole object; once it is spent, this
 * is reported once and no further rule runs.
 */
import {
  duplicate,
  type FieldIssue,
  forbidden,
  formatIssue,
  invalid,
  required,
} from '../../apimachinery/validation/field-issue.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../../apimachinery/validation/field-path.ts';
import { getField, isJsonObject, type JsonValue } from '../../base/json-value.ts';
import { utf8Length } from '../../base/utf8.ts';
import type { Outcome, Program } from '../../cel/environment.ts';
import { CelError, CelOptional, CelStopped, type Value } from '../../cel/values.ts';
import type { ValidationRule } from '../structural/structural.ts';
import { Correlated } from '../validation/correlated.ts';
import { itemsByKey } from '../validation/items-by-key.ts';
import { MAX_FINDINGS, MAX_MESSAGE_TEXT } from '../validation/validation-result.ts';
import type { CompiledRule } from './rule-program.ts';
import type { RuleNode } from './rule-tree.ts';

/** The cost limit of one evaluation of an expression: kube-apiserver's PerCallLimit. */
const CALL_LIMIT = 1_000_000;
/** A longer message is replaced by the default message. */
const MESSAGE_BYTES = 5 * 1024;
/** The steps (`cel/runtime/allowance`) of all evaluations for one object: twice the limit of one evaluation. */
const STEPS_MAX = 400_000_000;

export interface RuleRun {
  /** The value before this update; undefined on create. */
  readonly old: JsonValue | undefined;
  /** The CEL cost budget of the whole value. */
  readonly budget: number;
  /** If false, failures on unchanged values are reported like all others. */
  readonly ratcheting: boolean;
  /** Called for each failure that is not reported because the value did not change. */
  warn(text: string): void;
}

/**
 * Returns the issues that the rules of the value report, and the rest of the budget, which is below 0 once it is spent.
 */
export function evaluateRules(
  node: RuleNode,
  path: FieldPath | undefined,
  value: JsonValue,
  run: RuleRun,
): { readonly issues: readonly FieldIssue[]; readonly remaining: number } {
  const pass = new RulePass(run);
  const { old } = run;
  const paired = run.ratcheting && old !== undefined && old !== null;
  const here = paired ? new Correlated(value, old, node.schema) : undefined;
  const complete = pass.visit(node, path, value, old ?? undefined, { here, above: undefined });
  return { issues: pass.issues, remaining: complete ? pass.remaining : -1 };
}

/** The pair of old and new value at a place, and the pair of the value that contains it. */
interface Place {
  readonly here: Correlated | undefined;
  readonly above: Correlated | undefined;
}

const NOWHERE: Place = { here: undefined, above: undefined };

class RulePass {
  readonly issues: FieldIssue[] = [];
  readonly #run: RuleRun;
  /** The total length of the texts of the issues. */
  #textLength = 0;
  #warnings = 0;
  #steps = 0;
  remaining: number;

  constructor(run: RuleRun) {
    this.#run = run;
    this.remaining = run.budget;
  }

  /** Runs the rules at and below a node. Returns false once no further rule may run. */
  visit(
    node: RuleNode,
    path: FieldPath | undefined,
    value: JsonValue,
    old: JsonValue | undefined,
    place: Place,
  ): boolean {
    // Rules do not run on null, like on missing values. A rule of the parent can check for presence.
    if (value === null) return true;
    // The object is refused in any case.
    if (this.issues.length >= MAX_FINDINGS || this.#textLength >= MAX_MESSAGE_TEXT) return false;
    if (node.rules.length > 0 && !this.#rules(node, path, value, old, place)) return false;
    for (const part of node.allOf) {
      if (!this.visit(part, path, value, old, { here: undefined, above: place.above })) return false;
    }
    if (Array.isArray(value)) return this.#items(node, path, value, old, place);
    return !isJsonObject(value) || this.#fields(node, path, value, old, place);
  }

  #items(
    { items, schema }: RuleNode,
    path: FieldPath | undefined,
    value: readonly JsonValue[],
    old: JsonValue | undefined,
    place: Place,
  ): boolean {
    if (items === undefined) return true;
    const oldItems = itemsByKey(schema, Array.isArray(old) ? old : []);
    return value.every((item, i) => this.visit(items, indexPath(path, i), item, oldItems(item), atIndex(place, i)));
  }

  #fields(
    { additionalProperties, properties }: RuleNode,
    path: FieldPath | undefined,
    value: Readonly<Record<string, JsonValue>>,
    old: JsonValue | undefined,
    place: Place,
  ): boolean {
    if (additionalProperties === undefined && properties.size === 0) return true;
    const before = isJsonObject(old) ? old : {};
    for (const name of Object.keys(value)) {
      const field = value[name] as JsonValue;
      const oldField = getField(before, name) ?? undefined;
      const at = atKey(place, name);
      if (
        additionalProperties !== undefined &&
        !this.visit(additionalProperties, keyPath(path, name), field, oldField, at)
      )
        return false;
      const property = properties.get(name);
      if (property !== undefined && !this.visit(property, childPath(path, name), field, oldField, at)) return false;
    }
    return true;
  }

  #rules(
    node: RuleNode,
    path: FieldPath | undefined,
    value: JsonValue,
    old: JsonValue | undefined,
    place: Place,
  ): boolean {
    const { type } = node.schema;
    const compiled = node.compiled();
    if (compiled === undefined) {
      const problem = 'failed to convert to declType for CEL validation rules';
      this.issues.push(invalid(path, type, `rule compiler initialization error: ${problem}`));
      return true;
    }
    if (this.remaining <= 0) return this.#outOfBudget(path, type);
    let self: { readonly value: Value } | undefined;
    let oldSelf: { readonly value: Value } | undefined;
    for (const rule of compiled) {
      if (rule.problem !== undefined) {
        this.issues.push(invalid(path, type, `rule compile error: ${rule.problem}`));
        continue;
      }
      if (rule.program === undefined) continue;
      const optional = rule.rule.optionalOldSelf === true;
      if (rule.usesOldSelf && old === undefined && !optional) continue;
      let variables: readonly (Value | undefined)[];
      try {
        self ??= { value: node.adapt(value) };
        if (rule.usesOldSelf && old !== undefined) oldSelf ??= { value: node.adapt(old) };
        variables = [self.value, optional ? new CelOptional(oldSelf?.value) : oldSelf?.value];
      } catch (thrown) {
        // The old value may have been written under an earlier schema.
        if (!(thrown instanceof CelError)) throw thrown;
        this.issues.push(invalid(path, type, failureDetail(thrown, rule.rule)));
        continue;
      }
      if (!this.#evaluate(rule, rule.program.program, variables, path, node, value, place)) return false;
    }
    return true;
  }

  #evaluate(
    compiled: CompiledRule,
    program: Program,
    variables: readonly (Value | undefined)[],
    path: FieldPath | undefined,
    { schema: { type } }: RuleNode,
    value: JsonValue,
    place: Place,
  ): boolean {
    const { rule } = compiled;
    const outcome = program.run(variables, { cost: CALL_LIMIT });
    this.#steps += outcome.steps;
    if (outcome.cost > this.remaining || this.#steps > STEPS_MAX) return this.#outOfBudget(path, type);
    this.remaining -= outcome.cost;
    if ('error' in outcome) {
      this.issues.push(invalid(path, type, failureDetail(outcome.error, rule)));
      return !(outcome.error instanceof CelStopped);
    }
    if (outcome.value === true) return true;
    const at = compiled.fieldPath === '' ? path : childPath(path, compiled.fieldPath);
    const report = (issue: FieldIssue): void => {
      if (!compiled.usesOldSelf && isUnchanged(place)) {
        if (++this.#warnings <= MAX_FINDINGS) this.#run.warn(formatIssue(issue));
        return;
      }
      this.#textLength += issue.detail.length;
      this.issues.push(issue);
    };
    const message = this.#message(compiled, variables);
    if ('stop' in message) {
      report(invalid(at, type, message.stop));
      return false;
    }
    const shown = type === 'object' || type === 'array' ? undefined : value;
    report(issueOf(rule, at, shown, message.text));
    return true;
  }

  /** The message of a failed rule; `stop` if its `messageExpression` exceeded the budget. */
  #message(
    { rule, message }: CompiledRule,
    variables: readonly (Value | undefined)[],
  ): { readonly text: string } | { readonly stop: string } {
    const fallback = { text: rule.message === '' ? `failed rule: ${rule.rule.trim()}` : rule.message.trim() };
    if (message === undefined) return fallback;
    const outcome: Outcome = message.program.run(variables, { cost: CALL_LIMIT });
    this.#steps += outcome.steps;
    if (outcome.cost > this.remaining)
      return {
        stop: 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      };
    if ('error' in outcome && outcome.error instanceof CelStopped) {
      const source = JSON.stringify(rule.messageExpression);
      return {
        stop: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`,
      };
    }
    this.remaining -= outcome.cost;
    if ('error' in outcome || typeof outcome.value !== 'string') return fallback;
    const text = outcome.value.trim();
    return text === '' || text.includes('\n') || utf8Length(text) > MESSAGE_BYTES ? fallback : { text };
  }

  #outOfBudget(path: FieldPath | undefined, type: string): false {
    const detail = 'validation failed due to running out of cost budget, no further validation rules will be run';
    this.issues.push(invalid(path, type, detail));
    return false;
  }
}

function failureDetail(error: Error, rule: ValidationRule): string {
  const shown = rule.message === '' ? rule.rule.trim() : rule.message.trim();
  if (error instanceof CelStopped)
    return `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`;
  if (error.message.startsWith('no such overload'))
    return `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`;
  return `${error.message} evaluating rule: ${shown}`;
}

function issueOf(
  rule: ValidationRule,
  path: FieldPath | undefined,
  value: JsonValue | undefined,
  detail: string,
): FieldIssue {
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return duplicate(path, value);
    default:
      return invalid(path, value, detail);
  }
}

function isUnchanged({ here, above }: Place): boolean {
  return (here ?? above)?.isUnchanged ?? false;
}

function atKey(place: Place, name: string): Place {
  if (place.here === undefined) return place;
  // Both objects were converted to one version and kind, so that their type fields are always equal.
  if (place.above === undefined && (name === 'apiVersion' || name === 'kind')) return NOWHERE;
  return { here: place.here.key(name), above: place.here };
}

function atIndex(place: Place, index: number): Place {
  return place.here === undefined ? place : { here: place.here.index(index), above: place.here };
}
