/**
 * The in-memory index of roles and bindings that RBAC decides from.
 * Invariant: whether a request is allowed depends only on the objects that are in the index, not on the order of
 * changes. A decision reads only the bindings of the user (cluster-wide ones first; user name before groups) and, of
 * each role, only the rules that list the requested resource.
 */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { RequestAttributes } from '../../server/authorizer.ts';
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

/** RBAC never denies. After `no-opinion` another authorizer may allow. */
export interface RbacDecision {
  readonly decision: 'allow' | 'no-opinion';
  /** For `allow`: the binding that allows. For `no-opinion`: the user's roles that do not exist, or ''. */
  readonly reason: string;
}

/**
 * Called for each rule with a description of its binding, or for a binding whose role is missing. False ends the visit.
 */
export type RuleVisitor = (
  found: { readonly source: string; readonly rule: PolicyRule } | RoleProblem,
) => boolean | undefined;

const NO_OPINION: RbacDecision = { decision: 'no-opinion', reason: '' };

export class RoleIndex {
  readonly #clusterRoles = new Map<string, RuleTable>();
  readonly #roles = new Map<string, Map<string, RuleTable>>();
  readonly #clusterGrants = new SubjectIndex('');
  readonly #grants = new Map<string, SubjectIndex>();

  /** Adds the role, or replaces the role with the same name. The other `apply` methods do the same for their kinds. */
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

  /** Does nothing for an unknown name, like the other `remove` methods. */
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
   * Visits every rule that applies to a user in a namespace, one binding after another, each binding once. For the
   * namespace '' it visits cluster-wide bindings only.
   */
  visitRulesFor(user: UserInfo, namespace: string, visit: RuleVisitor): void {
    const local = namespace === '' ? undefined : this.#grants.get(namespace);
    if (this.#visitGrants(this.#clusterGrants, '', user, visit) && local !== undefined)
      this.#visitGrants(local, namespace, user, visit);
  }

  /** Returns all rules that apply to a user in a namespace, and the references to roles that do not exist. */
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

  /**
   * Returns the rules of the role that a binding in `namespace` refers to. The namespace of a ClusterRoleBinding is ''.
   */
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

  /** Returns false if the visitor ended the visit. */
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
