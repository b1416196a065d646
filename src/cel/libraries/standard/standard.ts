/** The standard library of CEL, as cel-go declares it. The standard macros are part of the parser. */
import type { Library, NamedConstant } from '../../library.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../../types.ts';
import { CelTypeValue } from '../../values.ts';
import { ARITHMETIC } from './standard-arithmetic.ts';
import { COLLECTIONS } from './standard-collections.ts';
import { CONVERSIONS } from './standard-conversions.ts';
import { LOGIC } from './standard-logic.ts';
import { ORDERING } from './standard-ordering.ts';
import { TIME } from './standard-time.ts';

function typeName(name: string, type: CelType): NamedConstant {
  return { name, type: typeOf(type), value: new CelTypeValue(type) };
}

export const STANDARD_LIBRARY: Library = {
  name: 'cel.lib.std',
  functions: [...LOGIC, ...ARITHMETIC, ...ORDERING, ...COLLECTIONS, ...CONVERSIONS, ...TIME],
  constants: [
    typeName('bool', BOOL),
    typeName('bytes', BYTES),
    typeName('double', DOUBLE),
    typeName('google.protobuf.Duration', DURATION),
    typeName('int', INT),
    typeName('list', listOf(DYN)),
    typeName('map', mapOf(DYN, DYN)),
    typeName('null_type', NULL),
    typeName('string', STRING),
    typeName('google.protobuf.Timestamp', TIMESTAMP),
    typeName('type', typeOf(DYN)),
    typeName('uint', UINT),
  ],
};
