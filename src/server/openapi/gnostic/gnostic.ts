/**
 * The encoder of OpenAPI documents to the protobuf messages of the gnostic project. Values that a message has no field
 * for, and values of a wrong type, are omitted.
 *
 * A writer writes one whole field with its tag, from back to front, as WireWriter does.
 */
import { writeYaml } from '../../../apimachinery/codec/yaml/yaml-write.ts';
import { BYTES, FIXED64, VARINT, WireWriter } from '../../../apimachinery/protobuf/wire.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';

export type FieldWriter = (writer: WireWriter, number: number, value: JsonValue) => void;

/** Fields by their JSON name. */
export type MessageTable = Readonly<Record<string, readonly [number: number, write: FieldWriter]>>;

/** A zero value is not written, as in proto3. */
export const text: FieldWriter = (writer, number, value) => {
  if (typeof value !== 'string' || value === '') return;
  const mark = writer.size;
  writer.writeText(value);
  writer.closeField(number, mark);
};

export const flag: FieldWriter = (writer, number, value) => {
  if (value !== true) return;
  writer.writeByte(1);
  writer.writeTag(number, VARINT);
};

export const double: FieldWriter = (writer, number, value) => {
  if ((typeof value !== 'number' && typeof value !== 'bigint') || Number(value) === 0) return;
  writer.writeDouble(Number(value));
  writer.writeTag(number, FIXED64);
};

export const integer: FieldWriter = (writer, number, value) => {
  if ((typeof value !== 'number' && typeof value !== 'bigint') || Number(value) === 0) return;
  writer.writeVarint(value);
  writer.writeTag(number, VARINT);
};

/** Writes any value as YAML text. */
export const any: FieldWriter = (writer, number, value) => {
  const mark = writer.size;
  text(writer, 2, writeYaml(value));
  writer.closeField(number, mark);
};

/** An item of a repeated string. Empty strings are written. */
const item: FieldWriter = (writer, number, value) => {
  if (typeof value !== 'string') return;
  const mark = writer.size;
  writer.writeText(value);
  writer.closeField(number, mark);
};

export function repeated(write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    if (!Array.isArray(value)) return;
    for (let i = value.length - 1; i >= 0; i--) write(writer, number, value[i] as JsonValue);
  };
}

export const texts: FieldWriter = repeated(item);

/** Returns the writer of a message. `extensions` is the field number of its repeated `x-` fields. */
export function message(table: () => MessageTable, extensions?: number): FieldWriter {
  let sorted: (readonly [name: string, number: number, write: FieldWriter])[] | undefined;
  return (writer, number, value) => {
    if (!isJsonObject(value)) return;
    sorted ??= Object.entries(table())
      .map(([name, [field, write]]) => [name, field, write] as const)
      .sort(([, a], [, b]) => b - a);
    const mark = writer.size;
    // In every message with extensions, they have the highest field number.
    if (extensions !== undefined) writeNamed(writer, extensions, value, any, (name) => name.startsWith('x-'));
    for (const [name, field, write] of sorted) {
      const content = value[name];
      if (content !== undefined) write(writer, field, content);
    }
    writer.closeField(number, mark);
  };
}

/** Returns the writer of a message with one field, which gets the whole value. */
export function inside(field: number, write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    const mark = writer.size;
    write(writer, field, value);
    writer.closeField(number, mark);
  };
}

/** Returns the writer of a map, which is a message of name-value pairs. */
export function named(write: FieldWriter, field = 1): FieldWriter {
  return (writer, number, value) => {
    if (!isJsonObject(value)) return;
    const mark = writer.size;
    writeNamed(writer, field, value, write, () => true);
    writer.closeField(number, mark);
  };
}

/** Returns the writer of a union of the value itself (field 1) and a reference (field 2). */
export function orReference(write: FieldWriter): FieldWriter {
  const reference = message(() => ({ $ref: [1, text], description: [3, text] }));
  return oneOf((value) => ('$ref' in value ? [2, reference] : [1, write]));
}

/** Returns the writer of a union. `choose` selects the field. */
export function oneOf(choose: (value: JsonObject) => readonly [field: number, write: FieldWriter]): FieldWriter {
  return (writer, number, value) => {
    if (!isJsonObject(value)) return;
    const [field, write] = choose(value);
    const mark = writer.size;
    write(writer, field, value);
    writer.closeField(number, mark);
  };
}

function writeNamed(
  writer: WireWriter,
  field: number,
  object: JsonObject,
  write: FieldWriter,
  includes: (name: string) => boolean,
): void {
  const names = Object.keys(object);
  for (let i = names.length - 1; i >= 0; i--) {
    const name = names[i] as string;
    const value = object[name];
    if (value === undefined || !includes(name)) continue;
    const mark = writer.size;
    write(writer, 2, value);
    text(writer, 1, name);
    writer.closeField(field, mark);
  }
}

/** Returns the fields of the document's message, without a tag. */
export function encodeGnostic(write: FieldWriter, document: JsonObject): Uint8Array {
  const writer = new WireWriter(Number.MAX_SAFE_INTEGER);
  write(writer, 1, document);
  const framed = writer.finish();
  return framed.subarray(headerLength(framed));
}

/** Returns the size of a one-byte tag and the length after it. */
function headerLength(framed: Uint8Array): number {
  let at = 1;
  while ((framed[at] as number) >= 0x80) at++;
  return at + 1;
}

/** Returns the writer of a union of a message and a boolean, for `additionalProperties`. */
export function orBoolean(write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    const mark = writer.size;
    if (typeof value === 'boolean') {
      writer.writeByte(value ? 1 : 0);
      writer.writeTag(2, VARINT);
    } else write(writer, 1, value);
    writer.closeField(number, mark);
  };
}

/** A default of v3: a number, a boolean or a string. Other values are written as an empty message. */
export const scalarDefault: FieldWriter = (writer, number, value) => {
  const mark = writer.size;
  if (typeof value === 'number' || typeof value === 'bigint') {
    writer.writeDouble(Number(value));
    writer.writeTag(1, FIXED64);
  } else if (typeof value === 'boolean') {
    writer.writeByte(value ? 1 : 0);
    writer.writeTag(2, VARINT);
  } else if (typeof value === 'string') {
    const start = writer.size;
    writer.writeText(value);
    writer.writeVarint(writer.size - start);
    writer.writeTag(3, BYTES);
  }
  writer.closeField(number, mark);
};
