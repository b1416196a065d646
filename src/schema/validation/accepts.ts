/**
 * Whether a value keeps to its schema, and nothing else: the way of every good object. Invariant: true exactly if `explain` finds nothing wrong; no text is made.
 */

import { formatJson } from '../../apimachinery/go-format.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { Re2 } from '../../base/re2/re2.ts';
import type { NodeLimits } from './node-limits.ts';
import { takeEffort } from './validation-effort.ts';
import { isIntegerValue, isNearInteger, numberFits } from './validator-number.ts';

export function accepts(node: NodeLimits, value: JsonValue): boolean {
  switch (typeof value) {
    case 'string':
      if (!node.takes.string || (node.hasStringLimits && !acceptsText(node, value))) return false;
      break;
    case 'number':
    case 'bigint':
      if (!takesNumber(node, value) || (node.numbers !== undefined && !numberFits(node.numbers, value))) return false;
      break;
    case 'boolean':
      if (!node.takes.boolean) return false;
      break;
    default:
      // Nothing else is asked of null, and no enumeration holds it.
      if (value === null) return node.takes.null && node.enum.length === 0;
      if (Array.isArray(value) ? !acceptsList(node, value) : !acceptsObject(node, value)) return false;
  }
  if (node.enum.length > 0 && !isListed(node, value)) return false;
  return !node.hasLogic || acceptsLogic(node, value);
}

function takesNumber({ takes }: NodeLimits, value: number | bigint): boolean {
  if (isIntegerValue(value)) return takes.integer;
  return takes.fraction || (takes.nearInteger && isNearInteger(value as number));
}

export function acceptsText(node: NodeLimits, value: string): boolean {
  if (value === node.lastText) return true;
  const { maxLength, minLength } = node;
  if (maxLength !== undefined && value.length > maxLength && runeCount(value) > maxLength) return false;
  if (minLength !== undefined && (value.length < minLength || runeCount(value) < minLength)) return false;
  if (node.pattern !== '') {
    const compiled = node.regexp;
    if (!compiled.ok || !matches(compiled.regexp, value)) return false;
  }
  if (node.checkFormat !== undefined && !node.checkFormat(value)) return false;
  if (value.length <= REMEMBERED) node.lastText = value;
  return true;
}

/** Throws TooMuchEffort where the text is too long for the pattern. */
export function matches(regexp: Re2, text: string): boolean {
  takeEffort((regexp.weight * text.length) / STEPS);
  return regexp.test(text);
}

/** Steps of matching that take as long as one check. */
const STEPS = 8;

/** Longer texts are not kept. */
const REMEMBERED = 256;

/** Characters, not UTF-16 units. */
export function runeCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--;
      i++;
    }
  }
  return count;
}

function acceptsList(node: NodeLimits, value: readonly JsonValue[]): boolean {
  if (!node.takes.array) return false;
  if (node.maxItems !== undefined && value.length > node.maxItems) return false;
  if (node.minItems !== undefined && value.length < node.minItems) return false;
  if (node.hasItems) {
    const { check } = node.items;
    for (let i = 0; i < value.length; i++) if (!check(value[i] as JsonValue)) return false;
  }
  return !node.uniqueItems || isUnique(value);
}

/** No item equals another. */
export function isUnique(list: readonly JsonValue[]): boolean {
  const seen = new Set<string>();
  for (const item of list) {
    const text = formatJson(item);
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}

function acceptsObject(node: NodeLimits, value: JsonObject): boolean {
  if (!node.takes.object) return false;
  const { required, minProperties, maxProperties } = node;
  // Those that are listed are counted on the way.
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
      if (!field.check(child)) return false;
    } else if (others !== 'free') {
      if (others === 'none') return false;
      if (!node.additional.check(child)) return false;
    }
  }
  if (node.requiresListed && found < required.length) return false;
  return !(
    (minProperties !== undefined && count < minProperties) ||
    (maxProperties !== undefined && count > maxProperties)
  );
}

/** As Go converts and compares: a fraction is cut where the listed number is an integer, an integer is the character of that code where a text is listed. */
export function isListed(node: NodeLimits, value: JsonValue): boolean {
  // Null is never listed, even where it is.
  if (value === null) return false;
  if (typeof value === 'string') return node.listedTexts.has(value);
  takeEffort(node.enum.length * (typeof value === 'object' ? COMPARED : 1));
  for (const each of node.enum) {
    if (each === value || equalConverted(each, value)) return true;
  }
  return false;
}

/** Checks that take as long as comparing two objects that differ soon. */
const COMPARED = 8;

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

function acceptsLogic(node: NodeLimits, value: JsonValue): boolean {
  const { allOf, anyOf, oneOf, not } = node;
  takeEffort(allOf.length + anyOf.length + oneOf.length + 1);
  for (let i = 0; i < allOf.length; i++) if (!accepts(allOf[i] as NodeLimits, value)) return false;
  if (anyOf.length > 0 && !anyOf.some((part) => accepts(part, value))) return false;
  if (oneOf.length > 0) {
    let valid = 0;
    for (const part of oneOf) if (accepts(part, value) && ++valid > 1) return false;
    if (valid !== 1) return false;
  }
  return not === undefined || !accepts(not, value);
}
