/**
 * The types of CEL.
 *
 * Invariants: types are immutable. Each basic type is a single object, so that basic types may be compared with `===`;
 * other types are compared with `equalTypes`.
 */

/**
 * The types without type parameters. `dyn` is a type that is known only at run time. `error` is the type of an
 * expression with an issue; it fits every other type, so that an issue is reported once.
 */
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

/** A type that a library defines: `kubernetes.Quantity`, `net.IP`, `optional_type` (with one parameter). */
export interface OpaqueType {
  readonly kind: 'opaque';
  readonly name: string;
  readonly params: readonly CelType[];
  /**
   * True if cel-go declares it as an object type without fields, which changes the message about a selection. Default
   * false.
   */
  readonly isObject?: boolean;
}

/** An object with declared fields. Two object types are equal if their names are equal. */
export interface ObjectType {
  readonly kind: 'object';
  readonly name: string;
  /** The type of a field; undefined if the field is not declared. */
  field(name: string): CelType | undefined;
  fieldNames(): Iterable<string>;
  /**
   * Called with the `Value` of each field of a literal when it is evaluated. Returns the message of the error for a
   * value that the field cannot have. Default: any value.
   */
  valueProblem?(field: string, value: unknown): string | undefined;
}

/** A type parameter in the declaration of a function, such as `T` in `list(T)`. Checked expressions contain none. */
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
