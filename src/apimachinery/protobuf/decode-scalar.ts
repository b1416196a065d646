/**
 * The decoder of scalars: wire to JSON. Invariant: a scalar is read completely or the reader has failed. The value is
 * what Go's JSON encoder prints.
 */

import { encodeBase64 } from '../../base/base64.ts';
import type { JsonValue } from '../../base/json-value.ts';
import { formatDuration } from '../scalars/duration.ts';
import { formatQuantity } from '../scalars/quantity.ts';
import { parseQuantity } from '../scalars/quantity-parse.ts';
import { microTimeToJson, timeToJson } from '../scalars/time.ts';
import type { ScalarType } from '../type-view.ts';
import { BYTES, FIXED32, FIXED64, VARINT, type WireReader } from './wire.ts';

/** Whether values of the scalar may be packed: several in one run of bytes, without tags. */
export function isPackable(scalar: ScalarType): boolean {
  return wireTypeOf(scalar) !== BYTES;
}

export function wireTypeOf(scalar: ScalarType): number {
  switch (scalar) {
    case 'boolean':
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return VARINT;
    case 'float':
      return FIXED32;
    case 'double':
      return FIXED64;
    default:
      return BYTES;
  }
}

/** The JSON value of a plain field that is not set. Bytes are nil then, which differs from empty. */
export function zeroScalar(scalar: ScalarType): JsonValue {
  switch (scalar) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'time':
    case 'micro-time':
    case 'bytes':
      return null;
    default:
      return 0;
  }
}

/** Reads the value of the tag just read. After a failure the result is meaningless. */
export function readScalar(reader: WireReader, scalar: ScalarType, end: number): JsonValue {
  const expected = wireTypeOf(scalar);
  if (reader.wireType !== expected) {
    reader.fail(`wire type ${reader.wireType} where ${expected} is expected`);
    return null;
  }
  switch (expected) {
    case VARINT:
      return reader.readVarint(end) ? integerOf(reader, scalar) : null;
    case FIXED32:
      return reader.readFixed32(end) ? finite(reader, reader.toFloat()) : null;
    case FIXED64:
      return reader.readFixed64(end) ? finite(reader, reader.toDouble()) : null;
    default: {
      const to = reader.readLength(end);
      return to < 0 ? null : readSized(reader, scalar, to);
    }
  }
}

function integerOf(reader: WireReader, scalar: ScalarType): JsonValue {
  switch (scalar) {
    case 'boolean':
      // The reference reads the low 64 bits as an int.
      return reader.lo !== 0 || reader.hi !== 0;
    case 'int32':
      return reader.lo | 0;
    case 'uint32':
      return reader.lo;
    case 'uint64':
      return reader.toUint64();
    default:
      return reader.toInt64();
  }
}

function finite(reader: WireReader, value: number): JsonValue {
  if (Number.isFinite(value)) return value;
  reader.fail('a number that JSON does not have');
  return null;
}

function readSized(reader: WireReader, scalar: ScalarType, end: number): JsonValue {
  switch (scalar) {
    case 'string':
      return reader.takeText(end);
    case 'bytes':
      return encodeBase64(reader.takeBytes(end));
    case 'quantity':
      return readQuantity(reader, end);
    case 'int-or-string':
      return readIntOrString(reader, end);
    case 'duration':
      return readDuration(reader, end);
    default:
      return readTime(reader, end, scalar === 'micro-time');
  }
}

function readQuantity(reader: WireReader, end: number): JsonValue {
  let text = '0';
  while (reader.pos < end && reader.readTag(end)) {
    if (reader.fieldNumber !== 1) {
      reader.skip(end);
      continue;
    }
    const start = reader.pos;
    const to = lengthOf(reader, end);
    if (to < 0) return null;
    const parsed = parseQuantity(reader.takeText(to));
    if (!parsed.ok) {
      reader.fail(parsed.message, start);
      return null;
    }
    text = formatQuantity(parsed.value);
  }
  return text;
}

function readIntOrString(reader: WireReader, end: number): JsonValue {
  const start = reader.pos;
  let type: number | bigint = 0;
  let integer = 0;
  let text = '';
  while (reader.pos < end && reader.readTag(end)) {
    switch (reader.fieldNumber) {
      case 1:
        if (readVarint(reader, end)) type = reader.toInt64();
        break;
      case 2:
        if (readVarint(reader, end)) integer = reader.lo | 0;
        break;
      case 3: {
        const to = lengthOf(reader, end);
        if (to >= 0) text = reader.takeText(to);
        break;
      }
      default:
        reader.skip(end);
    }
  }
  if (type === 0) return integer;
  if (type !== 1) reader.fail('neither an integer nor a string', start);
  return text;
}

function readDuration(reader: WireReader, end: number): JsonValue {
  let nanoseconds: number | bigint = 0;
  while (reader.pos < end && reader.readTag(end)) {
    if (reader.fieldNumber !== 1) reader.skip(end);
    else if (readVarint(reader, end)) nanoseconds = reader.toInt64();
  }
  return formatDuration(BigInt(nanoseconds));
}

function readTime(reader: WireReader, end: number, micro: boolean): JsonValue {
  const start = reader.pos;
  if (start === end) return null;
  let seconds: number | bigint = 0;
  let nanos = 0;
  while (reader.pos < end && reader.readTag(end)) {
    switch (reader.fieldNumber) {
      case 1:
        if (readVarint(reader, end)) seconds = reader.toInt64();
        break;
      case 2:
        if (readVarint(reader, end)) nanos = reader.lo | 0;
        break;
      default:
        reader.skip(end);
    }
  }
  // Nanoseconds beyond a second carry over, as in Go's time. A Time has none in JSON.
  const whole = micro ? Math.trunc(nanos / 1000) * 1000 : 0;
  const carry = Math.floor(whole / SECOND);
  const at = Number(seconds) + carry;
  if (at < MIN_SECONDS || at > MAX_SECONDS) {
    reader.fail('a time that is out of range', start);
    return null;
  }
  return micro
    ? microTimeToJson({ seconds: at, nanos: whole - carry * SECOND })
    : timeToJson({ seconds: at, nanos: 0 });
}

const SECOND = 1_000_000_000;
/** The bounds of the years 0 to 9999, which the text of a time can express. */
const MIN_SECONDS = -62_167_219_200;
const MAX_SECONDS = 253_402_300_799;

function readVarint(reader: WireReader, end: number): boolean {
  if (reader.wireType === VARINT) return reader.readVarint(end);
  return reader.fail(`wire type ${reader.wireType} where ${VARINT} is expected`);
}

function lengthOf(reader: WireReader, end: number): number {
  if (reader.wireType === BYTES) return reader.readLength(end);
  reader.fail(`wire type ${reader.wireType} where ${BYTES} is expected`);
  return -1;
}

/** Whether `omitempty` drops the value of a scalar: the zero value of a Go type that is not a struct. */
export function isEmptyScalar(scalar: ScalarType, value: unknown): boolean {
  return !isGoStruct(scalar) && (value === '' || value === 0 || value === false);
}

/** Whether a scalar of JSON is a struct in Go. */
export function isGoStruct(scalar: ScalarType): boolean {
  switch (scalar) {
    case 'quantity':
    case 'int-or-string':
    case 'time':
    case 'micro-time':
    case 'duration':
      return true;
    default:
      return false;
  }
}
