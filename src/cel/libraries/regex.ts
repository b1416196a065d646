/** The library `kubernetes.regex`: `find` and `findAll`. */
import type { Re2 } from '../../base/re2/re2.ts';
import { REGEX_FACTOR, STRING_FACTOR } from '../cost/cost-range.ts';
import { patternCost } from '../cost/standard-costs.ts';
import type { Library } from '../library.ts';
import { takeSteps } from '../runtime/allowance.ts';
import { NativeList } from '../runtime/native-values.ts';
import { cachedPattern, checkMatching } from '../runtime/patterns.ts';
import { sizeForCost } from '../runtime/sizes.ts';
import { INT, listOf, STRING } from '../types.ts';
import { CelError, type CelInt, type CelList, type Value } from '../values.ts';
import { sizeOfArg } from './costs.ts';
import { declare, member, type OverloadCosts } from './declare.ts';

function compile(pattern: string, text: string): Re2 {
  const result = cachedPattern(pattern);
  if (!result.ok) throw new CelError(`Illegal regex: ${result.message}`);
  checkMatching(result.regexp, text);
  return result.regexp;
}

function find(text: Value, pattern: Value): string {
  return compile(pattern as string, text as string).find(text as string) ?? '';
}

function findAll(text: Value, pattern: Value, limit: Value): CelList {
  const max = (limit as CelInt) < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  // Every match may scan the text to its end.
  const regexp = compile(pattern as string, text as string);
  const steps = regexp.weight * (/[*+{]/.test(pattern as string) ? (text as string).length : 1);
  return new NativeList(regexp.findAll(text as string, max, () => takeSteps(steps)));
}

const COSTS: OverloadCosts = {
  runtimeCost: ([text, pattern]) =>
    Math.ceil((1 + sizeForCost(text as Value)) * STRING_FACTOR) *
    Math.ceil(sizeForCost(pattern as Value) * REGEX_FACTOR),
  estimateCost: (call) => {
    const text = sizeOfArg(call, 0);
    // Every character may be a match.
    return { cost: patternCost(text, sizeOfArg(call, 1)), resultSize: { min: 0, max: text.max } };
  },
};

const STRINGS = listOf(STRING);

export const REGEX_LIBRARY: Library = {
  name: 'kubernetes.regex',
  functions: [
    declare('find', member('string_find_string', [STRING, STRING], STRING, find, COSTS)),
    declare(
      'findAll',
      member('string_find_all_string', [STRING, STRING], STRINGS, (a, b) => findAll(a as Value, b as Value, -1), COSTS),
      member('string_find_all_string_int', [STRING, STRING, INT], STRINGS, findAll, COSTS),
    ),
  ],
};
