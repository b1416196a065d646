/**
 * The writes of the etcd driver.
 * Invariant: a write whose first attempt has an unknown outcome never results in a conflict. If the repeated
 * transaction finds the written bytes in the key, the write took place. Otherwise StorageError(Unknown) is thrown.
 */
import { equalBytes } from '../../base/bytes.ts';
import { toError } from '../../base/errors.ts';
import { isGrpcError } from '../../base/grpc.ts';
import { isStorageError, StorageError } from '../errors.ts';
import type {
  CreateOptions,
  DeleteResult,
  KeyValue,
  Revision,
  SeenState,
  WriteOptions,
  WriteResult,
} from '../storage.ts';
import { type EtcdCalls, type TxnOutcome, withStorageError } from './etcd-calls.ts';
import type { EtcdOperation } from './etcd-observer.ts';
import { isLeaseNotFound, toStorageError } from './grpc-error.ts';
import type { KeyMap } from './key-map.ts';
import type { Leases } from './leases.ts';
import type { EtcdKeyValue, LeaseId, RangeResponse, TxnRequest } from './messages.ts';
import { putRequest } from './requests.ts';

export interface EtcdWritesOptions {
  readonly calls: EtcdCalls;
  readonly keys: KeyMap;
  readonly leases: Leases;
  toItem(item: EtcdKeyValue): KeyValue;
}

export class EtcdWrites {
  readonly #calls: EtcdCalls;
  readonly #keys: KeyMap;
  readonly #leases: Leases;
  readonly #toItem: EtcdWritesOptions['toItem'];

  constructor({ calls, keys, leases, toItem }: EtcdWritesOptions) {
    this.#calls = calls;
    this.#keys = keys;
    this.#leases = leases;
    this.#toItem = toItem;
  }

  create(key: string, value: Uint8Array, { ttlMs, followedBy }: CreateOptions): Promise<WriteResult> {
    const result = this.#put(key, 0, value, ttlMs);
    return followedBy === undefined || equalBytes(value, followedBy) ? result : this.#follow(key, result, followedBy);
  }

  async #follow(key: string, created: Promise<WriteResult>, followedBy: Uint8Array): Promise<WriteResult> {
    const result = await created;
    if (result.outcome !== 'ok') return result;
    try {
      await this.#put(key, result.revision, followedBy, undefined);
    } catch {
      // A failure of the second write does not fail the creation; see `CreateOptions.followedBy`.
    }
    return result;
  }

  async compareAndWrite(
    key: string,
    seen: SeenState | undefined,
    value: Uint8Array,
    { ttlMs }: WriteOptions,
  ): Promise<WriteResult> {
    if (seen !== undefined && !seen.stale && ttlMs === undefined && equalBytes(seen.value, value)) {
      const etcdKey = this.#keys.toEtcd(key);
      const read = (): Promise<RangeResponse> => this.#calls.range({ key: etcdKey }, 'get', key);
      const { items, header } = await withStorageError(read, { isWrite: false, key });
      const [item] = items;
      if (item?.revision !== seen.revision)
        return { outcome: 'conflict', current: item && this.#toItem(item), revision: header.revision };
      if (item.lease === 0) return { outcome: 'ok', revision: item.revision, changed: false };
    }
    return this.#put(key, seen?.revision ?? 0, value, ttlMs);
  }

  async delete(key: string, expected: Revision | undefined): Promise<DeleteResult> {
    const etcdKey = this.#keys.toEtcd(key);
    const { response, isRepeated } = await this.#transact('delete', key, {
      compare: expected === undefined ? [] : [{ key: etcdKey, revision: expected }],
      success: [{ type: 'delete', key: etcdKey }],
      failure: [{ type: 'get', key: etcdKey }],
    });
    const [item] = response.items;
    const { revision } = response.header;
    if (response.succeeded && item !== undefined) return { outcome: 'ok', revision, deleted: this.#toItem(item) };
    if (isRepeated) throw unknownOutcome(key);
    if (item === undefined) return { outcome: 'missing', revision };
    return { outcome: 'conflict', current: this.#toItem(item), revision };
  }

  #put(key: string, expected: Revision, value: Uint8Array, ttlMs: number | undefined): Promise<WriteResult> {
    const etcdKey = this.#keys.toEtcd(key);
    const operation = expected === 0 ? 'create' : 'update';
    const answered = (outcome: TxnOutcome): WriteResult => this.#putResult(key, expected, value, outcome);
    if (ttlMs === undefined)
      return this.#calls
        .txnFrame(putRequest(etcdKey, expected, value), operation, key)
        .then(answered, (caught: unknown) => failed(caught, key));
    const request = (lease: LeaseId): TxnRequest => ({
      compare: [{ key: etcdKey, revision: expected }],
      success: [{ type: 'put', key: etcdKey, value, lease }],
      failure: [{ type: 'get', key: etcdKey }],
    });
    return this.#withLease(operation, key, ttlMs, request).then(answered);
  }

  #putResult(key: string, expected: Revision, value: Uint8Array, { response, isRepeated }: TxnOutcome): WriteResult {
    if (response.succeeded) return { outcome: 'ok', revision: response.header.revision, changed: true };
    const [item] = response.items;
    if (isRepeated) {
      if (item === undefined || item.revision <= expected || !equalBytes(item.value, value)) throw unknownOutcome(key);
      return { outcome: 'ok', revision: item.revision, changed: true };
    }
    return { outcome: 'conflict', current: item && this.#toItem(item), revision: response.header.revision };
  }

  async #withLease(
    operation: EtcdOperation,
    key: string,
    ttlMs: number,
    request: (lease: LeaseId) => TxnRequest,
  ): Promise<TxnOutcome> {
    const lease = await withStorageError(() => this.#leases.take(ttlMs), { isWrite: false, key });
    let isUnknown: boolean;
    try {
      return await this.#calls.txn(request(lease), operation, key);
    } catch (caught) {
      if (!isLeaseNotFound(caught)) throw toStorageError(caught, { isWrite: true, key });
      isUnknown = isGrpcError(caught) && caught.progress === 'unknown';
      this.#leases.forget(lease);
    }
    try {
      const another = await withStorageError(() => this.#leases.take(ttlMs), { isWrite: false, key });
      const { response, isRepeated } = await this.#transact(operation, key, request(another));
      return { response, isRepeated: isRepeated || isUnknown };
    } catch (caught) {
      if (!isUnknown || !isStorageError(caught) || caught.code !== 'Unavailable') throw toError(caught);
      throw new StorageError('Unknown', caught.message, { key, cause: caught });
    }
  }

  #transact(operation: EtcdOperation, key: string, request: TxnRequest): Promise<TxnOutcome> {
    return this.#calls.txn(request, operation, key).catch((caught: unknown) => failed(caught, key));
  }
}

function failed(caught: unknown, key: string): never {
  throw toStorageError(caught, { isWrite: true, key });
}

function unknownOutcome(key: string): StorageError {
  return new StorageError('Unknown', 'etcd did not answer in time, and the key was changed since: read it again', {
    key,
  });
}
