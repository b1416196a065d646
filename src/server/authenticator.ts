/** The interface of authenticators, which map the credentials of a request to a user. */
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Incoming } from './http/exchange.ts';

export type AuthenticationResult =
  | {
      readonly outcome: 'ok';
      readonly user: UserInfo;
      /**
       * The audiences that the credential and the server have in common. Absent if the credential is not bound to
       * audiences.
       */
      readonly audiences?: readonly string[];
      /** Annotations of the audit event. */
      readonly annotations?: Readonly<Record<string, string>>;
      /** Texts of `Warning` headers. */
      readonly warnings?: readonly string[];
    }
  /** The request has no credential that this authenticator understands. The next one is called. */
  | { readonly outcome: 'none' }
  /**
   * The request has a credential that this authenticator understands and that is wrong. Later authenticators are still
   * called. If none of them recognizes the request, the answer is 401; the message is logged and never sent.
   */
  | { readonly outcome: 'failed'; readonly message: string };

/** The shared result of `none`. */
export const NOT_RECOGNIZED: AuthenticationResult = { outcome: 'none' };

/**
 * Authenticates a request. Called once per request, before audit, impersonation, flow control and authorization. Must
 * not read the body. Answers synchronously where it can. A wrong credential is a result: an error is a 500.
 */
export type Authenticator = (incoming: Incoming) => MaybePromise<AuthenticationResult>;

/**
 * Authenticates a bearer token without its request: TokenReview calls it too. An empty `audiences` stands for those of
 * the server. Neither throws nor rejects for a wrong token: that is `failed`.
 */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => MaybePromise<AuthenticationResult>;
