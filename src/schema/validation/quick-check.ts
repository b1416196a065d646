/**
 * Nodes as closures that say whether a value keeps to them, the common kinds of nodes by the shortest way. Invariant: a closure says what `accepts` says of its node; it is made when a value first
 * reaches the node.
 */
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { accepts, acceptsText } from './accepts.ts';
import type { ListedField, NodeLimits, QuickCheck } from './node-limits.ts';
import type { NumberLimits } from './validator-number.ts';

/** One of the few shapes that most nodes have, or the general way. */
export function quickCheck(node: NodeLimits): QuickCheck {
  const only = node.types.length === 1 && !node.hasLogic ? node.types[0] : '';
  if (only === 'object' && node.enum.length === 0 && node.takes.string === false) return objectCheck(node);
  if (only === 'string') return textCheck(node);
  if (only === 'boolean' && node.enum.length === 0 && node.format === '') return booleanCheck(node);
  if ((only === 'integer' || only === 'number') && node.enum.length === 0) return numberCheck(node, only);
  if (only === 'array' && node.enum.length === 0 && node.format === '') return listCheck(node);
  return (value) => accepts(node, value);
}

function textCheck(node: NodeLimits): QuickCheck {
  const takesNull = node.takes.null && node.enum.length === 0;
  const other: QuickCheck = (value) => (value === null ? takesNull : accepts(node, value));
  if (node.enum.length > 0 && !node.hasStringLimits) {
    const { listedTexts } = node;
    return (value) => (typeof value === 'string' ? listedTexts.has(value) : other(value));
  }
  if (node.enum.length > 0) return (value) => accepts(node, value);
  if (!node.hasStringLimits) return (value) => typeof value === 'string' || other(value);
  return (value) => (typeof value === 'string' ? acceptsText(node, value) : other(value));
}

function booleanCheck(node: NodeLimits): QuickCheck {
  const takesNull = node.takes.null;
  return (value) => typeof value === 'boolean' || (value === null && takesNull);
}

/** Safe integers and plain limits are compared here. */
function numberCheck(node: NodeLimits, type: 'integer' | 'number'): QuickCheck {
  const { numbers } = node;
  const general: QuickCheck = (value) => accepts(node, value);
  if (numbers === undefined)
    return type === 'integer'
      ? (value) => Number.isSafeInteger(value) || general(value)
      : (value) => typeof value === 'number' || general(value);
  const range = plainRange(numbers);
  if (range === undefined) return general;
  const { low, high } = range;
  return type === 'integer'
    ? (value) => (Number.isSafeInteger(value) ? (value as number) >= low && (value as number) <= high : general(value))
    : (value) => (Number.isSafeInteger(value) ? (value as number) >= low && (value as number) <= high : general(value));
}

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** Limits that hold for safe integers as they stand; undefined where more is to be judged. */
function plainRange(limits: NumberLimits): { readonly low: number; readonly high: number } | undefined {
  const { whole, broken, multipleOf, exclusiveMaximum, exclusiveMinimum, format } = limits;
  if (broken || multipleOf !== undefined || exclusiveMaximum || exclusiveMinimum || format === 'float')
    return undefined;
  const { minimum, maximum } = whole;
  if (typeof minimum === 'bigint' || typeof maximum === 'bigint') return undefined;
  const [least, most] = format === 'int32' ? [INT32_MIN, INT32_MAX] : [-Infinity, Infinity];
  return { low: Math.max(minimum ?? -Infinity, least), high: Math.min(maximum ?? Infinity, most) };
}

function listCheck(node: NodeLimits): QuickCheck {
  const { maxItems = Infinity, minItems = 0 } = node;
  if (node.uniqueItems || !node.hasItems) return (value) => accepts(node, value);
  const takesNull = node.takes.null;
  let check: QuickCheck | undefined;
  return (value) => {
    if (!Array.isArray(value)) return value === null && takesNull;
    if (value.length > maxItems || value.length < minItems) return false;
    check ??= node.items.check;
    for (let i = 0; i < value.length; i++) if (!check(value[i] as JsonValue)) return false;
    return true;
  };
}

/** How many names of an object are expected where they came last. */
const REMEMBERED = 64;

function objectCheck(node: NodeLimits): QuickCheck {
  const { required, minProperties = 0, maxProperties = Infinity, requiresListed, others } = node;
  const counts = node.minProperties !== undefined || node.maxProperties !== undefined;
  const isFree = !node.hasProperties && others === 'free' && !counts;
  const takesNull = node.takes.null;
  const fields = node.hasProperties ? node.fields : undefined;
  /** Objects of one kind have their fields in one order, mostly. */
  const order: ListedField[] = [];
  let additional: QuickCheck | undefined;
  const judge = (value: JsonObject): boolean => {
    let count = 0;
    let found = 0;
    for (const name in value) {
      let slot = order[count];
      if (slot === undefined || slot.name !== name) {
        slot = fields?.get(name);
        if (slot !== undefined && count < REMEMBERED && count <= order.length) order[count] = slot;
      }
      count++;
      if (slot !== undefined) {
        if (slot.isRequired) found++;
        if (!slot.check(value[name] as JsonValue)) return false;
      } else if (others !== 'free') {
        if (others === 'none') return false;
        additional ??= node.additional.check;
        if (!additional(value[name] as JsonValue)) return false;
      }
    }
    if (requiresListed && found < required.length) return false;
    return count >= minProperties && count <= maxProperties;
  };
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value === null && takesNull;
    // Those that are listed are counted on the way.
    if (!requiresListed)
      for (let i = 0; i < required.length; i++) if (!Object.hasOwn(value, required[i] as string)) return false;
    return isFree || judge(value);
  };
}
