/**
 * The types of CEL. Invariant: types are immutable; the basic ones are single values, so `===` tells them apart; compound ones are compared with `equalTypes`.
 */

/** The types that have no parts. `dyn` is any type, decided while running; `error` is what a faulty expression has, so that one fault is told once. */
export type BasicTypeName =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null_type'
  | 'timestamp'
  | 'duration'
  | 'dyn'
  | 'error';

export interface BasicType {
  readonly kind: 'basic';
  readonly name: BasicTypeName;
}

export interface ListType {
  readonly kind: 'list';
  readonly element: CelType;
}

export interface MapType {
  readonly kind: 'map';
  readonly key: CelType;
  readonly value: CelType;
}

/** The type of a type: `type(1)` is `type(int)`. */
export interface TypeType {
  readonly kind: 'type';
  readonly of: CelType;
}

/** A type that only its own library knows: `kubernetes.Quantity`, `net.IP`, `optional_type` (one parameter). */
export interface OpaqueType {
  readonly kind: 'opaque';
  readonly name: string;
  readonly params: readonly CelType[];
  /** It is declared as an object whose fields nobody knows, which is told of a selection. Default false. */
  readonly isObject?: boolean;
}

/** An object with declared fields. Two are equal if their names are. */
export interface ObjectType {
  readonly kind: 'object';
  readonly name: string;
  /** Made on first use; undefined for a field that is not declared. */
  field(name: string): CelType | undefined;
  fieldNames(): Iterable<string>;
}

/** A parameter of a function's declaration: `T` of `list(T)`. It never leaves the checker. */
export interface ParamType {
  readonly kind: 'param';
  readonly name: string;
}

export type CelType = BasicType | ListType | MapType | TypeType | OpaqueType | ObjectType | ParamType;

function basic(name: BasicTypeName): BasicType {
  return { kind: 'basic', name };
}

export const BOOL: BasicType = basic('bool');
export const INT: BasicType = basic('int');
export const UINT: BasicType = basic('uint');
export const DOUBLE: BasicType = basic('double');
export const STRING: BasicType = basic('string');
export const BYTES: BasicType = basic('bytes');
export const NULL: BasicType = basic('null_type');
export const TIMESTAMP: BasicType = basic('timestamp');
export const DURATION: BasicType = basic('duration');
export const DYN: BasicType = basic('dyn');
export const ERROR: BasicType = basic('error');

export function listOf(element: CelType): ListType {
  return { kind: 'list', element };
}

export function mapOf(key: CelType, value: CelType): MapType {
  return { kind: 'map', key, value };
}

export function typeOf(of: CelType): TypeType {
  return { kind: 'type', of };
}

export function opaqueType(name: string, ...params: readonly CelType[]): OpaqueType {
  return { kind: 'opaque', name, params };
}

export const OPTIONAL = 'optional_type';

export function optionalOf(of: CelType): OpaqueType {
  return opaqueType(OPTIONAL, of);
}

export function isOptional(type: CelType): type is OpaqueType {
  return type.kind === 'opaque' && type.name === OPTIONAL;
}

export function paramType(name: string): ParamType {
  return { kind: 'param', name };
}
