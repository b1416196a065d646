/** The library `kubernetes.lists`. */
import { addRanges, multiplyRanges, ONE, STRING_FACTOR, scaleRange } from '../cost/cost-range.ts';
import type { CallEstimate, CallToEstimate, Library, Overload } from '../library.ts';
import { compareValues, isSameValue } from '../runtime/equality.ts';
import { addInts, uintOf } from '../runtime/integers.ts';
import { itemsOf } from '../runtime/native-values.ts';
import { durationOf } from '../runtime/timestamps.ts';
import {
  type BasicType,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  paramType,
  STRING,
  TIMESTAMP,
  UINT,
} from '../types.ts';
import { CelDouble, CelDuration, CelError, type CelInt, type CelList, CelUint, type Value } from '../values.ts';
import { argOf, deepTraversalCost, sizeOfArg } from './costs.ts';
import { declare, member, type OverloadCosts } from './declare.ts';

/** The types that have an order. */
export const COMPARABLE: readonly BasicType[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];

/** One traversal of a list and the texts in it, or of a text, because `indexOf` is also a function of texts. */
export const TRAVERSAL: OverloadCosts = {
  runtimeCost: ([list]) => deepTraversalCost(list as Value),
  estimateCost: (call: CallToEstimate): CallEstimate => {
    const list = argOf(call, 0);
    const item = call.itemOf(list);
    if (item === undefined) return { cost: scaleRange(sizeOfArg(call, 0), STRING_FACTOR) };
    const hasText = item.type === STRING || item.type === BYTES;
    const each = hasText ? addRanges(ONE, scaleRange(item.size, STRING_FACTOR)) : ONE;
    return { cost: multiplyRanges(sizeOfArg(call, 0), each) };
  },
};

/** The order of two items; undefined if one of them is NaN. */
function order(a: Value, b: Value): number | undefined {
  if ((a instanceof CelDouble && Number.isNaN(a.value)) || (b instanceof CelDouble && Number.isNaN(b.value)))
    return undefined;
  return compareValues(a, b);
}

function isSorted(list: Value): boolean {
  let previous: Value | undefined;
  for (const item of itemsOf(list as CelList)) {
    if (previous !== undefined && (order(previous, item) ?? 0) > 0) return false;
    previous = item;
  }
  return true;
}

/** The minimum or maximum; the first of equal items. */
function extreme(name: 'min' | 'max'): (list: Value) => Value {
  const sign = name === 'min' ? 1 : -1;
  return (list) => {
    let best: Value | undefined;
    for (const item of itemsOf(list as CelList))
      if (best === undefined || (order(best, item) ?? 0) * sign > 0) best = item;
    if (best === undefined) throw new CelError(`${name} called on empty list`);
    return best;
  };
}

const SUMS: ReadonlyMap<BasicType, { readonly zero: Value; readonly add: (a: Value, b: Value) => Value }> = new Map([
  [INT, { zero: 0, add: (a, b) => addInts(a as CelInt, b as CelInt) }],
  [UINT, { zero: new CelUint(0n), add: (a, b) => uintOf((a as CelUint).value + (b as CelUint).value) }],
  [DOUBLE, { zero: new CelDouble(0), add: (a, b) => new CelDouble((a as CelDouble).value + (b as CelDouble).value) }],
  [
    DURATION,
    { zero: new CelDuration(0n), add: (a, b) => durationOf((a as CelDuration).nanos + (b as CelDuration).nanos) },
  ],
]);

function indexOf(list: Value, item: Value): number {
  const items = list as CelList;
  for (let i = 0; i < items.size; i++) if (isSameValue(items.at(i), item)) return i;
  return -1;
}

function lastIndexOf(list: Value, item: Value): number {
  const items = list as CelList;
  for (let i = items.size - 1; i >= 0; i--) if (isSameValue(items.at(i), item)) return i;
  return -1;
}

function forEach(types: Iterable<BasicType>, make: (type: BasicType) => Overload): Overload[] {
  return Array.from(types, make);
}

const A = paramType('A');

export const LISTS_LIBRARY: Library = {
  name: 'kubernetes.lists',
  functions: [
    declare(
      'isSorted',
      ...forEach(COMPARABLE, (type) =>
        member(`list_${type.name}_is_sorted_bool`, [listOf(type)], BOOL, isSorted, TRAVERSAL),
      ),
    ),
    declare(
      'sum',
      ...Array.from(SUMS, ([type, { zero, add }]) =>
        member(
          `list_${type.name}_sum_${type.name}`,
          [listOf(type)],
          type,
          (list) => Array.from(itemsOf(list as CelList)).reduce(add, zero),
          TRAVERSAL,
        ),
      ),
    ),
    ...(['max', 'min'] as const).map((name) =>
      declare(
        name,
        ...forEach(COMPARABLE, (type) =>
          member(`list_${type.name}_${name}_${type.name}`, [listOf(type)], type, extreme(name), TRAVERSAL),
        ),
      ),
    ),
    declare('indexOf', member('list_a_index_of_int', [listOf(A), A], INT, indexOf, TRAVERSAL)),
    declare('lastIndexOf', member('list_a_last_index_of_int', [listOf(A), A], INT, lastIndexOf, TRAVERSAL)),
  ],
};
