/**
 * The read-decide-write loop of update and delete. It starts from the cached state, if there is one, and repeats until
 * the decision can be carried out or the deadline of the request has passed.
 *
 * Invariant: a write replaces exactly the state that `decide` was called with. A refusal is returned only after storage
 * has confirmed that state.
 */
import { StatusError } from '../../apimachinery/status/status.ts';
import { timeout } from '../../apimachinery/status/status-catalogue.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Revision } from '../../storage/storage.ts';
import type { ResourceContext } from '../resource/resource-store.ts';
import type { StoreCore } from './store-core.ts';
import type { StoredState } from './stored-object.ts';

/** The decision about one state of a key. */
export type Step<T> =
  | {
      /** Answers without a write. */
      readonly type: 'answer';
      readonly answer: () => MaybePromise<T>;
      /**
       * Whether the request leaves the object unchanged. If the stored form of the object is outdated, `decide` is
       * called again, to write it. Default false.
       */
      readonly unchanged?: boolean;
    }
  | {
      readonly type: 'write';
      readonly value: Uint8Array;
      readonly options: { readonly ttlMs?: number };
      /** Called with the written state. Returns the answer, or undefined to decide again on the written state. */
      readonly done: (state: StoredState, changed: boolean) => MaybePromise<T> | undefined;
    }
  | { readonly type: 'delete'; readonly done: (last: StoredState, revision: Revision) => MaybePromise<T> };

/**
 * Calls `decide` with the state of the key (undefined: the key does not exist) until its decision can be carried out.
 * `decide` may run several times and must not depend on an earlier run. Throws the errors of `decide`, and a 504 after
 * the deadline.
 */
export async function changeKey<T>(
  core: StoreCore,
  context: ResourceContext,
  key: string,
  decide: (current: StoredState | undefined) => MaybePromise<Step<T>>,
): Promise<T> {
  const { turns } = core;
  let hasTurn = turns.isTaken(key) && (await turns.take(key));
  try {
    // A request that had to wait for its turn does not use the cache, which may not have the write before it.
    const cached = hasTurn ? undefined : core.cachedState(key);
    let fresh = cached === undefined;
    let current = cached ?? (await core.freshState(key));
    for (;;) {
      if (core.host.clock.monotonic() > context.request.deadline) throw outOfTime();
      let step: Step<T>;
      try {
        step = await decide(current);
        if (step.type === 'answer' && fresh && !needsStoredForm(core, step)) return await step.answer();
      } catch (caught) {
        if (fresh) throw caught;
        step = {
          type: 'answer',
          answer: () => {
            throw caught;
          },
        };
      }
      if (step.type === 'answer') {
        const present = await (needsStoredForm(core, step) ? core.readState(key) : core.freshState(key));
        if (present?.revision === current?.revision && present?.stale !== true) return step.answer();
        current = present;
        fresh = true;
        continue;
      }
      const done = await carryOut(core, key, current, step);
      if (done.type === 'answer') return done.answer;
      current = done.current;
      fresh = true;
      if (done.type === 'lost' && !hasTurn) {
        hasTurn = await turns.take(key);
        current = await core.freshState(key);
      }
    }
  } finally {
    if (hasTurn) turns.release(key);
  }
}

/**
 * Whether storage must be read to answer without a write, because a cached state does not tell whether its stored form
 * is outdated.
 */
function needsStoredForm<T>({ storage }: StoreCore, step: Step<T>): boolean {
  return step.type === 'answer' && step.unchanged === true && storage.mayBeStale === true;
}

type Outcome<T> =
  | { readonly type: 'answer'; readonly answer: T }
  /** The write succeeded, and the next decision is made on the written state. */
  | { readonly type: 'again'; readonly current: StoredState }
  /** Another writer has changed the key. `current` is its new state. */
  | { readonly type: 'lost'; readonly current: StoredState | undefined };

async function carryOut<T>(
  core: StoreCore,
  key: string,
  current: StoredState | undefined,
  step: Exclude<Step<T>, { readonly type: 'answer' }>,
): Promise<Outcome<T>> {
  if (step.type === 'write') {
    const { value, options } = step;
    const result = await core.storage.compareAndWrite(key, current, value, options);
    if (result.outcome !== 'ok') return { type: 'lost', current: result.current };
    core.noteWrite(result.revision);
    const state = { key, revision: result.revision, value };
    const answer = step.done(state, result.changed);
    return answer === undefined ? { type: 'again', current: state } : { type: 'answer', answer: await answer };
  }
  const result = await core.storage.delete(key, current === undefined ? {} : { expected: current.revision });
  if (result.outcome !== 'ok')
    return { type: 'lost', current: result.outcome === 'conflict' ? result.current : undefined };
  core.noteWrite(result.revision);
  return { type: 'answer', answer: await step.done(result.deleted, result.revision) };
}

function outOfTime(): StatusError {
  return new StatusError(timeout('request did not complete within requested timeout', 0));
}
