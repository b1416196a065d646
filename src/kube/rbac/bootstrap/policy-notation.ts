/**
 * The notation of the bootstrap policy. A list is one string of words separated by spaces, in the order of the object's
 * list. The core group is written `core`.
 */

/** A rule: verbs, groups, resources and optionally resource names; or verbs and non-resource URLs. */
export type RuleFact =
  | readonly [verbs: string, groups: string, resources: string, names?: string]
  | readonly [verbs: string, paths: { readonly urls: string }];

export type RoleFacts = Readonly<Record<string, readonly RuleFact[]>>;

/** `account:` is a service account in kube-system. */
export type SubjectFact = `user:${string}` | `group:${string}` | `account:${string}`;

export const READ = 'get list watch';
export const WRITE = 'create delete deletecollection patch update';

/** The rule that a component needs to record events. */
export const EVENTS: RuleFact = ['create patch update', 'core events.k8s.io', 'events'];
