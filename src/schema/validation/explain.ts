/**
 * The validation of a value with messages: everything that is wrong with it, in kube-apiserver's words. Runs only on
 * values that `accepts` refused. The order of the messages follows the object, where kube-apiserver's order is random.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { countCodePoints } from '../../base/utf8.ts';
import { isListed, isUnique, matches } from './accepts.ts';
import type { Correlated } from './correlated.ts';
import { explainLogic } from './explain-logic.ts';
import type { Place, ValidationResult } from './validation-result.ts';
import type { ValidatorNode } from './validator-node.ts';
import { isIntegerValue, isNearInteger, numberProblems, typeLimits } from './validator-number.ts';

/** Checks that take as long as explaining a value under one alternative of a logic operator. */
const CHECKS_PER_ALTERNATIVE = 100;

/**
 * Adds the findings on the value to `result`. `pair` holds the old value: findings on values that did not change are
 * dropped (ratcheting). Throws BudgetExceeded.
 */
export function explain(
  result: ValidationResult,
  node: ValidatorNode,
  value: JsonValue,
  place: Place,
  pair: Correlated | undefined,
): void {
  const own = result.fresh();
  explainNode(own, node, value, place, pair);
  if (!own.isValid && pair?.isUnchanged === true) own.findings.clear();
  result.merge(own);
}

function explainNode(
  result: ValidationResult,
  node: ValidatorNode,
  value: JsonValue,
  place: Place,
  pair: Correlated | undefined,
): void {
  if (value === null) {
    explainType(result, node, value, place);
    explainEnum(result, node, value, place);
    return;
  }
  if (node.types.length > 0 || node.format !== '') {
    explainType(result, node, value, place);
    result.matches++;
  }
  explainLogic(result, node, place, (part) => {
    result.budget.take(CHECKS_PER_ALTERNATIVE);
    const found = result.fresh();
    explain(found, part, value, place, undefined);
    return found;
  });
  result.matches++;
  if (typeof value === 'string') explainText(result, node, value, place);
  else if (typeof value === 'number' || typeof value === 'bigint') explainNumber(result, node, value, place);
  else if (Array.isArray(value)) explainList(result, node, value, place, pair);
  explainEnum(result, node, value, place);
  result.matches++;
  if (isJsonObject(value)) {
    explainObject(result, node, value, place, pair);
    result.matches++;
  }
  result.matches++;
}

/** The JSON type of a value and the format that kube-apiserver infers from it. */
function typeOf(value: Exclude<JsonValue, null>): readonly [type: string, format: string] {
  switch (typeof value) {
    case 'boolean':
      return ['boolean', ''];
    case 'string':
      return ['string', ''];
    case 'number':
    case 'bigint':
      return isIntegerValue(value) ? ['integer', 'int64'] : ['number', 'float64'];
    default:
      return [Array.isArray(value) ? 'array' : 'object', ''];
  }
}

function explainType(result: ValidationResult, node: ValidatorNode, value: JsonValue, place: Place): void {
  const { types, format, allows } = node;
  if (value === null) {
    if (allows.null) result.matches++;
    else result.addType(place, types.join(','), 'null');
    return;
  }
  const [type, inferred] = typeOf(value);
  const fits =
    types.includes(type) ||
    (type === 'number' && types.includes('integer') && isNearInteger(Number(value))) ||
    (type === 'integer' && types.includes('number'));
  const isNumeric = types.includes('number') || types.includes('integer');
  const isTextOrList = type === 'string' || type === 'array';
  if (!isTextOrList && format !== '' && !fits && inferred !== format) result.addType(place, format, inferred);
  else if (fits || (isTextOrList && format !== '' && !isNumeric)) result.matches++;
  else result.addType(place, types.join(','), type);
}

function explainEnum(result: ValidationResult, node: ValidatorNode, value: JsonValue, place: Place): void {
  if (node.enum.length > 0 && !isListed(node, value, result.budget)) result.addNotSupported(place, value, node.enum);
}

/** Reports the first limit that a text breaks, and its format if that is wrong too. */
function explainText(result: ValidationResult, node: ValidatorNode, value: string, place: Place): void {
  const { maxLength, minLength, pattern, format } = node;
  if (maxLength !== undefined && countCodePoints(value) > maxLength) result.addTooLong(place, maxLength);
  else if (minLength !== undefined && countCodePoints(value) < minLength)
    result.addInvalid(place, value, `${place} in body should be at least ${minLength} chars long`);
  else if (pattern !== '') {
    const compiled = node.regexp;
    const shown = compiled.ok ? pattern : `${pattern}, but pattern is invalid: ${compiled.message}`;
    if (!compiled.ok || !matches(compiled.regexp, value, result.budget))
      result.addInvalid(place, value, `${place} in body should match '${shown}'`);
  }
  result.matches++;
  if (node.checkFormat === undefined) return;
  if (!node.checkFormat(value)) result.addType(place, format, value);
  result.matches++;
}

function explainNumber(result: ValidationResult, node: ValidatorNode, value: number | bigint, place: Place): void {
  // The range of the type applies even if the node declares no limits.
  const limits = node.numbers ?? typeLimits(node.types, node.format);
  for (const { message, value: shown } of numberProblems(limits, value, place)) {
    if (shown === undefined) result.addGeneral(message);
    else result.addInvalid(place, shown, message);
  }
  result.matches += 2;
}

function explainList(
  result: ValidationResult,
  node: ValidatorNode,
  value: readonly JsonValue[],
  place: Place,
  pair: Correlated | undefined,
): void {
  if (node.hasItems) {
    for (let i = 0; i < value.length && !result.isFull; i++)
      explain(result, node.items, value[i] as JsonValue, `${place}[${i}]`, pair?.index(i));
  }
  const { minItems, maxItems } = node;
  if (minItems !== undefined && value.length < minItems)
    result.addInvalid(place, value.length, `${place} in body should have at least ${minItems} items`);
  if (maxItems !== undefined && value.length > maxItems) result.addTooMany(place, value.length, maxItems, 'items');
  if (node.uniqueItems && !isUnique(value))
    result.addInvalid(place, '', `${place} in body shouldn't contain duplicates`);
  result.matches += 2;
}

function explainObject(
  result: ValidationResult,
  node: ValidatorNode,
  value: JsonObject,
  place: Place,
  pair: Correlated | undefined,
): void {
  const names = Object.keys(value);
  const { minProperties, maxProperties } = node;
  if (minProperties !== undefined && names.length < minProperties)
    result.addInvalid(place, names.length, `${place} in body should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && names.length > maxProperties)
    result.addTooMany(place, names.length, maxProperties, 'properties');
  // Both objects were converted to the same version, so the type fields of the old one say nothing.
  const pairOf = (name: string): Correlated | undefined =>
    place === '' && (name === 'kind' || name === 'apiVersion') ? undefined : pair?.key(name);
  for (const name of node.others === 'free' ? [] : names) {
    if (result.isFull) return;
    if (node.property(name) !== undefined) continue;
    if (node.others === 'none') result.addInvalid(place, name, `${place}.${name} in body is a forbidden property`);
    else explain(result, node.additional, value[name] as JsonValue, `${place}.${name}`, pairOf(name));
  }
  for (const name of names) {
    if (result.isFull) return;
    const property = node.property(name);
    if (property === undefined) continue;
    explain(result, property, value[name] as JsonValue, place === '' ? name : `${place}.${name}`, pairOf(name));
  }
  for (const name of node.required) {
    if (result.isFull) return;
    if (!Object.hasOwn(value, name)) result.addRequired(`${place}.${name}`);
  }
}
