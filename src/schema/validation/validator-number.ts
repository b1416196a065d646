/**
 * The limits of numbers, compared like kube-apiserver does: an integer is compared with the truncated limit, other
 * numbers are compared as doubles. A limit that does not fit its own type is reported for every number. An integer is a
 * bigint or a safe integer; `1.0` is the same as `1`.
 */
import { formatNumber } from '../../apimachinery/go-format.ts';
import type { JsonValue } from '../../base/json-value.ts';
import { flagOf, numberOf, type SchemaSource } from '../structural/schema-source.ts';

export interface NumberLimits {
  /** '' if the node has no type or several types. */
  readonly type: '' | 'integer' | 'number';
  /** int32, int64, float or double if it fits the type, otherwise ''. */
  readonly format: string;
  readonly multipleOf: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  /** The limits for comparing integers: truncated. */
  readonly whole: {
    readonly multipleOf: number | bigint | undefined;
    readonly maximum: number | bigint | undefined;
    readonly minimum: number | bigint | undefined;
  };
  /** True if a limit is out of the range of its own type: then no number is valid. */
  readonly broken: boolean;
}

/** A broken limit. `value` is undefined for a problem of the schema, which is reported without a path. */
export interface NumberProblem {
  readonly message: string;
  readonly value: JsonValue | undefined;
}

/** The limits of a node; undefined if every number of its type is valid. */
export function numberLimits(source: SchemaSource, types: readonly string[], format: string): NumberLimits | undefined {
  const limits = limitsOf(source, types, format);
  const { maximum, minimum, multipleOf } = limits;
  const isFree = maximum === undefined && minimum === undefined && multipleOf === undefined;
  return isFree && limits.format !== 'int32' && limits.format !== 'float' ? undefined : limits;
}

/** The limits that follow from the type and the format alone. */
export function typeLimits(types: readonly string[], format: string): NumberLimits {
  return limitsOf({}, types, format);
}

function limitsOf(source: SchemaSource, types: readonly string[], format: string): NumberLimits {
  const only = types.length === 1 ? types[0] : '';
  const type = only === 'integer' || only === 'number' ? only : '';
  const fits = type === 'integer' ? ['int32', 'int64'] : type === 'number' ? ['float', 'double'] : [];
  const held = { type, format: fits.includes(format) ? format : '' } as const;
  const multipleOf = doubleOf(source, 'multipleOf');
  const maximum = doubleOf(source, 'maximum');
  const minimum = doubleOf(source, 'minimum');
  return {
    ...held,
    multipleOf,
    maximum,
    exclusiveMaximum: flagOf(source, 'exclusiveMaximum'),
    minimum,
    exclusiveMinimum: flagOf(source, 'exclusiveMinimum'),
    whole: { multipleOf: wholeOf(multipleOf), maximum: wholeOf(maximum), minimum: wholeOf(minimum) },
    broken: [multipleOf, maximum, minimum].some((limit) => limit !== undefined && !fitsType(held, limit)),
  };
}

function wholeOf(limit: number | undefined): number | bigint | undefined {
  return limit === undefined ? undefined : toInt64(limit);
}

/** kube-apiserver holds limits in doubles. */
function doubleOf(source: SchemaSource, name: string): number | undefined {
  const value = numberOf(source, name);
  return value === undefined ? undefined : Number(value);
}

export function isIntegerValue(value: number | bigint): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/**
 * True for doubles within a relative error of 1e-9 of an integer, the tolerance of kube-apiserver's validation library.
 */
export function isNearInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  // The library converts to uint64 before it compares, so that no negative fraction is near an integer.
  if (value < 0 || whole === 0) return false;
  return Math.abs(value - whole) / (value + whole) < 1e-9;
}

/** The path of a value in messages. */
type Place = string;

export function numberProblems(limits: NumberLimits, value: number | bigint, place: Place): readonly NumberProblem[] {
  const problems: NumberProblem[] = [];
  const asInteger = isIntegerValue(value);
  if (!fitsType(limits, value)) problems.push(rangeProblem(limits, 'Checked', place));
  const { multipleOf, minimum, maximum } = limits;
  // If a limit of the schema does not fit the type of the value, the limit is reported, and the value is then compared
  // with it as a double.
  const check = (limit: number, name: string, exact: Compare, loose: Compare): void => {
    const fits = fitsType(limits, limit);
    if (!fits) problems.push(rangeProblem(limits, name, place));
    const problem = fits && asInteger ? exact(limit) : loose(limit);
    if (problem !== undefined) problems.push({ ...problem, message: `${place} in body ${problem.message}` });
  };
  if (multipleOf !== undefined) {
    const problem = (factor: Factor): NumberProblem | undefined => factorProblem(value, factor);
    const fits = fitsType(limits, multipleOf);
    if (!fits) problems.push(rangeProblem(limits, 'MultipleOf', place));
    const found = problem(fits && asInteger ? { integer: toInt64(multipleOf) } : { double: multipleOf });
    if (found !== undefined) problems.push(withPlace(found, place));
  }
  if (minimum !== undefined) {
    const exclusive = limits.exclusiveMinimum;
    const words = exclusive ? 'should be greater than' : 'should be greater than or equal to';
    check(
      minimum,
      'Minimum boundary',
      (limit) => below(value, toInt64(limit), exclusive, words, formatNumber),
      (limit) => below(Number(value), limit, exclusive, words, formatDouble),
    );
  }
  if (maximum !== undefined) {
    const exclusive = limits.exclusiveMaximum;
    const words = exclusive ? 'should be less than' : 'should be less than or equal to';
    check(
      maximum,
      'Maximum boundary',
      (limit) => above(value, toInt64(limit), exclusive, words, formatNumber),
      (limit) => above(Number(value), limit, exclusive, words, formatDouble),
    );
  }
  return problems;
}

