/**
 * The read-modify-write loop over a store, as upstream's `Storage.GuaranteedUpdate`.
 * Invariant: every result, including a refusal or an error of `update`, was decided on a state that the store itself
 * has confirmed, never on a cached state alone.
 */

import { abortReason } from '../base/abort.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import { unreachable } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { KeyValue, Storage } from './storage.ts';

/** The decision of an update. */
export type UpdateDecision<E> =
  /** Write this value. The store detects a no-op, because only the store knows the stored bytes. */
  | { readonly type: 'write'; readonly value: Uint8Array; readonly ttlMs?: number }
  /** Write nothing, for example because the change is invalid or expects another revision. */
  | { readonly type: 'refuse'; readonly reason: E };

export type GuaranteedUpdateResult<E> =
  /** `changed` is false if the stored bytes are the same as before. */
  | { readonly outcome: 'ok'; readonly item: KeyValue; readonly changed: boolean }
  | { readonly outcome: 'refused'; readonly reason: E; readonly current: KeyValue | undefined }
  /** Another writer was faster in every attempt. */
  | { readonly outcome: 'conflict'; readonly current: KeyValue | undefined };

export interface GuaranteedUpdateOptions {
  /** A state to start from without a read. It may be outdated. Default: read the store. */
  readonly cached?: KeyValue;
  /** Default 100. Each failed attempt means that another write succeeded. */
  readonly maxAttempts?: number;
  /** Checked before each attempt. */
  readonly signal?: AbortSignalLike;
}

/**
 * Calls `update` with the state of the key (undefined: it does not exist) until the write succeeds. `update` may run
 * several times and must depend only on the state that it is given. If `update` refuses or throws on the cached state,
 * the loop reads the store and runs `update` again, unless the cached state was current. An error that `update` throws
 * on a current state is thrown to the caller.
 */
export async function guaranteedUpdate<E = never>(
  storage: Storage,
  key: string,
  update: (current: KeyValue | undefined) => MaybePromise<UpdateDecision<E>>,
  options: GuaranteedUpdateOptions = {},
): Promise<GuaranteedUpdateResult<E>> {
  const { cached, maxAttempts = 100, signal } = options;
  let current = cached ?? (await read(storage, key));
  let fresh = cached === undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (signal?.aborted) throw abortReason(signal);
    let decision: UpdateDecision<E>;
    try {
      decision = await update(current);
    } catch (caught) {
      const present = fresh ? current : await read(storage, key);
      if (fresh || present?.revision === current?.revision) throw caught;
      current = present;
      fresh = true;
      continue;
    }
    if (decision.type === 'refuse') {
      const present = fresh ? current : await read(storage, key);
      if (fresh || present?.revision === current?.revision)
        return { outcome: 'refused', reason: decision.reason, current: present };
      current = present;
      fresh = true;
      continue;
    }
    const { value, ttlMs } = decision;
    const result = await storage.compareAndWrite(key, current, value, ttlMs === undefined ? {} : { ttlMs });
    if (result.outcome === 'ok') {
      if (!result.changed && current !== undefined) return { outcome: 'ok', item: current, changed: false };
      const { revision } = result;
      return { outcome: 'ok', item: { key, value, revision, created: current?.created ?? revision }, changed: true };
    }
    current = result.current;
    fresh = true;
  }
  return { outcome: 'conflict', current };
}

async function read(storage: Storage, key: string): Promise<KeyValue | undefined> {
  const result = await storage.get(key);
  switch (result.outcome) {
    case 'found':
      return result.item;
    case 'missing':
      return undefined;
    default:
      // `compacted` and `future` are outcomes of reads at a given revision only.
      return unreachable(result as never);
  }
}
