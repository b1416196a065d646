/**
 * The requests of etcd's API as gRPC frames: protobuf by field number, from `etcdserverpb/rpc.proto` of etcd 3.6. The
 * writer fills its buffer from the end, so the fields of a message are written in reverse.
 */
import { VARINT, WireWriter } from '../../apimachinery/protobuf/wire.ts';
import { StorageError } from '../errors.ts';
import type { Revision } from '../storage.ts';
import type { Compare, Operation, RangeRequest, TxnRequest, WatchCreate } from './messages.ts';

/** The longest request: above every `--max-request-bytes` that etcd recommends. etcd itself refuses what is too long. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

const EMPTY = Uint8Array.of(0, 0, 0, 0, 0);

/** The frame of a message without fields. */
export function emptyRequest(): Uint8Array {
  return EMPTY;
}

export function rangeRequest(request: RangeRequest): Uint8Array {
  return frame((writer) => writeRange(writer, request));
}

export function txnRequest({ compare, success, failure }: TxnRequest): Uint8Array {
  return frame((writer) => {
    writeEach(writer, 3, failure, writeOperation);
    writeEach(writer, 2, success, writeOperation);
    writeEach(writer, 1, compare, writeCompare);
  });
}

export function compactRequest(revision: Revision): Uint8Array {
  return frame((writer) => writeNumber(writer, 1, revision));
}

export function leaseGrantRequest(ttlSeconds: number): Uint8Array {
  return frame((writer) => writeNumber(writer, 1, ttlSeconds));
}

export function watchCreateRequest({ key, end, startRevision, previous }: WatchCreate): Uint8Array {
  return frame((writer) => {
    const mark = writer.size;
    writeNumber(writer, 8, 1); // fragment
    writeNumber(writer, 6, previous ? 1 : 0);
    writeNumber(writer, 4, 1); // progress_notify
    writeNumber(writer, 3, startRevision);
    writeText(writer, 2, end);
    writeText(writer, 1, key);
    writer.closeField(1, mark);
  });
}

export function watchProgressRequest(): Uint8Array {
  return frame((writer) => writer.closeField(3, writer.size));
}

function frame(write: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter(MAX_REQUEST_BYTES);
  write(writer);
  const { size } = writer;
  for (let shift = 0; shift < 32; shift += 8) writer.writeByte((size >>> shift) & 0xff);
  writer.writeByte(0); // not compressed
  if (writer.full) throw new StorageError('InvalidArgument', `a request is longer than ${MAX_REQUEST_BYTES} bytes`);
  return writer.finish();
}

function writeEach<T>(
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

function writeNumber(writer: WireWriter, field: number, value: number | bigint): void {
  if (value === 0) return;
  writer.writeVarint(value);
  writer.writeTag(field, VARINT);
}

function writeText(writer: WireWriter, field: number, text: string): void {
  const mark = writer.size;
  writer.writeText(text);
  writer.closeField(field, mark);
}

function writeRange(writer: WireWriter, { key, end, limit, revision, countOnly }: RangeRequest): void {
  if (countOnly) writeNumber(writer, 9, 1);
  writeNumber(writer, 4, revision ?? 0);
  writeNumber(writer, 3, limit ?? 0);
  if (end !== undefined) writeText(writer, 2, end);
  writeText(writer, 1, key);
}

/** A RequestOp: request_range = 1, request_put = 2, request_delete_range = 3. */
function writeOperation(writer: WireWriter, operation: Operation): void {
  const mark = writer.size;
  switch (operation.type) {
    case 'get':
      writeText(writer, 1, operation.key);
      writer.closeField(1, mark);
      return;
    case 'put': {
      writeNumber(writer, 3, operation.lease ?? 0);
      const value = writer.size;
      writer.writeBytes(operation.value);
      writer.closeField(2, value);
      writeText(writer, 1, operation.key);
      writer.closeField(2, mark);
      return;
    }
    case 'delete':
      writeNumber(writer, 3, 1); // prev_kv
      writeText(writer, 1, operation.key);
      writer.closeField(3, mark);
  }
}

/** A Compare. EQUAL is 0; the targets are VERSION 0, with field 4, and MOD 2, with field 6. */
function writeCompare(writer: WireWriter, compare: Compare): void {
  const isVersion = 'version' in compare;
  // A member of a oneof is written even if it is 0.
  writer.writeVarint(isVersion ? compare.version : compare.revision);
  writer.writeTag(isVersion ? 4 : 6, VARINT);
  writeText(writer, 3, compare.key);
  writeNumber(writer, 2, isVersion ? 0 : 2);
}
