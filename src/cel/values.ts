/**
 * What expressions compute with. Invariants: an int is a `number` where that is a safe integer and a `bigint` beyond, never both, so JSON integers are CEL ints as they
 * are and `===` compares them; doubles and uints, being rare, are boxed; values are immutable.
 *
 * What cannot be computed is thrown as CelError: `&&`, `||` and the comprehensions catch it where CEL absorbs errors.
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

/** Nanoseconds since 1970, from year 1 to 9999. */
export class CelTimestamp {
  readonly nanos: bigint;
  /** Seconds east of UTC that it was written with. Only `string()` shows it. */
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

/** A list; a subclass may make its items as they are asked for, and may have another idea of equality and `+` (lists that are sets). */
export abstract class CelList {
  abstract readonly size: number;
  /** The item at an index within 0 and size - 1. */
  abstract at(index: number): Value;
  /** True or false where the list has a rule of its own; undefined: item by item. */
  equals?(other: CelList): boolean;
  /** Where the list has a rule of its own for `+`. */
  concat?(other: CelList): CelList;
}

/** A map with bool, int, uint or string keys. */
export abstract class CelMap {
  abstract readonly size: number;
  /** Undefined for a missing key. `1`, `1u` and `1.0` are one key. */
  abstract get(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
}

/** An object with declared fields. */
export abstract class CelObject {
  abstract readonly type: ObjectType;
  /** How many fields are set: what a comparison costs. */
  abstract readonly size: number;
  /** Undefined for a field that is not set (or not declared). */
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

/** `optional.none()` has no value. */
export class CelOptional {
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A value of a library's own type. */
export abstract class CelOpaque {
  abstract readonly type: OpaqueType;
  /** What costs are counted by. Default 1. */
  get size(): number {
    return 1;
  }
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

/** An evaluation that has no value: `no such key: x`, `division by zero`. Made without a stack, because rules absorb it often. */
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

/** The budget is spent, or the caller called it off. Never absorbed. */
export class CelStopped extends Error {
  override readonly name: string = 'CelStopped';
  readonly reason: 'cost' | 'cancelled';
  constructor(reason: 'cost' | 'cancelled', message: string) {
    super(message);
    this.reason = reason;
  }
}
