/**
 * Who may do what: the interface that authorizers implement and what they decide on. Invariant: plain data that nobody changes after authentication; an absent
 * text is ''.
 */
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';

/** One request; `path` counts only if it is not about a resource, the other names only if it is. */
export interface RequestAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  /** '' for a cluster-wide request. */
  readonly namespace: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  /** '' where the request names no object: list, watch, create, deletecollection. */
  readonly name: string;
  readonly path: string;
  readonly isResourceRequest: boolean;
}

export interface AuthorizationResult {
  /** `deny` ends the question; `no-opinion` asks the next authorizer, and is a refusal if there is none. */
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
  /** What went wrong on the way to the decision; '' if nothing. */
  readonly error: string;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface UserRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** The authorizer cannot list all it would allow. */
  readonly incomplete: boolean;
  readonly error: string;
}

export interface Authorizer {
  authorize(attributes: RequestAttributes): MaybePromise<AuthorizationResult>;
  /** What the user may do in a namespace, for SelfSubjectRulesReview. Absent: unknown, so the answer is incomplete. */
  rulesFor?(user: UserInfo, namespace: string): MaybePromise<UserRules>;
}

/** The group whose members may do anything: the server's own connections and the first admin are in it. */
export const MASTERS_GROUP = 'system:masters';
