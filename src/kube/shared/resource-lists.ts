/**
 * Resource lists (`cpu: 500m`): names, amounts, sums. Invariant: pure; a list is never changed unless a function says so, and amounts are the texts that the
 * reference prints.
 */

import { formatQuantity, type Quantity, ZERO_QUANTITY } from '../../apimachinery/scalars/quantity.ts';
import { addQuantity, compareQuantity } from '../../apimachinery/scalars/quantity-arithmetic.ts';
import { parseQuantity } from '../../apimachinery/scalars/quantity-parse.ts';
import { isJsonObject, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';

/** Amounts by name of the resource. */
export type ResourceAmounts = Map<string, Quantity>;

const HUGE_PAGES = 'hugepages-';

/** The amount that a normalized object holds; zero for anything that is no amount. */
export function amountOf(value: JsonValue | undefined): Quantity {
  const parsed = parseQuantity(typeof value === 'string' ? value : String(value ?? ''));
  return parsed.ok ? parsed.value : ZERO_QUANTITY;
}

/** The amounts of a list; empty for an absent one. */
export function amountsOf(list: JsonValue | undefined): ResourceAmounts {
  const amounts: ResourceAmounts = new Map();
  if (isJsonObject(list)) for (const name of Object.keys(list)) amounts.set(name, amountOf(list[name]));
  return amounts;
}

/** Adds `more` to `sum`, in place. */
export function addAmounts(sum: ResourceAmounts, more: ResourceAmounts): void {
  for (const [name, amount] of more) {
    const present = sum.get(name);
    sum.set(name, present === undefined ? amount : addQuantity(present, amount));
  }
}

/** Raises `list` to `other` where that is more, in place. */
export function raiseAmounts(list: ResourceAmounts, other: ResourceAmounts): void {
  for (const [name, amount] of other) {
    const present = list.get(name);
    if (present === undefined || compareQuantity(amount, present) > 0) list.set(name, amount);
  }
}

/** Without a domain, or in a domain that ends in `kubernetes.io`. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

export function isHugePageResource(name: string): boolean {
  return name.startsWith(HUGE_PAGES);
}

/** Limits may exceed requests. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}

/** What may be asked for a pod as a whole. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePageResource(name);
}

/** The page size of a hugepages resource; undefined if it has none that can be read. */
export function hugePageSize(name: string): Quantity | undefined {
  const parsed = parseQuantity(name.slice(HUGE_PAGES.length));
  return parsed.ok ? parsed.value : undefined;
}

/** A list as it is stored. */
export function listOfAmounts(amounts: ResourceAmounts): JsonObject {
  const list: JsonObject = {};
  for (const [name, amount] of amounts) setField(list, name, formatQuantity(amount));
  return list;
}
