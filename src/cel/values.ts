/**
 * The values of CEL, and the errors of evaluations. Integers of JSON are CEL ints without a conversion. Doubles and
 * uints, which are rare, are objects.
 *
 * Invariants: values are immutable. An int is a `number` if it is a safe integer and otherwise a `bigint`, so that
 * `===` compares ints.
 */
import type { CelType, ObjectType, OpaqueType } from './types.ts';

export type CelInt = number | bigint;

export class CelDouble {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class CelUint {
  /** From 0 to 2^64 - 1. */
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time from year 1 to 9999, in nanoseconds since 1970. */
export class CelTimestamp {
  readonly nanos: bigint;
  /** The UTC offset with which it was written, in seconds east. Only `string()` shows it. */
  readonly offset: number;
  constructor(nanos: bigint, offset: number = 0) {
    this.nanos = nanos;
    this.offset = offset;
  }
}

export class CelDuration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/**
 * A list. A subclass may create its items when they are read, and may define its own equality and `+`, such as a set
 * list.
 */
export abstract class CelList {
  abstract readonly size: number;
  /** Returns the item at an index from 0 to size - 1. The caller checks the range. */
  abstract at(index: number): Value;
  /** The list's own equality. Default: lists are compared item by item. */
  equals?(other: CelList): boolean;
  /** The list's own `+`. Default: concatenation. */
  concat?(other: CelList): CelList;
}

/** A map with bool, int, uint or string keys. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Returns undefined for a missing key. `1`, `1u` and `1.0` are the same key. */
  abstract get(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
}

/** An object with declared fields. */
export abstract class CelObject {
  abstract readonly type: ObjectType;
  /** The number of fields that are set. It decides the cost of a comparison. */
  abstract readonly size: number;
  /** Returns undefined for a field that is not set or not declared. */
  abstract get(field: string): Value | undefined;
  abstract equals(other: CelObject): boolean;
}

/** A type as a value. */
export class CelTypeValue {
  readonly type: CelType;
  constructor(type: CelType) {
    this.type = type;
  }
}

/** An optional value; `value` is undefined for `optional.none()`. */
export class CelOptional {
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A value of a type that a library defines. */
export abstract class CelOpaque {
  abstract readonly type: OpaqueType;
  /** The size for costs. Default 1. */
  get size(): number {
    return 1;
  }
  /** Compares with a value of any library. Throws CelError if the values are not comparable. */
  abstract equals(other: CelOpaque): boolean;
}

export type Value =
  | null
  | boolean
  | CelInt
  | string
  | Uint8Array
  | CelDouble
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelObject
  | CelTypeValue
  | CelOptional
  | CelOpaque;

/**
 * An error of an evaluation: `no such key: x`, `division by zero`. `&&`, `||` and comprehensions absorb it where the
 * specification says so. It has no stack trace, because expressions absorb errors often.
 */
export class CelError extends Error {
  override readonly name: string = 'CelError';
  constructor(message: string) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    try {
      super(message);
    } finally {
      Error.stackTraceLimit = limit;
    }
  }
}

/** The end of an evaluation at a limit, or because the caller cancelled it. Expressions cannot absorb it. */
export class CelStopped extends Error {
  override readonly name: string = 'CelStopped';
  readonly reason: 'cost' | 'cancelled';
  constructor(reason: 'cost' | 'cancelled', message: string) {
    super(message);
    this.reason = reason;
  }
}
