/**
 * The notation of the bootstrap policy. Invariant: plain data; lists are words separated by spaces, in the order in which they appear in
 * the object, and the core group is written `core`.
 */

/** Verbs, groups, resources and, if only some objects are meant, their names; or verbs and URLs. */
export type RuleFact =
  | readonly [verbs: string, groups: string, resources: string, names?: string]
  | readonly [verbs: string, paths: { readonly urls: string }];

export type RoleFacts = Readonly<Record<string, readonly RuleFact[]>>;

/** An account is one of kube-system. */
export type SubjectFact = `user:${string}` | `group:${string}` | `account:${string}`;

export const READ = 'get list watch';
export const WRITE = 'create delete deletecollection patch update';

/** What everyone needs who records events. */
export const EVENTS: RuleFact = ['create patch update', 'core events.k8s.io', 'events'];
