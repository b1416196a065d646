/**
 * The library `cel.lib.ext.lists`, version 3. Slices, reversed lists and ranges are views: their items are computed
 * when they are read.
 */
import type { Expr } from '../ast.ts';
import {
  addRanges,
  fixed,
  LIST_COST,
  multiplyRanges,
  ONE,
  STRING_FACTOR,
  scaleRange,
  UNBOUNDED,
  wrappingSubtract,
} from '../cost/cost-range.ts';
import type { CallEstimate, Library, Macro, Range } from '../library.ts';
import { comprehensionAt, identAt, listAt, literalAt, memberCallAt } from '../parse/nodes.ts';
import { STANDARD_MACROS } from '../parse/standard-macros.ts';
import { compareValues, isSameValue } from '../runtime/equality.ts';
import { itemsOf, NativeList } from '../runtime/native-values.ts';
import { sizeForCost } from '../runtime/sizes.ts';
import { runtimeTypeName, typeOfValue } from '../runtime/type-of-value.ts';
import { BYTES, type CelType, DYN, INT, listOf, paramType, STRING } from '../types.ts';
import { CelError, type CelInt, CelList, type Value } from '../values.ts';
import { checkComparisons, checkItemCount } from './call-limits.ts';
import { argOf, sizeOfArg } from './costs.ts';
import { declare, member, type OverloadCosts, overload } from './declare.ts';
import { COMPARABLE } from './lists.ts';

// ── Views ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A list whose items are computed by a function. */
class ListView extends CelList {
  readonly size: number;
  readonly #at: (index: number) => Value;

  constructor(size: number, at: (index: number) => Value) {
    super();
    this.size = size;
    this.#at = at;
  }

  at(index: number): Value {
    return this.#at(index);
  }
}

function slice(list: Value, start: Value, end: Value): CelList {
  const items = list as CelList;
  const [from, to] = [start as CelInt, end as CelInt];
  const call = `cannot slice(${from}, ${to})`;
  if (from < 0 || to < 0) throw new CelError(`${call}, negative indexes not supported`);
  if (from > to) throw new CelError(`${call}, start index must be less than or equal to end index`);
  if (items.size < to) throw new CelError(`${call}, list is length ${items.size}`);
  const offset = Number(from);
  return new ListView(Number(to) - offset, (index) => items.at(offset + index));
}

function reverse(list: Value): CelList {
  const items = list as CelList;
  return new ListView(items.size, (index) => items.at(items.size - 1 - index));
}

function range(end: Value): CelList {
  return new ListView(Math.max(0, Number(end as CelInt)), (index) => index);
}

// ── Functions that build lists ───────────────────────────────────────────────────────────────────────────────────────

function flatten(list: Value, depth: Value): NativeList {
  if ((depth as CelInt) < 0) throw new CelError('level must be non-negative');
  const flat: Value[] = [];
  flattenInto(flat, list as CelList, Number(depth as CelInt));
  return new NativeList(flat);
}

function flattenInto(flat: Value[], list: CelList, depth: number): void {
  checkItemCount(list.size);
  for (const item of itemsOf(list)) {
    if (item instanceof CelList && depth > 0) flattenInto(flat, item, depth - 1);
    else flat.push(item);
  }
}

function distinct(list: Value): NativeList {
  const { size } = list as CelList;
  checkComparisons(size, size);
  const unique: Value[] = [];
  for (const item of itemsOf(list as CelList)) if (!unique.some((other) => isSameValue(item, other))) unique.push(item);
  return new NativeList(unique);
}

