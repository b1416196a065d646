/**
 * The typed calls of the etcd driver. A call that may safely be repeated is repeated while members fail, for up to
 * `RETRY_FOR_MS`: a cluster that elects a leader answers again within a few seconds.
 */
import { type BackoffPolicy, backoffDelay } from '../../base/backoff.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { GrpcError, isGrpcError } from '../../base/grpc.ts';
import type { Revision } from '../storage.ts';
import { EMPTY_FRAME } from '../wire/field-writer.ts';
import {
  type CallOptions,
  COMPACT,
  type EtcdClient,
  LEASE_GRANT,
  LEASE_TIME_TO_LIVE,
  RANGE,
  STATUS,
  TXN,
} from './etcd-client.ts';
import type { EtcdObserver, EtcdOperation } from './etcd-observer.ts';
import { type FailedCall, isMemberFailure, toStorageError } from './grpc-error.ts';
import type { HistoryGuard } from './history-guard.ts';
import type { LeaseId, RangeRequest, RangeResponse, StatusResponse, TxnRequest, TxnResponse } from './messages.ts';
import { compactRequest, leaseGrantRequest, leaseTimeToLiveRequest, rangeRequest, txnRequest } from './requests.ts';
import {
  readHeaderOnly,
  readLeaseGrantResponse,
  readLeaseTimeToLiveResponse,
  readRangeResponse,
  readStatusResponse,
  readTxnResponse,
} from './responses.ts';

const RETRY: BackoffPolicy = { initialMs: 50, capMs: 1000 };
const RETRY_FOR_MS = 5_000;
const READ: CallOptions = { isRead: true };
const WRITE: CallOptions = { isRead: false };

export interface TxnOutcome {
  readonly response: TxnResponse;
  readonly isRepeated: boolean;
}

interface Repeated {
  readonly bytes: Uint8Array;
  readonly isRepeated: boolean;
}

export interface EtcdCallsOptions {
  readonly client: EtcdClient;
  readonly clock: Clock;
  readonly history: HistoryGuard;
  readonly observer?: EtcdObserver | undefined;
}

export class EtcdCalls {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #history: HistoryGuard;
  readonly #observer: EtcdObserver | undefined;

  constructor({ client, clock, history, observer }: EtcdCallsOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#history = history;
    this.#observer = observer;
  }

  /**
   * Makes a linearizable read. Throws GrpcError for a compacted or future revision, otherwise StorageError. The
   * observer is told of the request if there is an `operation`; `key` is then a key or a prefix of the store.
   */
  range(request: RangeRequest, operation?: EtcdOperation, key = ''): Promise<RangeResponse> {
    const frame = rangeRequest(request);
    const asked = this.#history.revision;
    const answered = (bytes: Uint8Array): RangeResponse => {
      const response = readRangeResponse(bytes);
      this.#history.take(response.header, asked);
      return response;
    };
    return this.#observed(() => this.#client.call(RANGE, frame, READ), answered, operation, key);
  }

  /**
   * Runs a transaction. `isRepeated` is true in the result if the outcome of an earlier attempt is not known: that
   * attempt may have been carried out, too. Throws the error of the last attempt; its progress is `unknown` if the
   * progress of any attempt is unknown. `operation` and `key` are as in `range`.
   */
  txn(request: TxnRequest, operation?: EtcdOperation, key = ''): Promise<TxnOutcome> {
    return this.txnFrame(txnRequest(request), operation, key);
  }

  /** Runs a transaction that is already encoded. Otherwise like `txn`. */
  txnFrame(frame: Uint8Array, operation?: EtcdOperation, key = ''): Promise<TxnOutcome> {
    const answered = (bytes: Uint8Array, isRepeated: boolean): TxnOutcome => {
      const response = readTxnResponse(bytes);
      // 0 skips the check for a restored cluster: the leader answers transactions, so its revision is current.
      this.#history.take(response.header, 0);
      return { response, isRepeated };
    };
    return this.#observed(() => this.#client.call(TXN, frame, WRITE), answered, operation, key);
  }

