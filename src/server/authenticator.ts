/**
 * Who asks: the interface that authenticators implement. Invariant: an authenticator that finds nothing it understands says `none`, so that the
 * next one is asked; `failed` is a credential that is there and wrong.
 */
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Incoming } from './http/exchange.ts';

export type AuthenticationResult =
  | {
      readonly outcome: 'ok';
      readonly user: UserInfo;
      /** The audiences that the credential and the server share; undefined if it is bound to none. */
      readonly audiences?: readonly string[];
      /** For the audit event and for Warning headers. */
      readonly annotations?: Readonly<Record<string, string>>;
      readonly warnings?: readonly string[];
    }
  | { readonly outcome: 'none' }
  /** Others may still recognize the request; if nobody does, it is 401 and this goes to the log, never to the client. */
  | { readonly outcome: 'failed'; readonly message: string };

export const NOT_RECOGNIZED: AuthenticationResult = { outcome: 'none' };

export type Authenticator = (incoming: Incoming) => MaybePromise<AuthenticationResult>;

/** A bearer token, without the request around it: TokenReview asks too. `audiences` empty: those of the server. */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => MaybePromise<AuthenticationResult>;
