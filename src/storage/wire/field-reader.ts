/** Reads the fields of protobuf messages by field number. Unknown fields are skipped. */
import { BYTES, type WireError, WireReader } from '../../apimachinery/protobuf/wire.ts';
import { copyBytes, EMPTY_BYTES } from '../../base/bytes.ts';

const NOT_NESTED = 'a nested message was expected';

/** Reads the field of the last tag. Returns false to skip it. */
export type ReadField = (reader: WireReader, field: number, end: number) => boolean;

/** Calls `read` for each field of a message. Returns an error if the bytes are not a message. */
export function readFields(bytes: Uint8Array, read: ReadField): WireError | undefined {
  const reader = new WireReader(bytes);
  readEach(reader, bytes.length, read);
  return reader.error;
}

/** Calls `read` for each field of a nested message. */
export function readNested(reader: WireReader, end: number, read: (field: number, end: number) => boolean): void {
  if (reader.wireType !== BYTES) {
    reader.fail(NOT_NESTED);
    return;
  }
  const to = reader.readLength(end);
  if (to >= 0) readEach(reader, to, (_, field, inner) => read(field, inner));
}

/**
 * Reads the next tag of a message that ends at `end`. Returns its field number; 0 at the end and after a failure. With
 * `enterNested` it reads messages without a closure, for those that are read with every request.
 */
export function nextField(reader: WireReader, end: number): number {
  return reader.pos < end && reader.readTag(end) ? reader.fieldNumber : 0;
}

/** Returns the end of the nested message whose tag was read; after a failure, the position of the reader. */
export function enterNested(reader: WireReader, end: number): number {
  if (reader.wireType !== BYTES) reader.fail(NOT_NESTED);
  else {
    const to = reader.readLength(end);
    if (to >= 0) return to;
  }
  return reader.pos;
}

export function readText(reader: WireReader, end: number): string {
  const to = reader.readLength(end);
  return to < 0 ? '' : reader.takeText(to);
}

/** Returns a copy, so that the bytes do not keep the message alive. */
export function readBytes(reader: WireReader, end: number): Uint8Array {
  const to = reader.readLength(end);
  return to < 0 ? EMPTY_BYTES : copyBytes(reader.takeBytes(to));
}

function readEach(reader: WireReader, end: number, read: ReadField): void {
  while (reader.pos < end && reader.readTag(end))
    if (!read(reader, reader.fieldNumber, end) && !reader.skip(end)) return;
}
