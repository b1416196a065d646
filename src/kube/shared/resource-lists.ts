/** Arithmetic and classification of resource lists, such as `limits: { cpu: 500m }`. */

import { formatQuantity, type Quantity, ZERO_QUANTITY } from '../../apimachinery/scalars/quantity.ts';
import { addQuantity, compareQuantity } from '../../apimachinery/scalars/quantity-arithmetic.ts';
import { parseQuantity } from '../../apimachinery/scalars/quantity-parse.ts';
import { isJsonObject, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';

/** Amounts by resource name. */
export type ResourceAmounts = Map<string, Quantity>;

const HUGE_PAGES = 'hugepages-';

/** The amount in a normalized object. Zero for a malformed value. */
export function amountOf(value: JsonValue | undefined): Quantity {
  const parsed = parseQuantity(typeof value === 'string' ? value : String(value ?? ''));
  return parsed.ok ? parsed.value : ZERO_QUANTITY;
}

/** The amounts of a resource list. Empty for an absent list. */
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

/** Sets each amount of `list` to the larger of its own and that of `other`, in place. */
export function raiseAmounts(list: ResourceAmounts, other: ResourceAmounts): void {
  for (const [name, amount] of other) {
    const present = list.get(name);
    if (present === undefined || compareQuantity(amount, present) > 0) list.set(name, amount);
  }
}

/** Whether the name has no domain or one that ends in `kubernetes.io`. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

export function isHugePageResource(name: string): boolean {
  return name.startsWith(HUGE_PAGES);
}

/** Whether a limit may exceed the request. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}

/** Whether the resource may be in `spec.resources` of a pod. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePageResource(name);
}

/** The page size in the name of a huge page resource. Undefined if it is malformed. */
export function hugePageSize(name: string): Quantity | undefined {
  const parsed = parseQuantity(name.slice(HUGE_PAGES.length));
  return parsed.ok ? parsed.value : undefined;
}

/** The amounts as a resource list. */
export function listOfAmounts(amounts: ResourceAmounts): JsonObject {
  const list: JsonObject = {};
  for (const [name, amount] of amounts) setField(list, name, formatQuantity(amount));
  return list;
}

/** A copy of the list, sorted by name. */
export function sortedResourceList(list: JsonObject): JsonObject {
  const sorted: JsonObject = {};
  for (const name of Object.keys(list).sort()) setField(sorted, name, list[name] ?? '0');
  return sorted;
}
