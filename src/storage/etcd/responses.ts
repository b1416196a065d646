/**
 * Decodes the responses of etcd's API. Field numbers are those of `etcdserverpb/rpc.proto` and `mvccpb/kv.proto` of
 * etcd 3.6. Unknown fields are skipped. Each function throws StorageError(Unavailable) for bytes that are not a
 * message. Values are views of the message and keep its memory alive. A caller that keeps a value for long must copy
 * it; lists and events are decoded at once.
 */
import { type WireError, WireReader } from '../../apimachinery/protobuf/wire.ts';
import { EMPTY_BYTES } from '../../base/bytes.ts';
import { StorageError } from '../errors.ts';
import { enterNested, nextField, type ReadField, readFields, readText } from '../wire/field-reader.ts';
import type {
  EtcdEvent,
  EtcdKeyValue,
  Header,
  LeaseGrantResponse,
  LeaseId,
  LeaseTimeToLiveResponse,
  RangeResponse,
  StatusResponse,
  TxnResponse,
  WatchResponse,
} from './messages.ts';

export function readRangeResponse(bytes: Uint8Array): RangeResponse {
  let header = NO_HEADER;
  let count = 0;
  const items: EtcdKeyValue[] = [];
  fields(bytes, (reader, field, end) => {
    if (field === 1) header = readHeader(reader, end);
    else if (field === 2) items.push(readKeyValue(reader, end));
    else if (field === 4) count = number(reader, end);
    else return false;
    return true;
  });
  return { header, items, count };
}

export function readTxnResponse(bytes: Uint8Array): TxnResponse {
  const reader = new WireReader(bytes);
  const end = bytes.length;
  let header = NO_HEADER;
  let succeeded = false;
  const items: (EtcdKeyValue | undefined)[] = [];
  for (let field = nextField(reader, end); field !== 0; field = nextField(reader, end)) {
    if (field === 1) header = readHeader(reader, end);
    else if (field === 2) succeeded = number(reader, end) !== 0;
    else if (field === 3) items.push(readOperation(reader, end));
    else reader.skip(end);
  }
  checkMessage(reader.error);
  return { header, succeeded, items };
}

/** Reads the header of a response and skips its other fields. */
export function readHeaderOnly(bytes: Uint8Array): Header {
  let header = NO_HEADER;
  fields(bytes, (reader, field, end) => {
    if (field !== 1) return false;
    header = readHeader(reader, end);
    return true;
  });
  return header;
}

export function readLeaseGrantResponse(bytes: Uint8Array): LeaseGrantResponse {
  let header = NO_HEADER;
  let id: LeaseId = 0;
  let ttlSeconds = 0;
  fields(bytes, (reader, field, end) => {
    if (field === 1) header = readHeader(reader, end);
    else if (field === 2) id = int64(reader, end);
    else if (field === 3) ttlSeconds = number(reader, end);
    else return false;
    return true;
  });
  return { header, id, ttlSeconds };
}

export function readLeaseTimeToLiveResponse(bytes: Uint8Array): LeaseTimeToLiveResponse {
  let header = NO_HEADER;
  let ttlSeconds = 0;
  fields(bytes, (reader, field, end) => {
    if (field === 1) header = readHeader(reader, end);
    else if (field === 3) ttlSeconds = number(reader, end);
    else return false;
    return true;
  });
  return { header, ttlSeconds };
}

export function readStatusResponse(bytes: Uint8Array): StatusResponse {
  let header = NO_HEADER;
  let version = '';
  let dbSize = 0;
  let dbSizeInUse = 0;
  fields(bytes, (reader, field, end) => {
    if (field === 1) header = readHeader(reader, end);
    else if (field === 2) version = readText(reader, end);
    else if (field === 3) dbSize = number(reader, end);
    else if (field === 9) dbSizeInUse = number(reader, end);
    else return false;
    return true;
  });
  return { header, version, dbSize, dbSizeInUse };
}

export function readWatchResponse(bytes: Uint8Array): WatchResponse {
  const reader = new WireReader(bytes);
  const end = bytes.length;
  let header = NO_HEADER;
  let watchId = 0;
  let created = false;
  let canceled = false;
  let compactRevision = 0;
  let reason = '';
  let fragment = false;
  const events: EtcdEvent[] = [];
  for (let field = nextField(reader, end); field !== 0; field = nextField(reader, end)) {
    if (field === 1) header = readHeader(reader, end);
    else if (field === 2) watchId = number(reader, end);
    else if (field === 3) created = number(reader, end) !== 0;
    else if (field === 4) canceled = number(reader, end) !== 0;
    else if (field === 5) compactRevision = number(reader, end);
    else if (field === 6) reason = readText(reader, end);
    else if (field === 7) fragment = number(reader, end) !== 0;
    else if (field === 11) events.push(readEvent(reader, end));
    else reader.skip(end);
  }
  checkMessage(reader.error);
  return { header, watchId, created, canceled, compactRevision, reason, fragment, events };
}

