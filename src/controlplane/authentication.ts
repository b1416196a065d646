/**
 * The authenticator of a control plane, composed in kube-apiserver's order: front proxy, client certificate, bearer
 * tokens, anonymous.
 */
import { sha256 } from '../base/sha256.ts';
import type { Authenticator, TokenAuthenticator } from '../server/authenticator.ts';
import { anonymousAuthenticator } from '../server/filters/authentication/anonymous.ts';
import {
  bearerTokenAuthenticator,
  webSocketTokenAuthenticator,
} from '../server/filters/authentication/bearer-token.ts';
import type { Loopback } from '../server/filters/authentication/loopback.ts';
import {
  type RequestHeaderNames,
  requestHeaderAuthenticator,
} from '../server/filters/authentication/request-header.ts';
import { parseTokenFile } from '../server/filters/authentication/token-file.ts';
import { createAuthenticator, unionTokenAuthenticator } from '../server/filters/authentication/union.ts';
import { x509Authenticator } from '../server/filters/authentication/x509.ts';
import type { CompletedOptions } from './complete-options.ts';

export interface TokenAuthentication {
  readonly authenticate: TokenAuthenticator;
  readonly warnings: readonly string[];
}

/**
 * Makes the authenticator of bearer tokens, which tries the server's own tokens, then those of the token file, then
 * those of service accounts. Throws ConfigError for an invalid token file.
 */
export function tokenAuthentication(
  { tokenFile }: CompletedOptions,
  loopback: Loopback,
  serviceAccounts: TokenAuthenticator,
): TokenAuthentication {
  const file = tokenFile === undefined ? undefined : parseTokenFile(tokenFile.text, tokenFile.path);
  const all = [loopback.authenticate, ...(file === undefined ? [] : [file.authenticate]), serviceAccounts];
  return { authenticate: unionTokenAuthenticator(all), warnings: file?.warnings ?? [] };
}

export function requestHeaderNames({ options }: CompletedOptions): RequestHeaderNames {
  const { usernameHeaders, uidHeaders, groupHeaders, extraHeaderPrefixes } = options.authentication.requestHeader;
  return { username: usernameHeaders, uid: uidHeaders, group: groupHeaders, extraPrefix: extraHeaderPrefixes };
}

export function composeAuthenticator(completed: CompletedOptions, tokens: TokenAuthenticator): Authenticator {
  const { anonymous, requestHeader } = completed.options.authentication;
  return createAuthenticator({
    authenticators: [
      requestHeaderAuthenticator({ ...requestHeaderNames(completed), allowedNames: requestHeader.allowedNames }),
      x509Authenticator({ sha256 }),
      bearerTokenAuthenticator(tokens),
      webSocketTokenAuthenticator(tokens),
    ],
    anonymous: anonymous ? anonymousAuthenticator() : undefined,
  });
}
