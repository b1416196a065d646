/**
 * The RBAC authorizer. It decides from an index that subscribes to the listers of the four RBAC kinds.
 * Invariant: a decision sees every role and binding whose write was answered before `authorize` was called. `authorize`
 * returns a promise only while a lister is behind.
 */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type {
  AuthorizationResult,
  Authorizer,
  NonResourceRule,
  RequestAttributes,
  ResourceRule,
  UserRules,
} from '../../server/authorizer.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { PolicyRule } from './policy.ts';
import { RoleIndex } from './role-index.ts';
import { formatProblems } from './role-problem.ts';

export interface RbacListers {
  readonly roles: Lister;
  readonly clusterRoles: Lister;
  readonly roleBindings: Lister;
  readonly clusterRoleBindings: Lister;
}

export interface RbacAuthorizer extends Authorizer {
  /** For escalation checks. Call `fresh()` before reading it. */
  readonly index: RoleIndex;
  /** Waits until the index has seen every write that was answered before the call. */
  fresh(): MaybePromise<void>;
  /** Ends the subscriptions. Later decisions use the last state of the index. */
  stop(): void;
}

export function createRbacAuthorizer(listers: RbacListers): RbacAuthorizer {
  const index = new RoleIndex();
  const all = [listers.clusterRoles, listers.clusterRoleBindings, listers.roles, listers.roleBindings] as const;
  const subscriptions = [
    follow(
      listers.clusterRoles,
      (role) => index.applyClusterRole(role),
      (_namespace, name) => index.removeClusterRole(name),
    ),
    follow(
      listers.clusterRoleBindings,
      (binding) => index.applyClusterRoleBinding(binding),
      (_namespace, name) => index.removeClusterRoleBinding(name),
    ),
    follow(
      listers.roles,
      (role) => index.applyRole(role),
      (namespace, name) => index.removeRole(namespace, name),
    ),
    follow(
      listers.roleBindings,
      (binding) => index.applyRoleBinding(binding),
      (namespace, name) => index.removeRoleBinding(namespace, name),
    ),
  ];
  const fresh = (): MaybePromise<void> => {
    let waits: Promise<void>[] | undefined;
    for (const lister of all) {
      const wait = lister.fresh();
      if (isPromise(wait)) {
        waits ??= [];
        waits.push(wait);
      }
    }
    return waits === undefined ? undefined : Promise.all(waits).then(() => undefined);
  };
  return {
    index,
    fresh,
    authorize: (attributes) => andThen(fresh(), () => decide(index, attributes)),
    rulesFor: (user, namespace) => andThen(fresh(), () => rulesOf(index, user, namespace)),
    stop: () => {
      for (const subscription of subscriptions) subscription.stop();
    },
  };
}

/** Calls `apply` without a check of the object's type: stored objects were validated as objects of their kind. */
function follow(
  lister: Lister,
  apply: (object: JsonObject & object) => void,
  remove: (namespace: string, name: string) => void,
): { stop(): void } {
  return lister.subscribe((changes) => {
    for (const { namespace, name, object } of changes) {
      if (object === undefined) remove(namespace, name);
      else apply(object);
    }
  });
}

function decide(index: RoleIndex, attributes: RequestAttributes): AuthorizationResult {
  const { decision, reason } = index.authorize(attributes);
  return { decision, reason, error: '' };
}

function rulesOf(index: RoleIndex, user: UserInfo, namespace: string): UserRules {
  const { rules, problems } = index.rulesFor(user, namespace);
  return {
    resourceRules: rules.filter((rule) => (rule.resources ?? []).length > 0).map(resourceRule),
    nonResourceRules: rules.filter((rule) => (rule.nonResourceURLs ?? []).length > 0).map(nonResourceRule),
    incomplete: false,
    error: problems.length === 0 ? '' : formatProblems(problems, 'authorizer'),
  };
}

function resourceRule(rule: PolicyRule): ResourceRule {
  return {
    verbs: rule.verbs ?? [],
    apiGroups: rule.apiGroups ?? [],
    resources: rule.resources ?? [],
    resourceNames: rule.resourceNames ?? [],
  };
}

function nonResourceRule(rule: PolicyRule): NonResourceRule {
  return { verbs: rule.verbs ?? [], nonResourceURLs: rule.nonResourceURLs ?? [] };
}
