/**
 * The cost estimates of functions of the standard library, from the sizes of their arguments. They do not include the
 * costs of the arguments.
 */
import type { CallEstimate, CallToEstimate, EstimatedArg, Range } from '../library.ts';
import type { CelType } from '../types.ts';
import {
  addRanges,
  multiplyRanges,
  ONE,
  REGEX_FACTOR,
  STRING_FACTOR,
  scaleRange,
  uniteRanges,
  wrappingMultiplyAdd,
} from './cost-range.ts';

type Estimator = (call: CallToEstimate) => CallEstimate;

const COMPARED_BY_SIZE = [
  'less_string',
  'greater_string',
  'less_equals_string',
  'greater_equals_string',
  'less_bytes',
  'greater_bytes',
  'less_equals_bytes',
  'greater_equals_bytes',
  'not_equals',
];

const ESTIMATORS: ReadonlyMap<string, Estimator> = new Map<string, Estimator>([
  ...COMPARED_BY_SIZE.map((id): [string, Estimator] => [id, compare]),
  ['equals', equal],
  ['add_string', concatenate],
  ['add_bytes', concatenate],
  ['add_list', (call) => ({ cost: ONE, resultSize: sumOfSizes(call) })],
  ['string_format', (call) => ({ cost: scaleRange(sizeAt(call, 0), STRING_FACTOR) })],
  ['starts_with_string', (call) => ({ cost: scaleRange(sizeAt(call, 1), STRING_FACTOR) })],
  ['ends_with_string', (call) => ({ cost: scaleRange(sizeAt(call, 1), STRING_FACTOR) })],
  ['in_list', (call) => ({ cost: sizeAt(call, 1) })],
  ['matches_string', match],
  ['contains_string', contain],
  ['string_to_bytes', encode],
  ['bytes_to_string', decode],
  ['strings_quote', quote],
]);

/** The estimator of an overload; undefined if its cost is 1 or it is not in the standard library. */
export function standardCost(overload: string): Estimator | undefined {
  return ESTIMATORS.get(overload);
}

function argAt(call: CallToEstimate, index: number): EstimatedArg {
  return call.args[index] as EstimatedArg;
}

function sizeAt(call: CallToEstimate, index: number): Range {
  return call.sizeOf(argAt(call, index));
}

function sumOfSizes(call: CallToEstimate): Range {
  return addRanges(sizeAt(call, 0), sizeAt(call, 1));
}

function concatenate(call: CallToEstimate): CallEstimate {
  const resultSize = sumOfSizes(call);
  return { cost: scaleRange(resultSize, STRING_FACTOR), resultSize };
}

/** A comparison ends at the end of the shorter argument. */
function compare(call: CallToEstimate): CallEstimate {
  const max = Math.min(sizeAt(call, 0).max, sizeAt(call, 1).max);
  return { cost: scaleRange({ min: max > 0 ? 1 : 0, max }, STRING_FACTOR) };
}

/** Values of Kubernetes' libraries have their own estimates for `==`, but not for `!=`. */
function equal(call: CallToEstimate): CallEstimate {
  const { type } = argAt(call, 0);
  if (type.kind !== 'opaque' || !sameOpaque(type.name, argAt(call, 1).type)) return compare(call);
  switch (type.name) {
    case 'net.IP':
    case 'net.CIDR':
    case 'kubernetes.Quantity':
    case 'kubernetes.Semver':
      return { cost: ONE };
    case 'kubernetes.NamedFormat':
      return { cost: scaleRange({ min: 1, max: FORMAT_SIZE_MAX }, STRING_FACTOR) };
    case 'kubernetes.URL':
      return { cost: scaleRange({ min: 1, max: argAt(call, 1).size?.max ?? 1 }, STRING_FACTOR) };
    default:
      return compare(call);
  }
}

/** kube-apiserver's bound on the size of a format. */
const FORMAT_SIZE_MAX = 64;

function sameOpaque(name: string, type: CelType): boolean {
  return type.kind === 'opaque' && type.name === name;
}

/** Adds one to the size of the text, so that matching an empty text is not free. */
export function patternCost(text: Range, pattern: Range): Range {
  return multiplyRanges(scaleRange(addRanges(text, ONE), STRING_FACTOR), scaleRange(pattern, REGEX_FACTOR));
}

function match(call: CallToEstimate): CallEstimate {
  return { cost: patternCost(sizeAt(call, 0), sizeAt(call, 1)) };
}

function contain(call: CallToEstimate): CallEstimate {
  return {
    cost: multiplyRanges(scaleRange(sizeAt(call, 0), STRING_FACTOR), scaleRange(sizeAt(call, 1), STRING_FACTOR)),
  };
}

function encode(call: CallToEstimate): CallEstimate {
  const size = sizeAt(call, 0);
  return {
    cost: scaleRange(size, STRING_FACTOR),
    resultSize: { min: size.min, max: wrappingMultiplyAdd(size.max, 4, 0) },
  };
}

function decode(call: CallToEstimate): CallEstimate {
  const size = sizeAt(call, 0);
  return { cost: scaleRange(size, STRING_FACTOR), resultSize: { min: Math.floor(size.min / 4), max: size.max } };
}

function quote(call: CallToEstimate): CallEstimate {
  const size = sizeAt(call, 0);
  return {
    cost: scaleRange(size, STRING_FACTOR),
    resultSize: { min: wrappingMultiplyAdd(size.min, 1, 2), max: wrappingMultiplyAdd(size.max, 2, 2) },
  };
}

/** The size of `c ? a : b`: that of either branch. */
export function sizeOfEither(call: CallToEstimate): Range {
  return uniteRanges(sizeAt(call, 1), sizeAt(call, 2));
}
