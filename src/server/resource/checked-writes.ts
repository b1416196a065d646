/**
 * A store whose writes must pass one more check, which may ask others: an authorizer, the namespace. Invariant: the check sees what will be stored, in the request's version,
 * after the kind's own validation and before validating admission; what it finds is told as validation tells its issues.
 */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { invalid } from '../../apimachinery/status/status-catalogue.ts';
import type { FieldIssue } from '../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { delegateStore } from './delegate-store.ts';
import type { SubresourceDefinition } from './resource-definition.ts';
import type { ResourceContext, ResourceStore } from './resource-store.ts';

/** `old` is undefined for a create. */
export type WriteCheck = (
  object: JsonObject,
  old: JsonObject | undefined,
  context: ResourceContext,
) => MaybePromise<readonly FieldIssue[]>;

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

/** The same for a subresource. */
export function checkedSubresource(definition: SubresourceDefinition, check: WriteCheck): SubresourceDefinition {
  return { ...definition, store: (parent, host) => withWriteCheck(definition.store(parent, host), check) };
}
