/**
 * What calls of the extension libraries cost, as the reference counts. Invariant: a pair of functions here says the same thing twice: of values, and of sizes.
 */
import { utf8Length } from '../../base/utf8.ts';
import { ONE, STRING_FACTOR, scaleRange } from '../cost/cost-range.ts';
import type { CallToEstimate, EstimatedArg, Range } from '../library.ts';
import { sizeForCost } from '../runtime/sizes.ts';
import { CelList, CelMap, CelObject, type Value } from '../values.ts';
import type { OverloadCosts } from './declare.ts';

/** The cost of looking at everything in a value. */
export function traversalCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) * STRING_FACTOR);
  if (value instanceof Uint8Array) return Math.floor(value.length * STRING_FACTOR);
  let cost = 0;
  if (value instanceof CelList) {
    for (let i = 0; i < value.size; i++) cost += traversalCost(value.at(i));
  } else if (value instanceof CelMap) {
    for (const key of value.keys()) cost += traversalCost(key) + traversalCost(value.get(key) as Value);
  } else if (value instanceof CelObject) {
    for (const name of value.type.fieldNames()) {
      const field = value.get(name);
      if (field !== undefined) cost += traversalCost(name) + traversalCost(field);
    }
  } else return 1;
  return cost;
}

/** Whatever the arguments are, 1. This is also what a call costs that says nothing, but for its result: it has no size. */
export const NOMINAL: OverloadCosts = { runtimeCost: () => 1, estimateCost: () => ({ cost: ONE }) };

export function argOf(call: CallToEstimate, index: number): EstimatedArg {
  return call.args[index] as EstimatedArg;
}

export function sizeOfArg(call: CallToEstimate, index: number): Range {
  return call.sizeOf(argOf(call, index));
}

/** One walk along the first argument, a text. */
export const ONE_WALK: OverloadCosts = {
  runtimeCost: ([text]) => Math.ceil(sizeForCost(text as Value) * STRING_FACTOR),
  estimateCost: (call) => ({ cost: scaleRange(sizeOfArg(call, 0), STRING_FACTOR) }),
};

/** The same; the result is as long as the text. */
export const ONE_WALK_SAME_SIZE: OverloadCosts = {
  runtimeCost: ONE_WALK.runtimeCost as NonNullable<OverloadCosts['runtimeCost']>,
  estimateCost: (call) => {
    const size = sizeOfArg(call, 0);
    return { cost: scaleRange(size, STRING_FACTOR), resultSize: size };
  },
};

/** Two walks along the first argument, a text. */
export const TWO_WALKS: OverloadCosts = {
  runtimeCost: ([text]) => Math.ceil(sizeForCost(text as Value) * 2 * STRING_FACTOR),
  estimateCost: (call) => ({ cost: scaleRange(sizeOfArg(call, 0), 2 * STRING_FACTOR) }),
};
