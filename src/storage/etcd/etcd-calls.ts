/**
 * The calls of the driver: typed requests, repeated where that is safe. A cluster that elects a leader answers within a
 * few seconds, so a failure of the members is final only after `PATIENCE_MS`.
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
const PATIENCE_MS = 5_000;
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
   * A linearizable read. Throws GrpcError for a compacted or future revision, otherwise StorageError. With an
   * `operation` the request is reported to the observer; `key` is a key or a prefix of the store.
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
   * A transaction. `isRepeated` in the result: the outcome of an earlier attempt is not known, so the transaction may
   * have been carried out before. Throws the error of the last attempt, whose progress is `unknown` if that of any
   * attempt is. `operation` and `key` are as in `range`.
   */
  txn(request: TxnRequest, operation?: EtcdOperation, key = ''): Promise<TxnOutcome> {
    return this.txnFrame(txnRequest(request), operation, key);
  }

  /** As `txn`, with the frame of the request. */
  txnFrame(frame: Uint8Array, operation?: EtcdOperation, key = ''): Promise<TxnOutcome> {
    const answered = (bytes: Uint8Array, isRepeated: boolean): TxnOutcome => {
      const response = readTxnResponse(bytes);
      // 0: the answer comes from the leader, so its revision needs no check against the one at the start.
      this.#history.take(response.header, 0);
      return { response, isRepeated };
    };
    return this.#observed(() => this.#client.call(TXN, frame, WRITE), answered, operation, key);
  }

  async compact(revision: Revision): Promise<void> {
    const frame = compactRequest(revision);
    readHeaderOnly(await this.#patiently(() => this.#client.call(COMPACT, frame, READ)));
  }

  /** A lease of which no answer arrives expires unused, so that the call can be repeated. */
  async grantLease(ttlSeconds: number): Promise<LeaseId> {
    const frame = leaseGrantRequest(ttlSeconds);
    const bytes = await this.#patiently(() => this.#client.call(LEASE_GRANT, frame, READ));
    return readLeaseGrantResponse(bytes).id;
  }

  /** The seconds until a lease expires; -1 for one that has expired. */
  async leaseSeconds(id: LeaseId): Promise<number> {
    const frame = leaseTimeToLiveRequest(id);
    const call = (): Promise<Uint8Array> => this.#client.call(LEASE_TIME_TO_LIVE, frame, READ);
    return readLeaseTimeToLiveResponse(await this.#patiently(call)).ttlSeconds;
  }

  /** The status of the member in use. Throws GrpcError if it does not answer in time. */
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

  /** Repeats a call whose first attempt has failed. Throws as `txn`. */
  async #repeat(call: () => Promise<Uint8Array>, failure: unknown, begun: number): Promise<Repeated> {
    let isRepeated = false;
    let attempt: Promise<Uint8Array> | undefined = Promise.reject(failure);
    try {
      const bytes = await this.#patiently(async () => {
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

  /** Repeats a call while members fail, until `PATIENCE_MS` after `begun`. */
  async #patiently(call: () => Promise<Uint8Array>, begun: number = this.#clock.monotonic()): Promise<Uint8Array> {
    const deadline = begun + PATIENCE_MS;
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
