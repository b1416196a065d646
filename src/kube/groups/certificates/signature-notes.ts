/**
 * What was found out about signatures before an object is validated: to verify one takes time, and validation does not wait. Invariant: whoever stands in front of the store
 * verifies and notes; validation of the same request reads.
 */

import type { JsonObject } from '../../../base/json-value.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import { delegateStore } from '../../../server/resource/delegate-store.ts';
import type { RequestContext } from '../../../server/resource/request-context.ts';
import type { ResourceStore } from '../../../server/resource/resource-store.ts';

export class SignatureNotes {
  readonly #problems = new WeakMap<RequestContext, string>();

  /** Undefined if nothing is wrong. */
  problemOf(request: RequestContext): string | undefined {
    return this.#problems.get(request);
  }

  /** A store that verifies what is created: `verify` tells what is wrong with the signature, if anything. */
  front(store: ResourceStore, verify: (object: JsonObject) => Promise<string | undefined>): ResourceStore {
    const { create } = store;
    if (create === undefined) return store;
    return delegateStore(store, {
      create: (context, object, request) =>
        andThen(verify(object), (problem) => {
          if (problem !== undefined) this.#problems.set(context.request, problem);
          return create.call(store, context, object, request);
        }),
    });
  }
}
