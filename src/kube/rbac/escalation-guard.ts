/**
 * Who writes a role or a binding must hold what it grants. Invariant: the check sees exactly the object that will be stored and the roles that are acknowledged at
 * that moment; members of system:masters pass, and so does who may `escalate` the role or `bind` it.
 */
import { quote } from '../../apimachinery/go-format.ts';
import { listAt, objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, forbidden, notFound, unknown } from '../../apimachinery/status/status-catalogue.ts';
import { checkPathSegmentName } from '../../apimachinery/validation/name-syntax.ts';
import { cloneJson, equalJson, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Authorizer } from '../../server/authorization.ts';
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
  /** The whole chain: another authorizer than RBAC may allow `escalate` and `bind`. */
  readonly authorizer: Authorizer;
  readonly rbac: Pick<RbacAuthorizer, 'index' | 'fresh'>;
}

/** Throws StatusError to refuse; `old` is undefined for a create. */
type Check = (object: JsonObject, old: JsonObject | undefined) => MaybePromise<void>;

/** Around the store of roles or clusterroles. */
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

/** Around the store of rolebindings or clusterrolebindings. */
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
    // The reference names the resource of the request beside the name of the role.
    throw new StatusError(notFound({ group: RBAC_GROUP, resource }, roleRef.name ?? ''));
  }
  const escalation = describeEscalation(index, user, namespace, role.rules);
  if (escalation === undefined) return;
  throw new StatusError(forbidden({ group: RBAC_GROUP, resource }, textAt(binding, 'metadata', 'name'), escalation));
}

/** The reference reads the role as a request would, and hands on what is wrong with the question. */
function whyUnreadable({ kind, name = '' }: RoleRef, namespace: string): string | undefined {
  if (kind !== 'Role' && kind !== 'ClusterRole') return undefined;
  if (kind === 'Role' && namespace === '') return 'Namespace parameter required.';
  if (name === '') return 'Name parameter required.';
  const problems = checkPathSegmentName(name);
  return problems.length === 0 ? undefined : `Name parameter invalid: ${quote(name)}: ${problems.join(';')}`;
}

/** The store with a check before each write; `checkFor` is asked once a request and says undefined if the caller needs none. */
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

/** What garbage collection changes grants nobody anything. */
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
