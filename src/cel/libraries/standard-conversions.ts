/**
 * `int(x)`, `string(x)` and the like, `type(x)`, `dyn(x)`.
 */
import type { FunctionDeclaration } from '../library.ts';
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, paramType, STRING, TIMESTAMP, typeOf, UINT } from '../types.ts';
import { declare, overload } from './declare.ts';

const A = paramType('A');

export const CONVERSIONS: readonly FunctionDeclaration[] = [
  declare('type', overload('type', [A], typeOf(A))),
  declare('dyn', overload('to_dyn', [A], DYN)),
  declare('bool', overload('bool_to_bool', [BOOL], BOOL), overload('string_to_bool', [STRING], BOOL)),
  declare('bytes', overload('bytes_to_bytes', [BYTES], BYTES), overload('string_to_bytes', [STRING], BYTES)),
  declare(
    'double',
    overload('double_to_double', [DOUBLE], DOUBLE),
    overload('int64_to_double', [INT], DOUBLE),
    overload('string_to_double', [STRING], DOUBLE),
    overload('uint64_to_double', [UINT], DOUBLE),
  ),
  declare(
    'duration',
    overload('duration_to_duration', [DURATION], DURATION),
    overload('int64_to_duration', [INT], DURATION),
    overload('string_to_duration', [STRING], DURATION),
  ),
  declare(
    'int',
    overload('int64_to_int64', [INT], INT),
    overload('double_to_int64', [DOUBLE], INT),
    overload('duration_to_int64', [DURATION], INT),
    overload('string_to_int64', [STRING], INT),
    overload('timestamp_to_int64', [TIMESTAMP], INT),
    overload('uint64_to_int64', [UINT], INT),
  ),
  declare(
    'string',
    overload('string_to_string', [STRING], STRING),
    overload('bool_to_string', [BOOL], STRING),
    overload('bytes_to_string', [BYTES], STRING),
    overload('double_to_string', [DOUBLE], STRING),
    overload('duration_to_string', [DURATION], STRING),
    overload('int64_to_string', [INT], STRING),
    overload('timestamp_to_string', [TIMESTAMP], STRING),
    overload('uint64_to_string', [UINT], STRING),
  ),
  declare(
    'timestamp',
    overload('timestamp_to_timestamp', [TIMESTAMP], TIMESTAMP),
    overload('int64_to_timestamp', [INT], TIMESTAMP),
    overload('string_to_timestamp', [STRING], TIMESTAMP),
  ),
  declare(
    'uint',
    overload('uint64_to_uint64', [UINT], UINT),
    overload('double_to_uint64', [DOUBLE], UINT),
    overload('int64_to_uint64', [INT], UINT),
    overload('string_to_uint64', [STRING], UINT),
  ),
];