  async compact(revision: Revision): Promise<void> {
    const frame = compactRequest(revision);
    readHeaderOnly(await this.#withRetries(() => this.#client.call(COMPACT, frame, READ)));
  }

  /** May be repeated: a lease whose response is lost expires unused. */
  async grantLease(ttlSeconds: number): Promise<LeaseId> {
    const frame = leaseGrantRequest(ttlSeconds);
    const bytes = await this.#withRetries(() => this.#client.call(LEASE_GRANT, frame, READ));
    return readLeaseGrantResponse(bytes).id;
  }

  /** Returns the seconds until the lease expires; -1 if it has expired. */
  async leaseSeconds(id: LeaseId): Promise<number> {
    const frame = leaseTimeToLiveRequest(id);
    const call = (): Promise<Uint8Array> => this.#client.call(LEASE_TIME_TO_LIVE, frame, READ);
    return readLeaseTimeToLiveResponse(await this.#withRetries(call)).ttlSeconds;
  }

  /** Returns the status of the pinned member. Throws GrpcError if it does not answer in time. */
  async status(timeoutMs: number): Promise<StatusResponse> {
    return readStatusResponse(await this.#client.callPinned(STATUS, EMPTY_FRAME, timeoutMs));
  }

  /** Makes a call, repeats it while members fail, and tells the observer. `isRepeated` is as in `TxnOutcome`. */
  #observed<R>(
    call: () => Promise<Uint8Array>,
    answered: (bytes: Uint8Array, isRepeated: boolean) => R,
    operation: EtcdOperation | undefined,
    key: string,
  ): Promise<R> {
    const begun = this.#clock.monotonic();
    const observe = (ok: boolean): void => {
      if (operation !== undefined) this.#observer?.request(operation, key, this.#clock.monotonic() - begun, ok);
    };
    // Nearly all calls are answered at the first attempt. They cost one promise here.
    return call().then(
      (bytes) => {
        observe(true);
        return answered(bytes, false);
      },
      async (failure: unknown) => {
        let repeated: Repeated;
        try {
          repeated = await this.#repeat(call, failure, begun);
        } catch (caught) {
          observe(false);
          throw toError(caught);
        }
        observe(true);
        return answered(repeated.bytes, repeated.isRepeated);
      },
    );
  }

  /** Repeats a call whose first attempt has failed with `failure`. Throws like `txn`. */
  async #repeat(call: () => Promise<Uint8Array>, failure: unknown, begun: number): Promise<Repeated> {
    let isRepeated = false;
    let attempt: Promise<Uint8Array> | undefined = Promise.reject(failure);
    try {
      const bytes = await this.#withRetries(async () => {
        try {
          const present = attempt ?? call();
          attempt = undefined;
          return await present;
        } catch (caught) {
          isRepeated ||= isGrpcError(caught) && caught.progress === 'unknown';
          throw toError(caught);
        }
      }, begun);
      return { bytes, isRepeated };
    } catch (caught) {
      throw isRepeated ? withUnknownProgress(caught) : caught;
    }
  }

  /** Makes a call and repeats it while members fail, until `RETRY_FOR_MS` after `begun`. */
  async #withRetries(call: () => Promise<Uint8Array>, begun: number = this.#clock.monotonic()): Promise<Uint8Array> {
    const deadline = begun + RETRY_FOR_MS;
    for (let failures = 0; ; failures++) {
      try {
        return await call();
      } catch (caught) {
        const left = deadline - this.#clock.monotonic();
        if (!isMemberFailure(caught) || left <= 0) throw toError(caught);
        await sleep(this.#clock, Math.min(backoffDelay(RETRY, failures), left));
      }
    }
  }
}

function withUnknownProgress(caught: unknown): unknown {
  if (!isGrpcError(caught) || caught.progress === 'unknown') return caught;
  return new GrpcError(caught.code, caught.message, { progress: 'unknown', cause: caught });
}

/** Runs a call and turns its GrpcError into a StorageError. */
export async function withStorageError<R>(call: () => Promise<R>, failed: FailedCall): Promise<R> {
  try {
    return await call();
  } catch (caught) {
    throw toStorageError(caught, failed);
  }
}
