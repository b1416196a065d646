/**
 * The authenticator of a control plane, composed in the reference's order: front proxy, client certificate, bearer
 * tokens, anonymous. Invariant: the tokens of requests from inside the process are never written to a file or a log.
 */
import type { HttpHeaders, Transport } from '../apimachinery/http/transport.ts';
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import { sha256 } from '../base/sha256.ts';
import { encodeBase64Url } from '../pki/base64url.ts';
import {
  type AuthenticationResult,
  type Authenticator,
  NOT_RECOGNIZED,
  type TokenAuthenticator,
} from '../server/authenticator.ts';
import { anonymousAuthenticator } from '../server/filters/authentication/anonymous.ts';
import {
  bearerTokenAuthenticator,
  webSocketTokenAuthenticator,
} from '../server/filters/authentication/bearer-token.ts';
import {
  type RequestHeaderNames,
  requestHeaderAuthenticator,
} from '../server/filters/authentication/request-header.ts';
import { parseTokenFile } from '../server/filters/authentication/token-file.ts';
import { createAuthenticator, unionTokenAuthenticator } from '../server/filters/authentication/union.ts';
import { x509Authenticator } from '../server/filters/authentication/x509.ts';
import type { Handler } from '../server/http/exchange.ts';
import { inProcess } from '../server/http/in-process.ts';
import { SERVER_USER } from '../server/own/own-context.ts';
import type { CompletedOptions } from './complete-options.ts';

/** The random tokens that authenticate requests from inside the process: as `system:apiserver`, or as another user. */
export class Loopback {
  /** By token. */
  readonly #users = new Map<string, AuthenticationResult>();

  readonly authenticate: TokenAuthenticator = (token) => this.#users.get(token) ?? NOT_RECOGNIZED;

  /** Authenticates requests without an `authorization` header as the user. Default: the server itself. */
  transport(handler: Handler, user: UserInfo = SERVER_USER, headers: HttpHeaders = {}): Transport {
    const token = encodeBase64Url(globalThis.crypto.getRandomValues(new Uint8Array(32)));
    this.#users.set(token, { outcome: 'ok', user });
    const send = inProcess(handler);
    const own = { authorization: `Bearer ${token}`, ...headers };
    return (request) => send({ ...request, headers: { ...own, ...request.headers } });
  }
}

export interface TokenAuthentication {
  readonly authenticate: TokenAuthenticator;
  readonly warnings: readonly string[];
}

/**
 * Authenticates bearer tokens: the server's own, those of the token file, then those of service accounts. Throws
 * ConfigError for an invalid token file.
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
