/**
 * Read, decide, write, again until it fits: the loop under update and delete. Invariant: whatever is decided, a refusal included, was decided on a state that
 * the store itself confirmed, never only on a cached one; what is written replaces exactly the state that was looked at.
 */
import { StatusError } from '../../apimachinery/status/status.ts';
import { conflict, timeout } from '../../apimachinery/status/status-catalogue.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Revision } from '../../storage/storage.ts';
import type { ResourceContext } from './resource-store.ts';
import type { StoreCore } from './store-core.ts';
import type { StoredState } from './stored-object.ts';

export type Step<T> =
  /** Nothing to write. */
  | { readonly type: 'answer'; readonly answer: () => MaybePromise<T> }
  | {
      readonly type: 'write';
      readonly value: Uint8Array;
      readonly options: { readonly ttlMs?: number };
      /** With the state as it is stored now. Undefined: decide again, on that state. */
      readonly done: (state: StoredState, changed: boolean) => MaybePromise<T> | undefined;
    }
  | { readonly type: 'delete'; readonly done: (last: StoredState, revision: Revision) => MaybePromise<T> };

/** Each lost attempt means that somebody else's write to the same object succeeded. */
const MAX_ATTEMPTS = 100;

/** Calls `decide` with the key's state (undefined: it does not exist) until what it decides can be done. It may be called several times. */
export async function changeKey<T>(
  core: StoreCore,
  context: ResourceContext,
  key: string,
  decide: (current: StoredState | undefined) => MaybePromise<Step<T>>,
): Promise<T> {
  const cached = core.cachedState(key);
  let fresh = cached === undefined;
  let current = cached ?? (await core.readState(key));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (core.host.clock.monotonic() > context.request.deadline) throw outOfTime();
    let step: Step<T>;
    try {
      step = await decide(current);
      if (step.type === 'answer' && fresh) return await step.answer();
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
      const present = await core.readState(key);
      if (present?.revision === current?.revision) return step.answer();
      current = present;
      fresh = true;
      continue;
    }
    if (step.type === 'write') {
      const { value, options } = step;
      const result = await core.storage.compareAndWrite(key, current?.revision ?? 0, value, options);
      if (result.outcome === 'ok') {
        core.noteWrite(result.revision);
        const state = { key, revision: result.revision, value };
        const answer = step.done(state, result.changed);
        if (answer !== undefined) return answer;
        current = state;
      } else current = result.current;
    } else {
      const result = await core.storage.delete(key, current === undefined ? {} : { expected: current.revision });
      if (result.outcome === 'ok') {
        core.noteWrite(result.revision);
        return step.done(result.deleted, result.revision);
      }
      current = result.outcome === 'conflict' ? result.current : undefined;
    }
    fresh = true;
  }
  throw new StatusError(conflict(core.resourceName(context), context.name));
}

function outOfTime(): StatusError {
  return new StatusError(timeout('request did not complete within requested timeout', 0));
}
