/**
 * `+ - * / %` and the sign.
 */
import type { FunctionDeclaration } from '../library.ts';
import { BYTES, DOUBLE, DURATION, INT, listOf, paramType, STRING, TIMESTAMP, UINT } from '../types.ts';
import { declare, overload } from './declare.ts';

const A = paramType('A');
const LIST = listOf(A);

export const ARITHMETIC: readonly FunctionDeclaration[] = [
  declare(
    '_+_',
    overload('add_bytes', [BYTES, BYTES], BYTES),
    overload('add_double', [DOUBLE, DOUBLE], DOUBLE),
    overload('add_duration_duration', [DURATION, DURATION], DURATION),
    overload('add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP),
    overload('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP),
    overload('add_int64', [INT, INT], INT),
    overload('add_list', [LIST, LIST], LIST),
    overload('add_string', [STRING, STRING], STRING),
    overload('add_uint64', [UINT, UINT], UINT),
  ),
  declare(
    '_/_',
    overload('divide_double', [DOUBLE, DOUBLE], DOUBLE),
    overload('divide_int64', [INT, INT], INT),
    overload('divide_uint64', [UINT, UINT], UINT),
  ),
  declare('_%_', overload('modulo_int64', [INT, INT], INT), overload('modulo_uint64', [UINT, UINT], UINT)),
  declare(
    '_*_',
    overload('multiply_double', [DOUBLE, DOUBLE], DOUBLE),
    overload('multiply_int64', [INT, INT], INT),
    overload('multiply_uint64', [UINT, UINT], UINT),
  ),
  declare('-_', overload('negate_double', [DOUBLE], DOUBLE), overload('negate_int64', [INT], INT)),
  declare(
    '_-_',
    overload('subtract_double', [DOUBLE, DOUBLE], DOUBLE),
    overload('subtract_duration_duration', [DURATION, DURATION], DURATION),
    overload('subtract_int64', [INT, INT], INT),
    overload('subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP),
    overload('subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION),
    overload('subtract_uint64', [UINT, UINT], UINT),
  ),
];
