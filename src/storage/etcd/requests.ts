/**
 * Encodes the requests of etcd's API as gRPC frames. Field numbers are those of `etcdserverpb/rpc.proto` of etcd 3.6.
 * The writer fills its buffer from the end, so the fields of a message are written in reverse.
 */
import { VARINT, type WireWriter } from '../../apimachinery/protobuf/wire.ts';
import type { Revision } from '../storage.ts';
import { grpcFrame, writeBytes, writeEach, writeNumber, writeText } from '../wire/field-writer.ts';
import type { Compare, LeaseId, Operation, RangeRequest, TxnRequest, WatchCreate } from './messages.ts';

/**
 * The longest request, above every `--max-request-bytes` that etcd recommends. etcd refuses requests above its own
 * limit.
 */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

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

/**
 * The transaction of a write without a lease: a put if the key has the revision `expected`, otherwise a get. The bytes
 * equal those of `txnRequest`, but no object is allocated for each part.
 */
export function putRequest(key: string, expected: Revision, value: Uint8Array): Uint8Array {
  return frame((writer) => {
    let mark = writer.size;
    writeText(writer, 1, key);
    writer.closeField(1, mark);
    writer.closeField(3, mark);
    mark = writer.size;
    writeBytes(writer, 2, value);
    writeText(writer, 1, key);
    writer.closeField(2, mark);
    writer.closeField(2, mark);
    mark = writer.size;
    writeRevisionCompare(writer, key, expected);
    writer.closeField(1, mark);
  });
}

export function compactRequest(revision: Revision): Uint8Array {
  return frame((writer) => writeNumber(writer, 1, revision));
}

export function leaseGrantRequest(ttlSeconds: number): Uint8Array {
  return frame((writer) => writeNumber(writer, 1, ttlSeconds));
}

export function leaseTimeToLiveRequest(id: LeaseId): Uint8Array {
  return frame((writer) => writeNumber(writer, 1, id));
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
  return grpcFrame(MAX_REQUEST_BYTES, write);
}

function writeRange(writer: WireWriter, { key, end, limit, revision, countOnly, keysOnly }: RangeRequest): void {
  if (countOnly) writeNumber(writer, 9, 1);
  if (keysOnly) writeNumber(writer, 8, 1);
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
      writeNumber(writer, 4, operation.revision ?? 0);
      writeText(writer, 1, operation.key);
      writer.closeField(1, mark);
      return;
    case 'put': {
      writeNumber(writer, 3, operation.lease ?? 0);
      writeBytes(writer, 2, operation.value);
      writeText(writer, 1, operation.key);
      writer.closeField(2, mark);
      return;
    }
    case 'delete':
      writeNumber(writer, 3, 1); // prev_kv
      writeText(writer, 1, operation.key);
      writer.closeField(3, mark);
      return;
    case 'deleteRange':
      writeText(writer, 2, operation.end);
      writeText(writer, 1, operation.key);
      writer.closeField(3, mark);
  }
}

/** A Compare. EQUAL is 0; the targets are VERSION 0, with field 4, and MOD 2, with field 6. */
function writeCompare(writer: WireWriter, compare: Compare): void {
  if ('revision' in compare) {
    writeRevisionCompare(writer, compare.key, compare.revision);
    return;
  }
  // A member of a oneof is written even if it is 0.
  writer.writeVarint(compare.version);
  writer.writeTag(4, VARINT);
  writeText(writer, 3, compare.key);
}

function writeRevisionCompare(writer: WireWriter, key: string, revision: Revision): void {
  writer.writeVarint(revision);
  writer.writeTag(6, VARINT);
  writeText(writer, 3, key);
  writeNumber(writer, 2, 2);
}
