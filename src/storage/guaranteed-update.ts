/**
 * Read, change, write, again until it fits. Invariant: whatever is reported, a refusal or an error of the change included, was decided on
 * a state that came from the store itself, never only on a cached one.
 */
import { abortReason } from '../base/abort.ts';
import { unreachable } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { KeyValue, Storage } from './storage.ts';

/** What is to become of the key. */
export type UpdateDecision<E> =
  /** The whole new value. Whether it is a no-op is for the store to say: only it knows the stored bytes. */
  | { readonly type: 'write'; readonly value: Uint8Array; readonly ttlMs?: number }
  /** Nothing can be written, for instance because the change is invalid or expects another revision. */
  | { readonly type: 'refuse'; readonly reason: E };

export type GuaranteedUpdateResult<E> =
  /** `changed` is false if the stored bytes are equal to what they were. */
  | { readonly outcome: 'ok'; readonly item: KeyValue; readonly changed: boolean }
  | { readonly outcome: 'refused'; readonly reason: E; readonly current: KeyValue | undefined }
  /** Others were faster in every attempt. */
  | { readonly outcome: 'conflict'; readonly current: KeyValue | undefined };

export interface GuaranteedUpdateOptions {
  /** A state to start from without a read; it may be outdated. Default: a fresh read. */
  readonly cached?: KeyValue;
  /** Default 100: each lost attempt means that somebody else's write succeeded. */
  readonly maxAttempts?: number;
  /** Tested before each attempt. */
  readonly signal?: AbortSignal;
}

/**
 * Calls `update` with the key's state (undefined: it does not exist) until its write succeeds. `update` may run several times and must
 * depend on nothing but the state it is given. If it refuses or throws on a cached state, it is asked again after a fresh read, unless
 * the cached state turns out to be the present one. What it throws on a fresh state is thrown to the caller.
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
    const result = await storage.compareAndWrite(
      key,
      current?.revision ?? 0,
      value,
      ttlMs === undefined ? {} : { ttlMs },
    );
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
      // Only reads that name a revision are answered this way.
      return unreachable(result as never);
  }
}
