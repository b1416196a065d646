/** The messages of etcd's API that the driver sends and reads. `requests.ts` and `responses.ts` have their encoding. */
import type { Revision } from '../storage.ts';

/** The int64 id of a lease: a bigint if it is not a safe integer. 0: no lease. */
export type LeaseId = number | bigint;

export interface Header {
  /** The uint64 `cluster_id` in hexadecimal. */
  readonly clusterId: string;
  readonly revision: Revision;
}

export interface EtcdKeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly created: Revision;
  readonly revision: Revision;
  /** The number of writes since the creation. */
  readonly version: number;
  readonly lease: LeaseId;
}

export interface RangeRequest {
  readonly key: string;
  /** The exclusive end of the range. Absent: only `key` is read. */
  readonly end?: string | undefined;
  readonly limit?: number;
  readonly revision?: Revision | undefined;
  readonly countOnly?: boolean;
  /** Return items without values. */
  readonly keysOnly?: boolean;
}

export interface RangeResponse {
  readonly header: Header;
  readonly items: readonly EtcdKeyValue[];
  /** The number of keys in the range, whatever the limit. */
  readonly count: number;
}

/** A condition of a transaction: the key has this revision or version. 0: the key does not exist. */
export type Compare =
  | { readonly key: string; readonly revision: Revision }
  | { readonly key: string; readonly version: number };

export type Operation =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly lease?: LeaseId | undefined }
  | { readonly type: 'delete'; readonly key: string }
  | { readonly type: 'deleteRange'; readonly key: string; readonly end: string }
  /** Without `revision`, reads the state that the transaction sees. */
  | { readonly type: 'get'; readonly key: string; readonly revision?: Revision };

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

export interface TxnResponse {
  readonly header: Header;
  readonly succeeded: boolean;
  /** The item of each `get`, and the previous item of each `delete`; undefined for other operations and missing keys. */
  readonly items: readonly (EtcdKeyValue | undefined)[];
}

export interface WatchCreate {
  readonly key: string;
  readonly end: string;
  readonly startRevision: Revision;
  readonly previous: boolean;
}

export interface EtcdEvent {
  readonly type: 'put' | 'delete';
  readonly item: EtcdKeyValue;
  readonly previous: EtcdKeyValue | undefined;
}

export interface WatchResponse {
  readonly header: Header;
  /** -1 for the answer to a progress request. */
  readonly watchId: number;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Above 0 if the start of the watch is compacted. */
  readonly compactRevision: Revision;
  readonly reason: string;
  /** More events of this response follow in the next one. */
  readonly fragment: boolean;
  readonly events: readonly EtcdEvent[];
}

export interface StatusResponse {
  readonly header: Header;
  readonly version: string;
  readonly dbSize: number;
  readonly dbSizeInUse: number;
}

export interface LeaseGrantResponse {
  readonly header: Header;
  readonly id: LeaseId;
  readonly ttlSeconds: number;
}

export interface LeaseTimeToLiveResponse {
  readonly header: Header;
  /** The seconds that remain; -1 for a lease that has expired. */
  readonly ttlSeconds: number;
}
