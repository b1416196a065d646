/**
 * A store with one more check of its writes. Unlike a strategy's validation, the check may be asynchronous: it can ask
 * an authorizer or read another object. Its issues refuse the write with a 422, as those of the strategy do.
 */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { invalid } from '../../apimachinery/status/status-catalogue.ts';
import type { FieldIssue } from '../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { delegateStore } from './delegate-store.ts';
import type { ResourceContext, ResourceStore } from './resource-store.ts';

/**
 * Called with the object that will be stored, in the version of the request, after the strategy's validation and before
 * validating admission. `old` is the stored object, or undefined for a create. Must change neither.
 */
export type WriteCheck = (
  object: JsonObject,
  old: JsonObject | undefined,
  context: ResourceContext,
) => MaybePromise<readonly FieldIssue[]>;

/** Wraps `store` so that `create` and `update` run the check. */
export function withWriteCheck(store: ResourceStore, check: WriteCheck): ResourceStore {
  const { create, update } = store;
  const pass = (context: ResourceContext, object: JsonObject, old: JsonObject | undefined): MaybePromise<void> =>
    andThen(check(object, old, context), (issues) => {
      if (issues.length === 0) return;
      const { group, kind } = context.version;
      throw new StatusError(invalid({ group, kind }, textAt(object, 'metadata', 'name'), issues));
    });
  return delegateStore(store, {
    create:
      create &&
      ((context, object, request) =>
        create.call(store, context, object, {
          ...request,
          validate: (made) => andThen(pass(context, made, undefined), () => request.validate(made)),
        })),
    update:
      update &&
      ((context, change, request) =>
        update.call(store, context, change, {
          ...request,
          validateCreate: (made) => andThen(pass(context, made, undefined), () => request.validateCreate(made)),
          validateUpdate: (next, old) => andThen(pass(context, next, old), () => request.validateUpdate(next, old)),
        })),
  });
}
