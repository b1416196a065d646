/**
 * The calls of the driver: typed requests, repeated where that is safe. A cluster that elects a leader answers within a
 * few seconds, so a failure of the members is final only after `PATIENCE_MS`.
 */
import { type BackoffPolicy, backoffDelay } from '../../base/backoff.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { Revision } from '../storage.ts';
import { COMPACT, type EtcdClient, LEASE_GRANT, RANGE, STATUS, TXN } from './etcd-client.ts';
import { isGrpcError, isMemberFailure, toStorageError } from './grpc-error.ts';
import type { HistoryGuard } from './history-guard.ts';
import type { LeaseId, RangeRequest, RangeResponse, StatusResponse, TxnRequest, TxnResponse } from './messages.ts';
import { compactRequest, emptyRequest, leaseGrantRequest, rangeRequest, txnRequest } from './requests.ts';
import {
  readHeaderOnly,
  readLeaseGrantResponse,
  readRangeResponse,
  readStatusResponse,
  readTxnResponse,
} from './responses.ts';

const RETRY: BackoffPolicy = { initialMs: 50, capMs: 1000 };
const PATIENCE_MS = 5_000;

export interface EtcdCallsOptions {
  readonly client: EtcdClient;
  readonly clock: Clock;
  readonly history: HistoryGuard;
}

export class EtcdCalls {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #history: HistoryGuard;

  constructor({ client, clock, history }: EtcdCallsOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#history = history;
  }

  /** A linearizable read. Throws GrpcError for a compacted or future revision, otherwise StorageError. */
  async range(request: RangeRequest): Promise<RangeResponse> {
    const frame = rangeRequest(request);
    const asked = this.#history.revision;
    const response = readRangeResponse(
      await this.#patiently(() => this.#client.call(RANGE, frame, { isRead: true }), isMemberFailure),
    );
    this.#history.take(response.header, asked);
    return response;
  }

  /**
   * A transaction. `isRepeated` in the result: the outcome of an earlier attempt is not known, so the transaction may
   * have been carried out before. Throws the error of the last attempt.
   */
  async txn(request: TxnRequest): Promise<{ readonly response: TxnResponse; readonly isRepeated: boolean }> {
    const frame = txnRequest(request);
    let isRepeated = false;
    const bytes = await this.#patiently(async () => {
      try {
        return await this.#client.call(TXN, frame, { isRead: false });
      } catch (caught) {
        isRepeated ||= isGrpcError(caught) && caught.progress === 'unknown';
        throw toError(caught);
      }
    }, isMemberFailure);
    const response = readTxnResponse(bytes);
    // The revision when the request was sent does not matter here: every answer is one of the leader.
    this.#history.take(response.header, 0);
    return { response, isRepeated };
  }

  async compact(revision: Revision): Promise<void> {
    const frame = compactRequest(revision);
    readHeaderOnly(await this.#patiently(() => this.#client.call(COMPACT, frame, { isRead: true }), isMemberFailure));
  }

  /** A lease of which no answer arrives expires unused, so that the call can be repeated. */
  async grantLease(ttlSeconds: number): Promise<LeaseId> {
    const frame = leaseGrantRequest(ttlSeconds);
    const bytes = await this.#patiently(() => this.#client.call(LEASE_GRANT, frame, { isRead: true }), isMemberFailure);
    return readLeaseGrantResponse(bytes).id;
  }

  /** The release of the member in use. Undefined: it did not answer in time. */
  async version(timeoutMs: number): Promise<string | undefined> {
    const { endpoint } = this.#client;
    try {
      const bytes = await this.#client.callMember(endpoint, STATUS, emptyRequest(), timeoutMs);
      return readStatusResponse(bytes).version;
    } catch {
      return undefined;
    }
  }

  /** The status of each member that answers, by its URL. */
  async status(timeoutMs: number): Promise<ReadonlyMap<string, StatusResponse>> {
    const found = new Map<string, StatusResponse>();
    const ask = async (endpoint: string): Promise<void> => {
      const bytes = await this.#client.callMember(endpoint, STATUS, emptyRequest(), timeoutMs);
      found.set(endpoint, readStatusResponse(bytes));
    };
    await Promise.allSettled(this.#client.endpoints.map(ask));
    return found;
  }

  async #patiently(call: () => Promise<Uint8Array>, isTransient: (error: unknown) => boolean): Promise<Uint8Array> {
    const deadline = this.#clock.monotonic() + PATIENCE_MS;
    for (let failures = 0; ; failures++) {
      try {
        return await call();
      } catch (caught) {
        const left = deadline - this.#clock.monotonic();
        if (!isTransient(caught) || left <= 0) throw toError(caught);
        await sleep(this.#clock, Math.min(backoffDelay(RETRY, failures), left));
      }
    }
  }
}

/** Runs a call and turns its GrpcError into a StorageError. */
export async function withStorageError<R>(
  call: () => Promise<R>,
  options: { readonly isWrite: boolean; readonly key?: string },
): Promise<R> {
  try {
    return await call();
  } catch (caught) {
    throw toError(toStorageError(caught, options.isWrite, options.key));
  }
}
