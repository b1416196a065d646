/**
 * Writes the fields of protobuf messages by field number, and their gRPC frame. The writer fills its buffer from the
 * end, so the fields of a message are written in reverse.
 */
import { VARINT, WireWriter } from '../../apimachinery/protobuf/wire.ts';
import { StorageError } from '../errors.ts';

/** The frame of a message without fields. */
export const EMPTY_FRAME: Uint8Array = Uint8Array.of(0, 0, 0, 0, 0);

/** Returns a message in a gRPC frame. Throws StorageError(InvalidArgument) if the message is longer than `maxBytes`. */
export function grpcFrame(maxBytes: number, write: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter(maxBytes);
  write(writer);
  const { size } = writer;
  for (let shift = 0; shift < 32; shift += 8) writer.writeByte((size >>> shift) & 0xff);
  writer.writeByte(0); // not compressed
  if (writer.full) throw new StorageError('InvalidArgument', `a request is longer than ${maxBytes} bytes`);
  // A view suffices: the frame lives only as long as its call.
  return writer.finishView();
}

export function writeEach<T>(
  writer: WireWriter,
  field: number,
  list: readonly T[],
  write: (writer: WireWriter, element: T) => void,
): void {
  for (let i = list.length - 1; i >= 0; i--) {
    const mark = writer.size;
    write(writer, list[i] as T);
    writer.closeField(field, mark);
  }
}

/** Writes a number. 0 is the default of a field and is left out. */
export function writeNumber(writer: WireWriter, field: number, value: number | bigint): void {
  if (value === 0) return;
  writer.writeVarint(value);
  writer.writeTag(field, VARINT);
}

export function writeText(writer: WireWriter, field: number, text: string): void {
  const mark = writer.size;
  writer.writeText(text);
  writer.closeField(field, mark);
}

export function writeBytes(writer: WireWriter, field: number, bytes: Uint8Array): void {
  const mark = writer.size;
  writer.writeBytes(bytes);
  writer.closeField(field, mark);
}
