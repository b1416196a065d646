/** The declarations of the operators `< <= > >=`, for the type checker. The evaluator implements them. */
import type { FunctionDeclaration } from '../../library.ts';
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT } from '../../types.ts';
import { declare, overload } from '../declare.ts';

/** The suffix of the overload id, and the types of both sides. */
const PAIRS: readonly (readonly [suffix: string, left: CelType, right: CelType])[] = [
  ['bool', BOOL, BOOL],
  ['int64', INT, INT],
  ['int64_double', INT, DOUBLE],
  ['int64_uint64', INT, UINT],
  ['uint64', UINT, UINT],
  ['uint64_double', UINT, DOUBLE],
  ['uint64_int64', UINT, INT],
  ['double', DOUBLE, DOUBLE],
  ['double_int64', DOUBLE, INT],
  ['double_uint64', DOUBLE, UINT],
  ['string', STRING, STRING],
  ['bytes', BYTES, BYTES],
  ['timestamp', TIMESTAMP, TIMESTAMP],
  ['duration', DURATION, DURATION],
];

function relation(operator: string, name: string): FunctionDeclaration {
  return declare(operator, ...PAIRS.map(([suffix, left, right]) => overload(`${name}_${suffix}`, [left, right], BOOL)));
}

export const ORDERING: readonly FunctionDeclaration[] = [
  relation('_<_', 'less'),
  relation('_<=_', 'less_equals'),
  relation('_>_', 'greater'),
  relation('_>=_', 'greater_equals'),
];
