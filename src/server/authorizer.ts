/** The interface of authorizers, and the attributes of a request that they decide on. Absent strings are ''. */
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';

/**
 * The attributes of one request. Authorizers decide on the group, resource, subresource and name of a resource request,
 * and on the path of any other request. They must not change the attributes.
 */
export interface RequestAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  /** '' for a request across all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  /** '' for requests that do not name an object: list, watch, create, deletecollection. */
  readonly name: string;
  readonly path: string;
  readonly isResourceRequest: boolean;
}

export interface AuthorizationResult {
  /** `deny` is final. After `no-opinion` the next authorizer is called; without one, the request is refused. */
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  /** Sent to the client with a refusal, and recorded in the audit event. '' for none. */
  readonly reason: string;
  /** The error that the authorizer met. Sent with a refusal, ignored if the request is allowed. '' for none. */
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
  /** True if the authorizer cannot list everything that it would allow. */
  readonly incomplete: boolean;
  readonly error: string;
}

export interface Authorizer {
  /**
   * Decides on one request. Called once per request after authentication and impersonation, and by access reviews. Must
   * not change the attributes. Answers synchronously where it can; a failure is an `error`, not a rejection.
   */
  authorize(attributes: RequestAttributes): MaybePromise<AuthorizationResult>;
  /**
   * Returns what the user may do in a namespace, for SelfSubjectRulesReview. An authorizer without this method makes
   * the answer incomplete.
   */
  rulesFor?(user: UserInfo, namespace: string): MaybePromise<UserRules>;
}

/** The group whose members may do anything. The server's own connections and the first administrator are members. */
export const MASTERS_GROUP = 'system:masters';
