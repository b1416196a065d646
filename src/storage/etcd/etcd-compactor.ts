/**
 * The compactor of the etcd driver. It follows the protocol of kube-apiserver (`storage/etcd3/compact.go`), so that all
 * servers of a cluster agree, including kube-apiservers. The version of the key `compact_rev_key` is a logical clock:
 * the server that increments it compacts to the revision that was current one interval before. The first round of a
 * server compacts nothing.
 */
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { Stoppable } from '../../base/lifetime.ts';
import { DEFAULT_COMPACTION_INTERVAL_MS } from '../compactor.ts';
import { isStorageError } from '../errors.ts';
import type { CompactorOptions, Revision } from '../storage.ts';
import type { TxnRequest, TxnResponse } from './messages.ts';

const COMPACT_KEY = 'compact_rev_key';

export interface CompactorState {
  /** The version of `compact_rev_key` that this server expects. */
  readonly time: number;
  /** The revision that was current at the last round; 0 before the first. */
  readonly revision: Revision;
}

export function compactorRequest({ time, revision }: CompactorState): TxnRequest {
  return {
    compare: [{ key: COMPACT_KEY, version: time }],
    success: [{ type: 'put', key: COMPACT_KEY, value: encodeUtf8(String(revision)) }],
    failure: [{ type: 'get', key: COMPACT_KEY }],
  };
}

/**
 * Returns the state for the next round. `compact`: this server compacts to this revision. `learned`: another server has
 * compacted to this revision.
 */
export function stepCompactor(
  { time, revision }: CompactorState,
  response: TxnResponse,
): { readonly state: CompactorState; readonly compact?: Revision; readonly learned?: Revision } {
  const current = response.header.revision;
  if (!response.succeeded) {
    const [item] = response.items;
    const learned = item === undefined ? 0 : Number(decodeUtf8(item.value));
    const state = { time: item?.version ?? 0, revision: current };
    return Number.isSafeInteger(learned) && learned > 0 ? { state, learned } : { state };
  }
  const state = { time: time + 1, revision: current };
  return revision === 0 ? { state } : { state, compact: revision };
}

/** The calls of the driver that the compactor needs. Rejections are reported, and the next interval tries again. */
export interface EtcdCompactorTarget {
  transact(request: TxnRequest): Promise<TxnResponse>;
  compact(revision: Revision): Promise<void>;
  /** Called when another server has compacted to `horizon`. */
  learned(horizon: Revision): void;
}

export class EtcdCompactor implements Stoppable {
  readonly #target: EtcdCompactorTarget;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #onError: (error: Error) => void;
  #state: CompactorState = { time: 0, revision: 0 };
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(target: EtcdCompactorTarget, { clock, intervalMs, onError }: CompactorOptions) {
    this.#target = target;
    this.#clock = clock;
    this.#intervalMs = intervalMs ?? DEFAULT_COMPACTION_INTERVAL_MS;
    this.#onError = onError;
  }

  /** Begins the first interval. Call it once. */
  start(): void {
    if (this.#intervalMs > 0 && !this.#stopped) this.#arm();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #arm(): void {
    const run = (): void => {
      this.#running = this.#round();
    };
    this.#timer = this.#clock.setTimer(this.#intervalMs, run, { background: true });
  }

  async #round(): Promise<void> {
    try {
      const { state, compact, learned } = stepCompactor(
        this.#state,
        await this.#target.transact(compactorRequest(this.#state)),
      );
      this.#state = state;
      if (learned !== undefined) this.#target.learned(learned);
      if (compact !== undefined) await this.#target.compact(compact);
    } catch (caught) {
      if (isStorageError(caught, 'Closed')) this.#stopped = true;
      else this.#onError(toError(caught));
    }
    if (!this.#stopped) this.#arm();
  }
}
