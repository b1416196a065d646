/**
 * The arithmetic operators `+ - * / %` and the sign. A result out of the range of its type is an error, except for
 * doubles.
 */
import { concatBytes } from '../../../base/bytes.ts';
import type { FunctionDeclaration } from '../../library.ts';
import {
  addInts,
  divideInts,
  moduloInts,
  multiplyInts,
  negateInt,
  subtractInts,
  uintOf,
} from '../../runtime/integers.ts';
import { concatLists } from '../../runtime/native-values.ts';
import { sizeForCost, traversalCost } from '../../runtime/sizes.ts';
import { durationOf, timestampOf } from '../../runtime/timestamps.ts';
import { BYTES, DOUBLE, DURATION, INT, listOf, paramType, STRING, TIMESTAMP, UINT } from '../../types.ts';
import {
  CelDouble,
  type CelDuration,
  CelError,
  type CelInt,
  type CelList,
  type CelTimestamp,
  type CelUint,
  type Value,
} from '../../values.ts';
import { checkTextLength } from '../call-limits.ts';
import { declare, overload } from '../declare.ts';

const A = paramType('A');
const LIST = listOf(A);

type Evaluate = (...args: Value[]) => Value;

function ints(compute: (a: CelInt, b: CelInt) => CelInt): Evaluate {
  return (a, b) => compute(a as CelInt, b as CelInt);
}

function doubles(compute: (a: number, b: number) => number): Evaluate {
  return (a, b) => new CelDouble(compute((a as CelDouble).value, (b as CelDouble).value));
}

function uints(compute: (a: bigint, b: bigint) => bigint): Evaluate {
  return (a, b) => uintOf(compute((a as CelUint).value, (b as CelUint).value));
}

function divided(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new CelError('division by zero');
  return a / b;
}

function remainder(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new CelError('modulus by zero');
  return a % b;
}

function shifted(timestamp: Value, nanos: bigint): CelTimestamp {
  const from = timestamp as CelTimestamp;
  return timestampOf(from.nanos + nanos, from.offset);
}

function nanos(value: Value): bigint {
  return (value as CelDuration | CelTimestamp).nanos;
}

/** The length is limited here, because the cost does not depend on it if the types are known only at run time. */
function joinTexts(a: string, b: string): string {
  checkTextLength(a.length + b.length);
  return a + b;
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  checkTextLength(a.length + b.length);
  return concatBytes([a, b]);
}

/** The cost of copying both sides. */
function joinCost(args: readonly Value[]): number {
  return traversalCost(args.reduce<number>((sum, arg) => sum + sizeForCost(arg), 0));
}

export const ARITHMETIC: readonly FunctionDeclaration[] = [
  declare(
    '_+_',
    overload('add_bytes', [BYTES, BYTES], BYTES, (a, b) => joinBytes(a as Uint8Array, b as Uint8Array), {
      runtimeCost: joinCost,
    }),
    overload(
      'add_double',
      [DOUBLE, DOUBLE],
      DOUBLE,
      doubles((a, b) => a + b),
    ),
    overload('add_duration_duration', [DURATION, DURATION], DURATION, (a, b) =>
      durationOf(nanos(a as Value) + nanos(b as Value)),
    ),
    overload('add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP, (a, b) =>
      shifted(b as Value, nanos(a as Value)),
    ),
    overload('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, (a, b) =>
      shifted(a as Value, nanos(b as Value)),
    ),
    overload('add_int64', [INT, INT], INT, ints(addInts)),
    overload('add_list', [LIST, LIST], LIST, (a, b) => concatLists(a as CelList, b as CelList)),
    overload('add_string', [STRING, STRING], STRING, (a, b) => joinTexts(a as string, b as string), {
      runtimeCost: joinCost,
    }),
    overload(
      'add_uint64',
      [UINT, UINT],
      UINT,
      uints((a, b) => a + b),
    ),
  ),
  declare(
    '_/_',
    overload(
      'divide_double',
      [DOUBLE, DOUBLE],
      DOUBLE,
      doubles((a, b) => a / b),
    ),
    overload('divide_int64', [INT, INT], INT, ints(divideInts)),
    overload('divide_uint64', [UINT, UINT], UINT, uints(divided)),
  ),
  declare(
    '_%_',
    overload('modulo_int64', [INT, INT], INT, ints(moduloInts)),
    overload('modulo_uint64', [UINT, UINT], UINT, uints(remainder)),
  ),
  declare(
    '_*_',
    overload(
      'multiply_double',
      [DOUBLE, DOUBLE],
      DOUBLE,
      doubles((a, b) => a * b),
    ),
    overload('multiply_int64', [INT, INT], INT, ints(multiplyInts)),
    overload(
      'multiply_uint64',
      [UINT, UINT],
      UINT,
      uints((a, b) => a * b),
    ),
  ),
  declare(
    '-_',
    overload('negate_double', [DOUBLE], DOUBLE, (a) => new CelDouble(-(a as CelDouble).value)),
    overload('negate_int64', [INT], INT, (a) => negateInt(a as CelInt)),
  ),
  declare(
    '_-_',
    overload(
      'subtract_double',
      [DOUBLE, DOUBLE],
      DOUBLE,
      doubles((a, b) => a - b),
    ),
    overload('subtract_duration_duration', [DURATION, DURATION], DURATION, (a, b) =>
      durationOf(nanos(a as Value) - nanos(b as Value)),
    ),
    overload('subtract_int64', [INT, INT], INT, ints(subtractInts)),
    overload('subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, (a, b) =>
      shifted(a as Value, -nanos(b as Value)),
    ),
    overload('subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION, (a, b) =>
      durationOf(nanos(a as Value) - nanos(b as Value)),
    ),
    overload(
      'subtract_uint64',
      [UINT, UINT],
      UINT,
      uints((a, b) => a - b),
    ),
  ),
];
