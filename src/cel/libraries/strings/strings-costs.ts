/** The costs of `replace`, `split` and `join`, as kube-apiserver counts them. */
import { addRanges, FREE, multiplyRanges, STRING_FACTOR, scaleRange, UNBOUNDED } from '../../cost/cost-range.ts';
import type { CallToEstimate, Range } from '../../library.ts';
import { sizeForCost } from '../../runtime/sizes.ts';
import type { Value } from '../../values.ts';
import { argOf, sizeOfArg, TWO_WALKS } from '../costs.ts';
import type { OverloadCosts } from '../declare.ts';

const walkTwice = TWO_WALKS.runtimeCost as NonNullable<OverloadCosts['runtimeCost']>;

function oneMore(size: number): number {
  return size < UNBOUNDED ? size + 1 : size;
}

/**
 * The size of the result of `replace`. The maximum replaces the shortest parts by the longest replacement, the minimum
 * the other way round.
 */
function replacedSize(text: Range, old: Range, replacement: Range): Range {
  let longest = { count: 0, kept: text.max };
  if (old.min === 0) longest = { count: oneMore(text.max), kept: text.max };
  else if (replacement.max > old.min) longest = { count: Math.ceil(text.max / old.min), kept: 0 };
  let shortest = { count: 0, kept: text.min };
  if (old.max === 0) shortest = { count: oneMore(text.min), kept: text.min };
  else if (old.max > replacement.min) shortest = { count: Math.ceil(text.min / old.max), kept: 0 };
  const replaced = multiplyRanges({ min: shortest.count, max: longest.count }, replacement);
  return addRanges(replaced, { min: shortest.kept, max: longest.kept });
}

export const REPLACE_COSTS: OverloadCosts = {
  runtimeCost: walkTwice,
  estimateCost: (call) => {
    const text = sizeOfArg(call, 0);
    return {
      cost: scaleRange(text, 2 * STRING_FACTOR),
      resultSize: replacedSize(text, sizeOfArg(call, 1), sizeOfArg(call, 2)),
    };
  },
};

/** The maximum number of parts: a literal limit, or the number of characters. */
function partsMax(call: CallToEstimate): number {
  const limit = call.args[2]?.expr;
  if (limit?.kind !== 'literal' || limit.literal.type !== 'int') return sizeOfArg(call, 0).max;
  return Number(BigInt.asUintN(64, limit.literal.value));
}

export const SPLIT_COSTS: OverloadCosts = {
  runtimeCost: walkTwice,
  estimateCost: (call) => ({
    cost: scaleRange(sizeOfArg(call, 0), 2 * STRING_FACTOR),
    resultSize: { min: 0, max: partsMax(call) },
  }),
};

/** The number of separators between items. */
function betweenItems({ min, max }: Range): Range {
  return { min: Math.max(0, min - 1), max: max > 0 && max < UNBOUNDED ? max - 1 : max };
}

export const JOIN_COSTS: OverloadCosts = {
  runtimeCost: (_, result: Value) => Math.ceil(sizeForCost(result) * 2 * STRING_FACTOR),
  estimateCost: (call) => {
    const list = sizeOfArg(call, 0);
    const item = call.itemOf(argOf(call, 0));
    const texts = item === undefined ? FREE : multiplyRanges(list, item.size);
    const size =
      call.args.length > 1 ? addRanges(texts, multiplyRanges(sizeOfArg(call, 1), betweenItems(list))) : texts;
    return { cost: scaleRange(size, STRING_FACTOR), resultSize: size };
  },
};
