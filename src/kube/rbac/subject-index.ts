/**
 * An index from subjects to the bindings of one namespace, or to the cluster-wide bindings.
 * Invariant: a binding has exactly one entry per distinct subject, with the position of the subject's first occurrence.
 * A service account is indexed under its user name. The cost of adding or removing a binding depends only on its own
 * subjects.
 */
import { quote } from '../../apimachinery/go-format.ts';
import { serviceAccountUsername } from '../../apimachinery/meta/service-account-user.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { type Binding, nameOf, type RoleRef, type Subject } from './policy.ts';

/** The fields of a binding that a decision needs. */
export interface Grant {
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subjectCount: number;
}

/** A binding and one of its subjects. */
export interface GrantEntry {
  readonly grant: Grant;
  /** The index of the subject in the binding. */
  readonly position: number;
  /** A description of binding, role and subject for the reason of a decision. */
  readonly source: string;
}

/** Entries by binding name, in insertion order. */
export type GrantEntries = ReadonlyMap<string, GrantEntry>;

interface SubjectKeys {
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

export class SubjectIndex {
  /** '' for the cluster-wide bindings. */
  readonly #namespace: string;
  readonly #keys = new Map<string, SubjectKeys>();
  readonly #users = new Map<string, Map<string, GrantEntry>>();
  readonly #groups = new Map<string, Map<string, GrantEntry>>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  /** Adds the binding, or replaces the binding with the same name. */
  apply(binding: Binding<string>): void {
    const name = nameOf(binding);
    const subjects = binding.subjects ?? [];
    const grant: Grant = { name, roleRef: binding.roleRef ?? {}, subjectCount: subjects.length };
    const users = new Map<string, GrantEntry>();
    const groups = new Map<string, GrantEntry>();
    subjects.forEach((subject, position) => {
      const to = subject.kind === 'Group' ? groups : users;
      const key = subject.kind === 'Group' ? (subject.name ?? '') : this.#userNameOf(subject);
      if (key === undefined || to.has(key)) return;
      to.set(key, { grant, position, source: this.#describe(grant, subject) });
    });
    const before = this.#keys.get(name);
    for (const key of before?.users ?? []) if (!users.has(key)) removeEntry(this.#users, key, name);
    for (const key of before?.groups ?? []) if (!groups.has(key)) removeEntry(this.#groups, key, name);
    for (const [key, entry] of users) setEntry(this.#users, key, entry);
    for (const [key, entry] of groups) setEntry(this.#groups, key, entry);
    this.#keys.set(name, { users: new Set(users.keys()), groups: new Set(groups.keys()) });
  }

  /** Does nothing for an unknown name. */
  remove(name: string): void {
    const keys = this.#keys.get(name);
    if (keys === undefined) return;
    for (const key of keys.users) removeEntry(this.#users, key, name);
    for (const key of keys.groups) removeEntry(this.#groups, key, name);
    this.#keys.delete(name);
  }

  ofUser(name: string): GrantEntries | undefined {
    return this.#users.get(name);
  }

  ofGroup(group: string): GrantEntries | undefined {
    return this.#groups.get(group);
  }

  /**
   * Returns one entry per binding that applies to the user, for the first of its subjects that matches. Bindings to the
   * user name come first, then those to the groups in their order.
   */
  entriesOf(user: UserInfo): GrantEntry[] {
    const found = new Map<string, GrantEntry>();
    const add = (entries: GrantEntries | undefined): void => {
      for (const [name, entry] of entries ?? []) if (!found.has(name)) found.set(name, this.firstEntry(entry, user));
    };
    add(this.ofUser(user.name));
    for (const group of user.groups) add(this.ofGroup(group));
    return [...found.values()];
  }

  /** Returns the entry of the same binding whose subject is the first that matches the user. */
  firstEntry(entry: GrantEntry, user: UserInfo): GrantEntry {
    if (entry.grant.subjectCount === 1) return entry;
    const { name } = entry.grant;
    let first = entry;
    for (const group of user.groups) {
      const other = this.#groups.get(group)?.get(name);
      if (other !== undefined && other.position < first.position) first = other;
    }
    const own = this.#users.get(user.name)?.get(name);
    return own !== undefined && own.position < first.position ? own : first;
  }

  /**
   * Returns undefined for a subject that matches no user: an unknown kind, or a service account without a namespace.
   */
  #userNameOf(subject: Subject): string | undefined {
    const { kind, name = '' } = subject;
    if (kind === 'User') return name;
    if (kind !== 'ServiceAccount') return undefined;
    const namespace = subject.namespace || this.#namespace;
    return namespace === '' ? undefined : serviceAccountUsername(namespace, name);
  }

  #describe(grant: Grant, subject: Subject): string {
    const { kind = '', name = '' } = subject;
    const who = kind === 'ServiceAccount' ? `${name}/${subject.namespace || this.#namespace}` : name;
    const binding =
      this.#namespace === ''
        ? `ClusterRoleBinding ${quote(grant.name)}`
        : `RoleBinding ${quote(`${grant.name}/${this.#namespace}`)}`;
    return `${binding} of ${grant.roleRef.kind ?? ''} ${quote(grant.roleRef.name ?? '')} to ${kind} ${quote(who)}`;
  }
}

function setEntry(index: Map<string, Map<string, GrantEntry>>, key: string, entry: GrantEntry): void {
  const entries = index.get(key);
  if (entries === undefined) index.set(key, new Map([[entry.grant.name, entry]]));
  else entries.set(entry.grant.name, entry);
}

function removeEntry(index: Map<string, Map<string, GrantEntry>>, key: string, name: string): void {
  const entries = index.get(key);
  entries?.delete(name);
  if (entries?.size === 0) index.delete(key);
}