const NO_HEADER: Header = { clusterId: '', revision: 0 };

/** Calls `read` for each field of a message. `read` returns false to skip the field. */
function fields(bytes: Uint8Array, read: ReadField): void {
  checkMessage(readFields(bytes, read));
}

function checkMessage(error: WireError | undefined): void {
  if (error !== undefined) throw new StorageError('Unavailable', `etcd sent an invalid message: ${error.message}`);
}

function number(reader: WireReader, end: number): number {
  return Number(int64(reader, end));
}

function int64(reader: WireReader, end: number): number | bigint {
  return reader.readVarint(end) ? reader.toInt64() : 0;
}

/** The cluster id that was read last. Nearly all responses are of one cluster, so its text is cached. */
const lastId = { hi: 0, lo: 0, text: '000000000' };

function uint64Text(reader: WireReader, end: number): string {
  if (!reader.readVarint(end)) return '';
  const { hi, lo } = reader;
  if (hi !== lastId.hi || lo !== lastId.lo) {
    lastId.hi = hi;
    lastId.lo = lo;
    lastId.text = hi.toString(16) + lo.toString(16).padStart(8, '0');
  }
  return lastId.text;
}

function readHeader(reader: WireReader, outer: number): Header {
  let clusterId = '';
  let revision = 0;
  const end = enterNested(reader, outer);
  for (let field = nextField(reader, end); field !== 0; field = nextField(reader, end)) {
    if (field === 1) clusterId = uint64Text(reader, end);
    else if (field === 3) revision = number(reader, end);
    else reader.skip(end);
  }
  return { clusterId, revision };
}

function readKeyValue(reader: WireReader, outer: number): EtcdKeyValue {
  let key = '';
  let value: Uint8Array = EMPTY_BYTES;
  let created = 0;
  let revision = 0;
  let version = 0;
  let lease: LeaseId = 0;
  const end = enterNested(reader, outer);
  for (let field = nextField(reader, end); field !== 0; field = nextField(reader, end)) {
    if (field === 1) key = readText(reader, end);
    else if (field === 2) created = number(reader, end);
    else if (field === 3) revision = number(reader, end);
    else if (field === 4) version = number(reader, end);
    else if (field === 5) value = viewOf(reader, end);
    else if (field === 6) lease = int64(reader, end);
    else reader.skip(end);
  }
  return { key, value, created, revision, version, lease };
}

function viewOf(reader: WireReader, end: number): Uint8Array {
  const to = reader.readLength(end);
  return to < 0 ? EMPTY_BYTES : reader.takeBytes(to);
}

function readEvent(reader: WireReader, outer: number): EtcdEvent {
  let type: EtcdEvent['type'] = 'put';
  let item: EtcdKeyValue | undefined;
  let previous: EtcdKeyValue | undefined;
  const end = enterNested(reader, outer);
  for (let field = nextField(reader, end); field !== 0; field = nextField(reader, end)) {
    if (field === 1) type = number(reader, end) === 0 ? 'put' : 'delete';
    else if (field === 2) item = readKeyValue(reader, end);
    else if (field === 3) previous = readKeyValue(reader, end);
    else reader.skip(end);
  }
  if (item === undefined) throw new StorageError('Unavailable', 'etcd sent an event without a key');
  return { type, item, previous };
}

/** A ResponseOp: the item of a range, or the previous item of a delete. */
function readOperation(reader: WireReader, outer: number): EtcdKeyValue | undefined {
  let item: EtcdKeyValue | undefined;
  const end = enterNested(reader, outer);
  for (let field = nextField(reader, end); field !== 0; field = nextField(reader, end)) {
    // response_range = 1 has its items in field 2, response_delete_range = 3 in field 3.
    const itemField = field === 1 ? 2 : field === 3 ? 3 : 0;
    if (itemField === 0) {
      reader.skip(end);
      continue;
    }
    const to = enterNested(reader, end);
    for (let each = nextField(reader, to); each !== 0; each = nextField(reader, to)) {
      if (each === itemField) item = readKeyValue(reader, to);
      else reader.skip(to);
    }
  }
  return item;
}
