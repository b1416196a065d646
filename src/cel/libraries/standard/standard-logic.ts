/** The declarations of logic, equality and index operators, for the type checker. The evaluator implements them. */
import type { FunctionDeclaration } from '../../library.ts';
import { BOOL, INT, listOf, mapOf, paramType } from '../../types.ts';
import { declare, overload } from '../declare.ts';

const A = paramType('A');
const B = paramType('B');

export const LOGIC: readonly FunctionDeclaration[] = [
  declare('_?_:_', overload('conditional', [BOOL, A, A], A)),
  declare('_&&_', overload('logical_and', [BOOL, BOOL], BOOL)),
  declare('_||_', overload('logical_or', [BOOL, BOOL], BOOL)),
  declare('!_', overload('logical_not', [BOOL], BOOL)),
  declare('@not_strictly_false', overload('not_strictly_false', [BOOL], BOOL)),
  declare('_==_', overload('equals', [A, A], BOOL)),
  declare('_!=_', overload('not_equals', [A, A], BOOL)),
  declare('_[_]', overload('index_list', [listOf(A), INT], A), overload('index_map', [mapOf(A, B), A], B)),
];