type Compare = (limit: number) => NumberProblem | undefined;
type Print = (value: number) => string;
type Limit = number | bigint;

function below(value: Limit, limit: Limit, exclusive: boolean, words: string, print: Print): NumberProblem | undefined {
  const isOut = exclusive ? value <= limit : value < limit;
  return isOut ? { message: `${words} ${printLimit(limit, print)}`, value } : undefined;
}

function above(value: Limit, limit: Limit, exclusive: boolean, words: string, print: Print): NumberProblem | undefined {
  const isOut = exclusive ? value >= limit : value > limit;
  return isOut ? { message: `${words} ${printLimit(limit, print)}`, value } : undefined;
}

function printLimit(limit: Limit, print: Print): string {
  return typeof limit === 'bigint' ? String(limit) : print(limit);
}

type Factor = { readonly integer: Limit } | { readonly double: number };

/** `bad` marks a factor that is not positive: `withPlace` then makes a different message. */
function factorProblem(value: Limit, factor: Factor): (NumberProblem & { readonly bad?: true }) | undefined {
  if ('integer' in factor) {
    const { integer } = factor;
    if (integer <= 0) return { message: formatNumber(integer), value: integer, bad: true };
    return isMultiple(value, integer)
      ? undefined
      : { message: `should be a multiple of ${formatNumber(integer)}`, value };
  }
  const { double } = factor;
  if (double <= 0) return { message: formatDouble(double), value: double, bad: true };
  const number = Number(value);
  const times = double < 1 ? (1 / double) * number : number / double;
  return isNearInteger(times)
    ? undefined
    : { message: `should be a multiple of ${formatDouble(double)}`, value: number };
}

function withPlace(problem: NumberProblem & { readonly bad?: true }, place: Place): NumberProblem {
  const { message, value } = problem;
  if (problem.bad !== true) return { message: `${place} in body ${message}`, value };
  return { message: `factor MultipleOf declared for ${place} must be positive: ${message}`, value };
}

function isMultiple(value: Limit, factor: Limit): boolean {
  if (typeof value === 'number' && typeof factor === 'number') return value % factor === 0;
  return BigInt(value) % BigInt(factor) === 0n;
}

function rangeProblem({ type, format }: NumberLimits, name: string, place: Place): NumberProblem {
  const how = format === '' ? '(default format)' : `with format ${format}`;
  return { message: `${name} value must be of type ${type} ${how} in ${place}`, value: undefined };
}

/** True if the number, a value or a limit, is in the range of the type. */
function fitsType({ type, format }: Pick<NumberLimits, 'type' | 'format'>, value: Limit): boolean {
  if (type === 'integer') {
    if (typeof value === 'number' && !Number.isInteger(value)) return false;
    if (format === 'int32') return value >= -(2 ** 31) && value < 2 ** 31;
    return value >= -(2 ** 63) && value < 2 ** 63;
  }
  return format !== 'float' || Number.isFinite(Math.fround(Number(value)));
}

/** Converts a double to an int64 as Go on amd64 does: truncated, and the minimum int64 if it is out of range. */
function toInt64(value: number): Limit {
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole + 0;
  if (!(whole >= -(2 ** 63) && whole < 2 ** 63)) return -(2n ** 63n);
  return BigInt(whole);
}

/** Prints a double as Go's `%v` does. */
export function formatDouble(value: number): string {
  if (!Number.isInteger(value)) return formatNumber(value);
  if (Math.abs(value) < 1e6) return String(value);
  const [mantissa, exponent = ''] = value.toExponential().split('e+');
  return `${mantissa}e+${exponent.padStart(2, '0')}`;
}

/** True if `numberProblems` finds nothing. */
export function numberFits(limits: NumberLimits, value: number | bigint): boolean {
  if (limits.broken || !fitsType(limits, value)) return false;
  const asInteger = isIntegerValue(value);
  const { maximum, minimum, multipleOf } = asInteger ? limits.whole : limits;
  if (maximum !== undefined && (limits.exclusiveMaximum ? value >= maximum : value > maximum)) return false;
  if (minimum !== undefined && (limits.exclusiveMinimum ? value <= minimum : value < minimum)) return false;
  if (multipleOf === undefined) return true;
  return factorProblem(value, asInteger ? { integer: multipleOf } : { double: multipleOf as number }) === undefined;
}
