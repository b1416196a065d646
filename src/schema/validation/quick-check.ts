/**
 * Closures that validate a value against one node. The common shapes of nodes get a closure of their own; all others
 * use `accepts`. A closure is created when a value first reaches its node.
 *
 * Invariant: a closure gives the same answer as `accepts` for its node.
 */
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { accepts, acceptsText } from './accepts.ts';
import type { ListedField, NodeLimits, QuickCheck } from './node-limits.ts';
import type { ValidationBudget } from './validation-budget.ts';
import type { NumberLimits } from './validator-number.ts';

/** Called once for each node. */
export function quickCheck(node: NodeLimits): QuickCheck {
  const only = node.types.length === 1 && !node.hasLogic ? node.types[0] : '';
  if (only === 'object' && node.enum.length === 0 && node.allows.string === false) return objectCheck(node);
  if (only === 'string') return textCheck(node);
  if (only === 'boolean' && node.enum.length === 0 && node.format === '') return booleanCheck(node);
  if ((only === 'integer' || only === 'number') && node.enum.length === 0) return numberCheck(node, only);
  if (only === 'array' && node.enum.length === 0 && node.format === '') return listCheck(node);
  return (value, budget) => accepts(node, value, budget);
}

function textCheck(node: NodeLimits): QuickCheck {
  const allowsNull = node.allows.null && node.enum.length === 0;
  const other: QuickCheck = (value, budget) => (value === null ? allowsNull : accepts(node, value, budget));
  if (node.enum.length > 0 && !node.hasStringLimits) {
    const { listedTexts } = node;
    return (value, budget) => (typeof value === 'string' ? listedTexts.has(value) : other(value, budget));
  }
  if (node.enum.length > 0) return (value, budget) => accepts(node, value, budget);
  if (!node.hasStringLimits) return (value, budget) => typeof value === 'string' || other(value, budget);
  return (value, budget) => (typeof value === 'string' ? acceptsText(node, value, budget) : other(value, budget));
}

function booleanCheck(node: NodeLimits): QuickCheck {
  const allowsNull = node.allows.null;
  return (value) => typeof value === 'boolean' || (value === null && allowsNull);
}

/** Compares safe integers with plain limits directly. */
function numberCheck(node: NodeLimits, type: 'integer' | 'number'): QuickCheck {
  const { numbers } = node;
  const general: QuickCheck = (value, budget) => accepts(node, value, budget);
  if (numbers === undefined)
    return type === 'integer'
      ? (value, budget) => Number.isSafeInteger(value) || general(value, budget)
      : (value, budget) => typeof value === 'number' || general(value, budget);
  const range = plainRange(numbers);
  if (range === undefined) return general;
  const { low, high } = range;
  return (value, budget) =>
    Number.isSafeInteger(value) ? (value as number) >= low && (value as number) <= high : general(value, budget);
}

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** The limits of safe integers as an inclusive range; undefined if a range does not express them. */
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
  if (node.uniqueItems || !node.hasItems) return (value, budget) => accepts(node, value, budget);
  const allowsNull = node.allows.null;
  let check: QuickCheck | undefined;
  return (value, budget) => {
    if (!Array.isArray(value)) return value === null && allowsNull;
    if (value.length > maxItems || value.length < minItems) return false;
    check ??= node.items.check;
    for (let i = 0; i < value.length; i++) if (!check(value[i] as JsonValue, budget)) return false;
    return true;
  };
}

/** The number of field names whose position in the last object is kept. */
const KEPT_NAMES = 64;

function objectCheck(node: NodeLimits): QuickCheck {
  const { required, minProperties = 0, maxProperties = Infinity, requiresListed, others } = node;
  const counts = node.minProperties !== undefined || node.maxProperties !== undefined;
  const isFree = !node.hasProperties && others === 'free' && !counts;
  const allowsNull = node.allows.null;
  const fields = node.hasProperties ? node.fields : undefined;
  // Objects of one kind mostly list their fields in the same order: the order of the last object is tried first.
  const order: ListedField[] = [];
  let additional: QuickCheck | undefined;
  const checkFields = (value: JsonObject, budget: ValidationBudget): boolean => {
    let count = 0;
    let found = 0;
    for (const name in value) {
      let slot = order[count];
      if (slot === undefined || slot.name !== name) {
        slot = fields?.get(name);
        if (slot !== undefined && count < KEPT_NAMES && count <= order.length) order[count] = slot;
      }
      count++;
      if (slot !== undefined) {
        if (slot.isRequired) found++;
        if (!slot.check(value[name] as JsonValue, budget)) return false;
      } else if (others !== 'free') {
        if (others === 'none') return false;
        additional ??= node.additional.check;
        if (!additional(value[name] as JsonValue, budget)) return false;
      }
    }
    if (requiresListed && found < required.length) return false;
    return count >= minProperties && count <= maxProperties;
  };
  return (value, budget) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value === null && allowsNull;
    // Required fields that are all listed are counted in `checkFields`.
    if (!requiresListed)
      for (let i = 0; i < required.length; i++) if (!Object.hasOwn(value, required[i] as string)) return false;
    return isFree || checkFields(value, budget);
  };
}
