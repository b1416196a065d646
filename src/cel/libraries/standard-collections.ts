/**
 * `in`, `size`, and the functions of strings.
 */
import type { FunctionDeclaration } from '../library.ts';
import { BOOL, BYTES, INT, listOf, mapOf, paramType, STRING } from '../types.ts';
import { declare, member, overload } from './declare.ts';

const A = paramType('A');
const B = paramType('B');
const LIST = listOf(A);
const MAP = mapOf(A, B);

export const COLLECTIONS: readonly FunctionDeclaration[] = [
  declare('@in', overload('in_list', [A, LIST], BOOL), overload('in_map', [A, MAP], BOOL)),
  declare(
    'size',
    overload('size_bytes', [BYTES], INT),
    member('bytes_size', [BYTES], INT),
    overload('size_list', [LIST], INT),
    member('list_size', [LIST], INT),
    overload('size_map', [MAP], INT),
    member('map_size', [MAP], INT),
    overload('size_string', [STRING], INT),
    member('string_size', [STRING], INT),
  ),
  declare('contains', member('contains_string', [STRING, STRING], BOOL)),
  declare('endsWith', member('ends_with_string', [STRING, STRING], BOOL)),
  declare('startsWith', member('starts_with_string', [STRING, STRING], BOOL)),
  declare('matches', overload('matches', [STRING, STRING], BOOL), member('matches_string', [STRING, STRING], BOOL)),
];
