/**
 * The encoder of scalars: JSON to wire. Invariant: a number outside the range of its type and a malformed text are
 * refused, never truncated.
 */

import { decodeBase64 } from '../../base/base64.ts';
import type { JsonValue } from '../../base/json-value.ts';
import { parseDuration } from '../scalars/duration.ts';
import { intOrStringFromJson } from '../scalars/int-or-string.ts';
import { formatQuantity } from '../scalars/quantity.ts';
import { parseQuantity } from '../scalars/quantity-parse.ts';
import { isZeroInstant, microTimeFromJson, timeFromJson } from '../scalars/time.ts';
import type { ScalarType } from '../type-view.ts';
import { BYTES, FIXED32, FIXED64, VARINT, type WireWriter } from './wire.ts';

/** Writes a value and its tag. Returns the problem of a value that does not fit, else undefined. */
export function writeScalar(
  writer: WireWriter,
  number: number,
  scalar: ScalarType,
  value: JsonValue,
): string | undefined {
  switch (scalar) {
    case 'string':
      if (typeof value !== 'string') return 'must be a string';
      writeText(writer, number, value);
      return undefined;
    case 'boolean':
      if (typeof value !== 'boolean') return 'must be a boolean';
      writeInteger(writer, number, value ? 1 : 0);
      return undefined;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64': {
      const { min, max } = RANGES[scalar];
      if (!isInteger(value)) return 'must be an integer';
      if (value < min || value > max) return `must be within ${scalar}`;
      writeInteger(writer, number, value);
      return undefined;
    }
    case 'float':
    case 'double':
      if (typeof value !== 'number' && typeof value !== 'bigint') return 'must be a number';
      return writeFloating(writer, number, scalar, Number(value));
    case 'bytes':
      return writeBase64(writer, number, value);
    case 'quantity':
      return writeQuantity(writer, number, value);
    case 'int-or-string':
      return writeIntOrString(writer, number, value);
    case 'time':
    case 'micro-time':
      return writeTime(writer, number, value, scalar === 'micro-time');
    case 'duration': {
      if (typeof value !== 'string') return 'must be a string';
      const parsed = parseDuration(value);
      if (!parsed.ok) return parsed.message;
      writeDuration(writer, number, parsed.value);
      return undefined;
    }
  }
}

/** Writes the zero value with its tag, for a plain field that JSON does not set. */
export function writeZeroScalar(writer: WireWriter, number: number, scalar: ScalarType): void {
  switch (scalar) {
    case 'string':
    case 'bytes':
    case 'time':
    case 'micro-time':
      writer.writeVarint(0);
      writer.writeTag(number, BYTES);
      return;
    case 'boolean':
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      writeInteger(writer, number, 0);
      return;
    case 'float':
    case 'double':
      writeFloating(writer, number, scalar, 0);
      return;
    case 'quantity':
      writeMessageText(writer, number, '0');
      return;
    case 'int-or-string':
      writeIntOrString(writer, number, 0);
      return;
    case 'duration':
      writeDuration(writer, number, 0n);
      return;
  }
}

const RANGES: Readonly<
  Record<'int32' | 'int64' | 'uint32' | 'uint64', { min: number | bigint; max: number | bigint }>
> = {
  int32: { min: -2_147_483_648, max: 2_147_483_647 },
  int64: { min: -9_223_372_036_854_775_808n, max: 9_223_372_036_854_775_807n },
  uint32: { min: 0, max: 4_294_967_295 },
  uint64: { min: 0, max: 18_446_744_073_709_551_615n },
};

function isInteger(value: JsonValue): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}

function writeInteger(writer: WireWriter, number: number, value: number | bigint): void {
  writer.writeVarint(value);
  writer.writeTag(number, VARINT);
}

function writeText(writer: WireWriter, number: number, text: string): void {
  const mark = writer.size;
  writer.writeText(text);
  writer.closeField(number, mark);
}

function writeFloating(
  writer: WireWriter,
  number: number,
  scalar: 'float' | 'double',
  value: number,
): string | undefined {
  if (!Number.isFinite(value) || (scalar === 'float' && !Number.isFinite(Math.fround(value)))) {
    return `must be within ${scalar}`;
  }
  if (scalar === 'float') writer.writeFloat(value);
  else writer.writeDouble(value);
  writer.writeTag(number, scalar === 'float' ? FIXED32 : FIXED64);
  return undefined;
}

function writeBase64(writer: WireWriter, number: number, value: JsonValue): string | undefined {
  const bytes = typeof value === 'string' ? decodeBase64(value) : undefined;
  if (bytes === undefined) return 'must be base64';
  writer.writeBytes(bytes);
  writer.writeVarint(bytes.length);
  writer.writeTag(number, BYTES);
  return undefined;
}

/** Writes a message with one text in canonical form. The JSON value may be a number. */
function writeQuantity(writer: WireWriter, number: number, value: JsonValue): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return 'must be a quantity';
  const parsed = parseQuantity(String(value).trim());
  if (!parsed.ok) return parsed.message;
  writeMessageText(writer, number, formatQuantity(parsed.value));
  return undefined;
}

function writeMessageText(writer: WireWriter, number: number, text: string): void {
  const mark = writer.size;
  writeText(writer, 1, text);
  writer.closeField(number, mark);
}

/** Writes a message of type (0 integer, 1 string), integer and string. All three are always written. */
function writeIntOrString(writer: WireWriter, number: number, value: JsonValue): string | undefined {
  const parsed = intOrStringFromJson(value);
  if (!parsed.ok) return parsed.message;
  const { value: either } = parsed;
  const text = typeof either === 'string';
  const mark = writer.size;
  writeText(writer, 3, text ? either : '');
  writeInteger(writer, 2, text ? 0 : either);
  writeInteger(writer, 1, text ? 1 : 0);
  writer.closeField(number, mark);
  return undefined;
}

/**
 * Writes a message of seconds and nanoseconds, empty for the zero time. The fraction of a plain time is dropped,
 * because JSON has none.
 */
function writeTime(writer: WireWriter, number: number, value: JsonValue, micro: boolean): string | undefined {
  const parsed = micro ? microTimeFromJson(value) : timeFromJson(value);
  if (!parsed.ok) return parsed.message;
  const { value: instant } = parsed;
  const mark = writer.size;
  if (!isZeroInstant(instant)) {
    writeInteger(writer, 2, micro ? instant.nanos : 0);
    writeInteger(writer, 1, instant.seconds);
  }
  writer.closeField(number, mark);
  return undefined;
}

function writeDuration(writer: WireWriter, number: number, nanoseconds: bigint): void {
  const mark = writer.size;
  writeInteger(writer, 1, nanoseconds);
  writer.closeField(number, mark);
}
