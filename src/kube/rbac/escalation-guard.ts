/**
 * Stores of the four RBAC kinds that refuse privilege escalation: a user can only grant permissions that the user
 * holds. Members of system:masters, and users who are allowed the verb `escalate` on a role or `bind` on a bound role,
 * are exempt.
 * Invariant: the check sees exactly the object that will be stored, and every role whose write was answered before it.
 */
import { quote } from '../../apimachinery/go-format.ts';
import { listAt, objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, forbidden, notFound, unknown } from '../../apimachinery/status/status-catalogue.ts';
import { checkPathSegmentName } from '../../apimachinery/validation/name-syntax.ts';
import { cloneJson, equalJson, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import { delegateStore } from '../../server/resource/delegate-store.ts';
import type { ObjectChange, ResourceContext, ResourceStore } from '../../server/resource/resource-store.ts';
import {
  AGGREGATION_NEEDS_ADMIN,
  bindAttributes,
  describeEscalation,
  escalateAttributes,
  FULL_AUTHORITY,
  mayAlwaysEscalate,
} from './escalation.ts';
import { type Binding, type ClusterRole, RBAC_GROUP, type RoleRef } from './policy.ts';
import type { RbacAuthorizer } from './rbac-authorizer.ts';
import { formatProblem } from './role-problem.ts';

export interface EscalationGuardOptions {
  /** The union of all authorizers: not only RBAC may allow `escalate` and `bind`. */
  readonly authorizer: Authorizer;
  readonly rbac: Pick<RbacAuthorizer, 'index' | 'fresh'>;
}

/** Throws StatusError to refuse the write. `old` is undefined on create. */
type Check = (object: JsonObject, old: JsonObject | undefined) => MaybePromise<void>;

/** Wraps the store of roles or clusterroles. */
export function guardRoles(store: ResourceStore, resource: string, options: EscalationGuardOptions): ResourceStore {
  return guard(store, (context) => {
    const { user } = context.request;
    const { namespace } = context;
    const asked = escalateAttributes(user, { apiGroup: RBAC_GROUP, resource, name: context.name, namespace });
    return andThen(options.authorizer.authorize(asked), ({ decision }): Check | undefined => {
      if (decision === 'allow') return undefined;
      return (role, old) =>
        andThen(options.rbac.fresh(), () => checkRole(options, user, namespace, resource, role, old));
    });
  });
}

function checkRole(
  options: EscalationGuardOptions,
  user: UserInfo,
  namespace: string,
  resource: string,
  role: JsonObject,
  old: JsonObject | undefined,
): void {
  const refuse = (because: string): never => {
    throw new StatusError(forbidden({ group: RBAC_GROUP, resource }, textAt(role, 'metadata', 'name'), because));
  };
  const { index } = options.rbac;
  const escalation = describeEscalation(index, user, namespace, (role as ClusterRole).rules);
  if (escalation !== undefined) refuse(escalation);
  const aggregates = hasAggregation(role) || (old !== undefined && hasAggregation(old));
  if (aggregates && describeEscalation(index, user, namespace, FULL_AUTHORITY) !== undefined)
    refuse(AGGREGATION_NEEDS_ADMIN);
}

function hasAggregation(role: JsonObject): boolean {
  return listAt(role, 'aggregationRule', 'clusterRoleSelectors').length > 0;
}

/** Wraps the store of rolebindings or clusterrolebindings. */
export function guardBindings(store: ResourceStore, resource: string, options: EscalationGuardOptions): ResourceStore {
  return guard(store, ({ request: { user }, namespace }) => (binding) => {
    const roleRef = (binding as Binding<string>).roleRef ?? {};
    const asked = bindAttributes(user, roleRef, namespace);
    const allowed = asked === undefined ? false : andThen(options.authorizer.authorize(asked), isAllowed);
    return andThen(allowed, (mayBind) => {
      if (mayBind) return undefined;
      return andThen(options.rbac.fresh(), () => checkBinding(options, user, namespace, resource, binding));
    });
  });
}

function isAllowed({ decision }: { readonly decision: string }): boolean {
  return decision === 'allow';
}

function checkBinding(
  options: EscalationGuardOptions,
  user: UserInfo,
  namespace: string,
  resource: string,
  binding: JsonObject,
): void {
  const { index } = options.rbac;
  const roleRef = (binding as Binding<string>).roleRef ?? {};
  const unreadable = whyUnreadable(roleRef, namespace);
  if (unreadable !== undefined) throw new StatusError(badRequest(unreadable));
  const role = index.resolveRole(roleRef, namespace);
  if ('problem' in role) {
    if (role.problem === 'unsupported-kind') throw new StatusError(unknown(formatProblem(role, 'storage')));
    // As in the reference, the message combines the resource of the request with the name of the role.
    throw new StatusError(notFound({ group: RBAC_GROUP, resource }, roleRef.name ?? ''));
  }
  const escalation = describeEscalation(index, user, namespace, role.rules);
  if (escalation === undefined) return;
  throw new StatusError(forbidden({ group: RBAC_GROUP, resource }, textAt(binding, 'metadata', 'name'), escalation));
}

/**
 * Returns the error of a GET for the role, if such a request is malformed. The reference reads the role with a GET and
 * returns that request's error.
 */
function whyUnreadable({ kind, name = '' }: RoleRef, namespace: string): string | undefined {
  if (kind !== 'Role' && kind !== 'ClusterRole') return undefined;
  if (kind === 'Role' && namespace === '') return 'Namespace parameter required.';
  if (name === '') return 'Name parameter required.';
  const problems = checkPathSegmentName(name);
  return problems.length === 0 ? undefined : `Name parameter invalid: ${quote(name)}: ${problems.join(';')}`;
}

/**
 * Wraps a store with a check before each create and update. `checkFor` is called once per request and returns undefined
 * if the user needs no check.
 */
function guard(
  store: ResourceStore,
  checkFor: (context: ResourceContext) => MaybePromise<Check | undefined>,
): ResourceStore {
  const { create, update } = store;
  const checkOf = (context: ResourceContext): MaybePromise<Check | undefined> =>
    mayAlwaysEscalate(context.request.user) ? undefined : checkFor(context);
  return delegateStore(store, {
    create:
      create &&
      ((context, object, request) =>
        andThen(checkOf(context), (check) =>
          andThen(check?.(object, undefined), () => create.call(store, context, object, request)),
        )),
    update:
      update &&
      ((context, change, request) =>
        andThen(checkOf(context), (check) =>
          update.call(store, context, check === undefined ? change : checkedChange(change, check), request),
        )),
  });
}

function checkedChange(change: ObjectChange, check: Check): ObjectChange {
  return {
    preconditions: change.preconditions,
    apply: (current) => {
      const old = current === undefined ? undefined : cloneJson(current);
      return andThen(change.apply(current), (next) => {
        if (old !== undefined && changesOnlyOwnership(next, old)) return next;
        return andThen(check(next, old), () => next);
      });
    },
  };
}

/** Returns true if only fields differ that garbage collection writes: they grant no permissions. */
export function changesOnlyOwnership(next: JsonObject, old: JsonObject): boolean {
  return equalJson(withoutOwnership(next), withoutOwnership(old));
}

function withoutOwnership(object: JsonObject): JsonObject {
  const {
    ownerReferences: _owners,
    finalizers: _finalizers,
    managedFields: _fields,
    ...metadata
  } = objectAt(object, 'metadata') ?? {};
  return { ...object, metadata };
}
