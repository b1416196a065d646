/** The library `cel.lib.ext.sets`: lists as sets. The order and the number of equal items do not matter. */
import { addRanges, multiplyRanges, ONE, scaleRange } from '../cost/cost-range.ts';
import type { Library } from '../library.ts';
import { isSameValue } from '../runtime/equality.ts';
import { itemsOf } from '../runtime/native-values.ts';
import { sizeForCost } from '../runtime/sizes.ts';
import { BOOL, listOf, paramType } from '../types.ts';
import type { CelList, Value } from '../values.ts';
import { checkComparisons } from './call-limits.ts';
import { sizeOfArg } from './costs.ts';
import { declare, type OverloadCosts, overload } from './declare.ts';

function has(list: CelList, item: Value): boolean {
  for (let i = 0; i < list.size; i++) if (isSameValue(item, list.at(i))) return true;
  return false;
}

function contains(list: Value, part: Value): boolean {
  checkComparisons((list as CelList).size, (part as CelList).size);
  for (const item of itemsOf(part as CelList)) if (!has(list as CelList, item)) return false;
  return true;
}

function intersects(a: Value, b: Value): boolean {
  checkComparisons((a as CelList).size, (b as CelList).size);
  for (const item of itemsOf(a as CelList)) if (has(b as CelList, item)) return true;
  return false;
}

/** Comparisons of every item with every item of the other list, `times` times. */
function costs(times: number): OverloadCosts {
  return {
    runtimeCost: ([a, b]) => 1 + sizeForCost(a as Value) * sizeForCost(b as Value) * times,
    estimateCost: (call) => ({
      cost: addRanges(scaleRange(multiplyRanges(sizeOfArg(call, 0), sizeOfArg(call, 1)), times), ONE),
    }),
  };
}

const LIST = listOf(paramType('T'));

export const SETS_LIBRARY: Library = {
  name: 'cel.lib.ext.sets',
  functions: [
    declare('sets.contains', overload('list_sets_contains_list', [LIST, LIST], BOOL, contains, costs(1))),
    declare(
      'sets.equivalent',
      overload(
        'list_sets_equivalent_list',
        [LIST, LIST],
        BOOL,
        (a, b) => contains(a as Value, b as Value) && contains(b as Value, a as Value),
        costs(2),
      ),
    ),
    declare('sets.intersects', overload('list_sets_intersects_list', [LIST, LIST], BOOL, intersects, costs(1))),
  ],
};