/** Sorts items by their keys. */
function sortByKeys(list: Value, keys: Value): CelList {
  const [items, order] = [list as CelList, keys as CelList];
  if (items.size !== order.size)
    throw new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${items.size} and ${order.size} elements respectively`,
    );
  if (items.size === 0) return items;
  checkComparisons(items.size, items.size);
  const type = runtimeTypeName(typeOfValue(order.at(0)));
  const pairs = Array.from({ length: items.size }, (_, index) => ({ item: items.at(index), key: order.at(index) }));
  if (pairs.length > 1 && pairs.some(({ key }) => runtimeTypeName(typeOfValue(key)) !== type))
    throw new CelError('list elements must have the same type');
  return new NativeList(pairs.sort((a, b) => compareValues(a.key, b.key)).map(({ item }) => item));
}

// ── Costs ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const CALL_AND_LIST = addRanges(ONE, fixed(LIST_COST));

function allocating(factor: number, size: Range): CallEstimate {
  return { cost: addRanges(scaleRange(size, factor), CALL_AND_LIST), resultSize: size };
}

function allocated(factor: number, size: number): number {
  return Math.trunc(size * factor) + 1 + LIST_COST;
}

/** The value of a literal int, at least 0; `otherwise` for other expressions. */
function literalInt(expr: Expr, otherwise: number): number {
  if (expr.kind !== 'literal' || expr.literal.type !== 'int') return otherwise;
  return Math.max(0, Number(expr.literal.value));
}

const SLICE_COSTS: OverloadCosts = {
  runtimeCost: (_, result) => allocated(1, sizeForCost(result)),
  estimateCost: (call) => {
    const start = literalInt(argOf(call, 1).expr, 0);
    const end = literalInt(argOf(call, 2).expr, sizeOfArg(call, 0).max);
    return allocating(1, fixed(wrappingSubtract(end, start)));
  },
};

const RANGE_COSTS: OverloadCosts = {
  runtimeCost: (_, result) => allocated(1, sizeForCost(result)),
  estimateCost: (call) => allocating(1, fixed(literalInt(argOf(call, 0).expr, UNBOUNDED))),
};

const REVERSE_COSTS: OverloadCosts = {
  runtimeCost: (_, result) => allocated(1, sizeForCost(result)),
  estimateCost: (call) => allocating(1, sizeOfArg(call, 0)),
};

const FLATTEN_COSTS: OverloadCosts = {
  runtimeCost: ([list, depth]) =>
    allocated(depth === undefined ? 1 : Number(depth as CelInt), sizeForCost(list as Value)),
  estimateCost: (call) => {
    const depth = call.args.length > 1 ? literalInt(argOf(call, 1).expr, UNBOUNDED) : 1;
    return allocating(depth, sizeOfArg(call, 0));
  },
};

/**
 * Comparisons of every item with every other; texts cost a little more. `at` is the argument whose items are compared.
 */
function compareAllCosts(at: number, factor: number): OverloadCosts {
  return {
    runtimeCost: (args) => {
      const list = args[at];
      if (!(list instanceof CelList)) return allocated(2, 1);
      const first = list.size > 0 ? list.at(0) : undefined;
      const isText = typeof first === 'string' || first instanceof Uint8Array;
      return allocated(isText ? 2 + STRING_FACTOR : 2, list.size * list.size);
    },
    estimateCost: (call) => allocating(factor, multiplyRanges(sizeOfArg(call, at), sizeOfArg(call, at))),
  };
}

function compareFactor(type: CelType): number {
  return type === STRING || type === BYTES ? 2 + STRING_FACTOR : 2;
}

// ── The library ──────────────────────────────────────────────────────────────────────────────────────────────────────

const SORTED = '@__sortBy_input__';

/** `list.sortBy(e, key)` expands to `@sortByAssociatedKeys(list, list.map(e, key))`, with the list bound to a name. */
const sortByMacro: Macro = {
  name: 'sortBy',
  member: true,
  args: 2,
  expand(context, target, args) {
    if (target === undefined) return undefined;
    if (target.kind === 'literal' || target.kind === 'map' || target.kind === 'struct') {
      const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
      context.issue({ message, at: target.at });
      return undefined;
    }
    const { at } = context;
    const mapMacro = STANDARD_MACROS.find(({ name, args: count }) => name === 'map' && count === 2) as Macro;
    const keys = mapMacro.expand(context, identAt(at, SORTED), args);
    if (keys === undefined) return undefined;
    return comprehensionAt(at, {
      range: listAt(at),
      variable: '#unused',
      accumulator: SORTED,
      init: target,
      condition: literalAt(at, { type: 'bool', value: false }),
      step: identAt(at, SORTED),
      result: memberCallAt(at, '@sortByAssociatedKeys', identAt(at, SORTED), keys),
    });
  },
};

const LIST = listOf(paramType('T'));

export const EXTENDED_LISTS_LIBRARY: Library = {
  name: 'cel.lib.ext.lists',
  macros: [sortByMacro],
  functions: [
    declare('slice', member('list_slice', [LIST, INT, INT], LIST, slice, SLICE_COSTS)),
    declare(
      'flatten',
      member('list_flatten', [listOf(LIST)], LIST, (list) => flatten(list, 1), FLATTEN_COSTS),
      member('list_flatten_int', [listOf(DYN), INT], listOf(DYN), flatten, FLATTEN_COSTS),
    ),
    declare(
      'sort',
      ...COMPARABLE.map((type) =>
        member(
          `list_${runtimeTypeName(type)}_sort`,
          [listOf(type)],
          listOf(type),
          (list) => sortByKeys(list, list),
          compareAllCosts(0, compareFactor(type)),
        ),
      ),
    ),
    declare(
      '@sortByAssociatedKeys',
      ...COMPARABLE.map((type) =>
        member(
          `list_${runtimeTypeName(type)}_sortByAssociatedKeys`,
          [LIST, listOf(type)],
          LIST,
          sortByKeys,
          compareAllCosts(1, compareFactor(type)),
        ),
      ),
    ),
    declare('lists.range', overload('lists_range', [INT], listOf(INT), range, RANGE_COSTS)),
    declare('reverse', member('list_reverse', [LIST], LIST, reverse, REVERSE_COSTS)),
    declare('distinct', member('list_distinct', [LIST], LIST, distinct, compareAllCosts(0, 2))),
  ],
};
