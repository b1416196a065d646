/**
 * Results of signature verification for the validation of the same request. Verification is asynchronous and strategies
 * are synchronous, so a store in front of the registry verifies each object before it is created, and `validate` reads
 * the result by the request's context.
 */
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import type { RegistryStore } from '../../../server/registry/store.ts';
import { delegateStore } from '../../../server/resource/delegate-store.ts';
import type { RequestContext } from '../../../server/resource/request-context.ts';
import type { ResourceStore } from '../../../server/resource/resource-store.ts';

export class SignatureChecks {
  readonly #problems = new WeakMap<RequestContext, string>();

  /** Returns the problem of the signature of the object that the request creates; undefined if there is none. */
  problemOf(request: RequestContext): string | undefined {
    return this.#problems.get(request);
  }

  /**
   * Returns a store whose `create` first calls `verify`, which resolves with the problem of the signature, or
   * undefined.
   */
  wrap(store: RegistryStore, verify: (object: JsonObject) => Promise<string | undefined>): ResourceStore {
    return delegateStore(store, {
      create: (context, object, request) =>
        andThen(verify(object), (problem) => {
          if (problem !== undefined) this.#problems.set(context.request, problem);
          return store.create(context, object, request);
        }),
    });
  }
}
