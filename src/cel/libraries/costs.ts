/**
 * The costs that several extension libraries share, as kube-apiserver counts them: each as a run-time cost of values
 * and as an estimate from sizes.
 */
import { utf8Length } from '../../base/utf8.ts';
import { ONE, STRING_FACTOR, scaleRange } from '../cost/cost-range.ts';
import type { CallToEstimate, EstimatedArg, Range } from '../library.ts';
import { sizeForCost } from '../runtime/sizes.ts';
import { CelList, CelMap, CelObject, type Value } from '../values.ts';
import type { OverloadCosts } from './declare.ts';

/** The cost of reading a value with everything in it. */
export function deepTraversalCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) * STRING_FACTOR);
  if (value instanceof Uint8Array) return Math.floor(value.length * STRING_FACTOR);
  let cost = 0;
  if (value instanceof CelList) {
    for (let i = 0; i < value.size; i++) cost += deepTraversalCost(value.at(i));
  } else if (value instanceof CelMap) {
    for (const key of value.keys()) cost += deepTraversalCost(key) + deepTraversalCost(value.get(key) as Value);
  } else if (value instanceof CelObject) {
    for (const name of value.type.fieldNames()) {
      const field = value.get(name);
      if (field !== undefined) cost += deepTraversalCost(name) + deepTraversalCost(field);
    }
  } else return 1;
  return cost;
}

/** Cost 1 for all arguments. It differs from the default of overloads: the result has no size. */
export const NOMINAL: OverloadCosts = { runtimeCost: () => 1, estimateCost: () => ({ cost: ONE }) };

export function argOf(call: CallToEstimate, index: number): EstimatedArg {
  return call.args[index] as EstimatedArg;
}

export function sizeOfArg(call: CallToEstimate, index: number): Range {
  return call.sizeOf(argOf(call, index));
}

/** One traversal of the first argument, a text. */
export const ONE_WALK: OverloadCosts = {
  runtimeCost: ([text]) => Math.ceil(sizeForCost(text as Value) * STRING_FACTOR),
  estimateCost: (call) => ({ cost: scaleRange(sizeOfArg(call, 0), STRING_FACTOR) }),
};

/** One traversal of the first argument, a text. The result has the same length. */
export const ONE_WALK_SAME_SIZE: OverloadCosts = {
  runtimeCost: ONE_WALK.runtimeCost as NonNullable<OverloadCosts['runtimeCost']>,
  estimateCost: (call) => {
    const size = sizeOfArg(call, 0);
    return { cost: scaleRange(size, STRING_FACTOR), resultSize: size };
  },
};

/** Two traversals of the first argument, a text. */
export const TWO_WALKS: OverloadCosts = {
  runtimeCost: ([text]) => Math.ceil(sizeForCost(text as Value) * 2 * STRING_FACTOR),
  estimateCost: (call) => ({ cost: scaleRange(sizeOfArg(call, 0), 2 * STRING_FACTOR) }),
};
