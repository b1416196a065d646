/**
 * The yes-or-no validation of a value, which is all that a valid object goes through. It builds no messages.
 *
 * Invariant: the answer is true exactly if `explain` finds nothing wrong.
 */
import { formatJson } from '../../apimachinery/go-format.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { Re2 } from '../../base/re2/re2.ts';
import { countCodePoints } from '../../base/utf8.ts';
import type { NodeLimits } from './node-limits.ts';
import type { ValidationBudget } from './validation-budget.ts';
import { isIntegerValue, isNearInteger, numberFits } from './validator-number.ts';

/** True if the value satisfies the node and everything below it. Throws BudgetExceeded. */
export function accepts(node: NodeLimits, value: JsonValue, budget: ValidationBudget): boolean {
  switch (typeof value) {
    case 'string':
      if (!node.allows.string || (node.hasStringLimits && !acceptsText(node, value, budget))) return false;
      break;
    case 'number':
    case 'bigint':
      if (!allowsNumber(node, value) || (node.numbers !== undefined && !numberFits(node.numbers, value))) return false;
      break;
    case 'boolean':
      if (!node.allows.boolean) return false;
      break;
    default:
      // No other limit applies to null, and an enumeration never contains it.
      if (value === null) return node.allows.null && node.enum.length === 0;
      if (Array.isArray(value) ? !acceptsList(node, value, budget) : !acceptsObject(node, value, budget)) return false;
  }
  if (node.enum.length > 0 && !isListed(node, value, budget)) return false;
  return !node.hasLogic || acceptsLogic(node, value, budget);
}

function allowsNumber({ allows }: NodeLimits, value: number | bigint): boolean {
  if (isIntegerValue(value)) return allows.integer;
  return allows.fraction || (allows.nearInteger && isNearInteger(value as number));
}

/** True if the text satisfies the length, pattern and format of the node. Throws BudgetExceeded. */
export function acceptsText(node: NodeLimits, value: string, budget: ValidationBudget): boolean {
  if (value === node.lastText) return true;
  const { maxLength, minLength } = node;
  if (maxLength !== undefined && value.length > maxLength && countCodePoints(value) > maxLength) return false;
  if (minLength !== undefined && (value.length < minLength || countCodePoints(value) < minLength)) return false;
  if (node.pattern !== '') {
    const compiled = node.regexp;
    if (!compiled.ok || !matches(compiled.regexp, value, budget)) return false;
  }
  if (node.checkFormat !== undefined && !node.checkFormat(value)) return false;
  if (value.length <= KEPT_LENGTH) node.lastText = value;
  return true;
}

/** Throws BudgetExceeded if the text is too long for the pattern. */
export function matches(regexp: Re2, text: string, budget: ValidationBudget): boolean {
  budget.take((regexp.weight * text.length) / STEPS_PER_CHECK);
  return regexp.test(text);
}

/** Steps of the matcher that take as long as one check. */
const STEPS_PER_CHECK = 8;

/** The length up to which a node keeps the last accepted text, in UTF-16 units. */
const KEPT_LENGTH = 256;

function acceptsList(node: NodeLimits, value: readonly JsonValue[], budget: ValidationBudget): boolean {
  if (!node.allows.array) return false;
  if (node.maxItems !== undefined && value.length > node.maxItems) return false;
  if (node.minItems !== undefined && value.length < node.minItems) return false;
  if (node.hasItems) {
    const { check } = node.items;
    for (let i = 0; i < value.length; i++) if (!check(value[i] as JsonValue, budget)) return false;
  }
  return !node.uniqueItems || isUnique(value);
}

/** True if no two items are equal. */
export function isUnique(list: readonly JsonValue[]): boolean {
  const seen = new Set<string>();
  for (const item of list) {
    const text = formatJson(item);
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}

function acceptsObject(node: NodeLimits, value: JsonObject, budget: ValidationBudget): boolean {
  if (!node.allows.object) return false;
  const { required, minProperties, maxProperties } = node;
  // Required fields that are all listed are counted in the loop below.
  if (!node.requiresListed)
    for (let i = 0; i < required.length; i++) if (!Object.hasOwn(value, required[i] as string)) return false;
  if (!node.hasProperties && node.others === 'free' && minProperties === undefined && maxProperties === undefined)
    return true;
  const { others } = node;
  const fields = node.hasProperties ? node.fields : undefined;
  let count = 0;
  let found = 0;
  for (const name in value) {
    const child = value[name] as JsonValue;
    const field = fields?.get(name);
    count++;
    if (field !== undefined) {
      if (field.isRequired) found++;
      if (!field.check(child, budget)) return false;
    } else if (others !== 'free') {
      if (others === 'none') return false;
      if (!node.additional.check(child, budget)) return false;
    }
  }
  if (node.requiresListed && found < required.length) return false;
  return !(
    (minProperties !== undefined && count < minProperties) ||
    (maxProperties !== undefined && count > maxProperties)
  );
}

/**
 * True if `enum` contains the value. Values are converted before they are compared, as Go's reflection does: a fraction
 * is truncated if the listed number is an integer, and an integer equals a listed text that is the character with this
 * code. Throws BudgetExceeded.
 */
export function isListed(node: NodeLimits, value: JsonValue, budget: ValidationBudget): boolean {
  // kube-apiserver never finds null, even if `enum` lists it.
  if (value === null) return false;
  if (typeof value === 'string') return node.listedTexts.has(value);
  budget.take(node.enum.length * (typeof value === 'object' ? CHECKS_PER_COMPARISON : 1));
  for (const each of node.enum) {
    if (each === value || equalConverted(each, value)) return true;
  }
  return false;
}

/** Checks that take as long as comparing two objects which differ in one of their first fields. */
const CHECKS_PER_COMPARISON = 8;

function equalConverted(listed: JsonValue, value: Exclude<JsonValue, null>): boolean {
  switch (typeof value) {
    case 'number':
      if (typeof listed === 'string') return Number.isSafeInteger(value) && listed === characterOf(value);
      if (Number.isSafeInteger(value) || typeof listed === 'string') return equalJson(listed, value);
      return typeof listed === 'bigint' || Number.isSafeInteger(listed)
        ? equalJson(listed, Math.trunc(value))
        : listed === value;
    case 'bigint':
      return typeof listed === 'string' ? listed === '\ufffd' : equalJson(listed, value);
    case 'object':
      return equalJson(listed, value);
    default:
      return false;
  }
}

function characterOf(code: number): string {
  const valid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : '\ufffd';
}

function acceptsLogic(node: NodeLimits, value: JsonValue, budget: ValidationBudget): boolean {
  const { allOf, anyOf, oneOf, not } = node;
  budget.take(allOf.length + anyOf.length + oneOf.length + 1);
  for (let i = 0; i < allOf.length; i++) if (!accepts(allOf[i] as NodeLimits, value, budget)) return false;
  if (anyOf.length > 0 && !anyOf.some((part) => accepts(part, value, budget))) return false;
  if (oneOf.length > 0) {
    let valid = 0;
    for (const part of oneOf) if (accepts(part, value, budget) && ++valid > 1) return false;
    if (valid !== 1) return false;
  }
  return not === undefined || !accepts(not, value, budget);
}
