/**
 * The run-time types of values. Items of lists, maps and optionals have the type dyn. Objects have the type map, as in
 * Kubernetes.
 */
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
  optionalOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../types.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type Value,
} from '../values.ts';

const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);
const OPTIONAL_DYN = optionalOf(DYN);
const TYPE = typeOf(DYN);

export function typeOfValue(value: Value): CelType {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'number':
    case 'bigint':
      return INT;
    case 'string':
      return STRING;
  }
  if (value === null) return NULL;
  if (value instanceof CelDouble) return DOUBLE;
  if (value instanceof CelUint) return UINT;
  if (value instanceof CelList) return LIST;
  if (value instanceof CelMap || value instanceof CelObject) return MAP;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof CelTimestamp) return TIMESTAMP;
  if (value instanceof CelDuration) return DURATION;
  if (value instanceof CelTypeValue) return TYPE;
  if (value instanceof CelOptional) return OPTIONAL_DYN;
  return value.type;
}

/** The name of a type at run time, without parameters. */
export function runtimeTypeName(type: CelType): string {
  switch (type.kind) {
    case 'basic':
      if (type === TIMESTAMP) return 'google.protobuf.Timestamp';
      if (type === DURATION) return 'google.protobuf.Duration';
      return type.name;
    case 'opaque':
    case 'object':
    case 'param':
      return type.name;
    default:
      return type.kind;
  }
}

/** True if a value may be the argument of a parameter of this type. Items of containers are not checked. */
export function isOfType(value: Value, type: CelType): boolean {
  if (type === DYN || type.kind === 'param') return true;
  if (type.kind === 'object') return value instanceof CelObject;
  const actual = typeOfValue(value);
  if (actual === type) return true;
  if (actual.kind !== type.kind) return false;
  return actual.kind === 'basic' ? false : runtimeTypeName(actual) === runtimeTypeName(type);
}
