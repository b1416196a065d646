/**
 * The roles and bindings of a server, and the decisions they give. Invariant: after each call that applies or removes an object the
 * answers are those of the objects now held. A decision looks only at the caller's own bindings (of its name, then of its groups;
 * cluster-wide ones first) and, of a role, at the rules that name the resource.
 */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { RequestAttributes } from '../../server/authorization.ts';
import {
  type ClusterRole,
  type ClusterRoleBinding,
  nameOf,
  namespaceOf,
  type PolicyRule,
  type Role,
  type RoleBinding,
  type RoleRef,
} from './policy.ts';
import { formatProblems, type RoleProblem } from './role-problem.ts';
import { compileRules, type RuleTable, tableAllows } from './rule-table.ts';
import { type GrantEntries, SubjectIndex } from './subject-index.ts';

/** `allow`, or nothing to say: then another authorizer may allow. RBAC never denies. */
export interface RbacDecision {
  readonly decision: 'allow' | 'no-opinion';
  /** Which binding allows; or which of the caller's roles are missing, '' if none is. */
  readonly reason: string;
}

/** Told of each rule and whence it comes, or of a binding that has none; false ends the visit. */
export type RuleVisitor = (
  found: { readonly source: string; readonly rule: PolicyRule } | RoleProblem,
) => boolean | undefined;

const NO_OPINION: RbacDecision = { decision: 'no-opinion', reason: '' };

export class RoleIndex {
  readonly #clusterRoles = new Map<string, RuleTable>();
  readonly #roles = new Map<string, Map<string, RuleTable>>();
  readonly #clusterGrants = new SubjectIndex('');
  readonly #grants = new Map<string, SubjectIndex>();

  /** Adds the role, or replaces the one of its name; so do the other `apply` methods. */
  applyClusterRole(role: ClusterRole): void {
    this.#clusterRoles.set(nameOf(role), compileRules(role.rules));
  }

  applyRole(role: Role): void {
    const roles = this.#roles.get(namespaceOf(role)) ?? new Map<string, RuleTable>();
    roles.set(nameOf(role), compileRules(role.rules));
    this.#roles.set(namespaceOf(role), roles);
  }

  applyClusterRoleBinding(binding: ClusterRoleBinding): void {
    this.#clusterGrants.apply(binding);
  }

  applyRoleBinding(binding: RoleBinding): void {
    const namespace = namespaceOf(binding);
    const grants = this.#grants.get(namespace) ?? new SubjectIndex(namespace);
    grants.apply(binding);
    this.#grants.set(namespace, grants);
  }

  /** Nothing happens if there is no such object; so with the other `remove` methods. */
  removeClusterRole(name: string): void {
    this.#clusterRoles.delete(name);
  }

  removeRole(namespace: string, name: string): void {
    const roles = this.#roles.get(namespace);
    roles?.delete(name);
    if (roles?.size === 0) this.#roles.delete(namespace);
  }

  removeClusterRoleBinding(name: string): void {
    this.#clusterGrants.remove(name);
  }

  removeRoleBinding(namespace: string, name: string): void {
    const grants = this.#grants.get(namespace);
    grants?.remove(name);
    if (grants?.isEmpty === true) this.#grants.delete(namespace);
  }

  /** Whether the caller's roles allow the request. */
  authorize(attributes: RequestAttributes): RbacDecision {
    const problems: RoleProblem[] = [];
    const { namespace } = attributes;
    const local = namespace === '' ? undefined : this.#grants.get(namespace);
    const source =
      this.#allowingSource(this.#clusterGrants, '', attributes, problems) ??
      (local === undefined ? undefined : this.#allowingSource(local, namespace, attributes, problems));
    if (source !== undefined) return { decision: 'allow', reason: `RBAC: allowed by ${source}` };
    if (problems.length === 0) return NO_OPINION;
    return { decision: 'no-opinion', reason: `RBAC: ${formatProblems(problems, 'authorizer')}` };
  }

  /**
   * Visits every rule that applies to a user in a namespace ('' for the cluster-wide ones alone), binding by binding, each binding once.
   */
  visitRulesFor(user: UserInfo, namespace: string, visit: RuleVisitor): void {
    const local = namespace === '' ? undefined : this.#grants.get(namespace);
    if (this.#visitGrants(this.#clusterGrants, '', user, visit) && local !== undefined)
      this.#visitGrants(local, namespace, user, visit);
  }

  /** All rules that apply to a user in a namespace, and the bindings that give none. */
  rulesFor(user: UserInfo, namespace: string): { rules: PolicyRule[]; problems: RoleProblem[] } {
    const rules: PolicyRule[] = [];
    const problems: RoleProblem[] = [];
    this.visitRulesFor(user, namespace, (found) => {
      if ('rule' in found) rules.push(found.rule);
      else problems.push(found);
      return true;
    });
    return { rules, problems };
  }

  /** The rules of the role that a binding in `namespace` ('' for a cluster-wide one) refers to. */
  resolveRole(roleRef: RoleRef, namespace: string): { readonly rules: readonly PolicyRule[] } | RoleProblem {
    const table = this.#tableOf(roleRef, namespace);
    return table === undefined ? problemOf(roleRef) : { rules: table.rules };
  }

  #allowingSource(
    grants: SubjectIndex,
    namespace: string,
    attributes: RequestAttributes,
    problems: RoleProblem[],
  ): string | undefined {
    const { name, groups } = attributes.user;
    const test = (entries: GrantEntries | undefined): string | undefined => {
      if (entries === undefined) return undefined;
      for (const entry of entries.values()) {
        const { roleRef } = entry.grant;
        const table = this.#tableOf(roleRef, namespace);
        if (table === undefined) problems.push(problemOf(roleRef));
        else if (tableAllows(table, attributes)) return grants.firstEntry(entry, attributes.user).source;
      }
      return undefined;
    };
    const byName = test(grants.ofUser(name));
    if (byName !== undefined) return byName;
    for (const group of groups) {
      const byGroup = test(grants.ofGroup(group));
      if (byGroup !== undefined) return byGroup;
    }
    return undefined;
  }

  /** False if the visitor ended the visit. */
  #visitGrants(grants: SubjectIndex, namespace: string, user: UserInfo, visit: RuleVisitor): boolean {
    for (const { grant, source } of grants.entriesOf(user)) {
      const table = this.#tableOf(grant.roleRef, namespace);
      if (table === undefined) {
        if (visit(problemOf(grant.roleRef)) === false) return false;
      } else {
        for (const rule of table.rules) if (visit({ source, rule }) === false) return false;
      }
    }
    return true;
  }

  #tableOf(roleRef: RoleRef, namespace: string): RuleTable | undefined {
    const { kind, name = '' } = roleRef;
    if (kind === 'ClusterRole') return this.#clusterRoles.get(name);
    return kind === 'Role' ? this.#roles.get(namespace)?.get(name) : undefined;
  }
}

function problemOf(roleRef: RoleRef): RoleProblem {
  const known = roleRef.kind === 'Role' || roleRef.kind === 'ClusterRole';
  return { problem: known ? 'missing' : 'unsupported-kind', roleRef };
}
