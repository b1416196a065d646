/**
 * The authenticator of a control plane, composed in the reference's order: front proxy, client certificate, bearer
 * tokens, anonymous. Invariant: the token of the server's own requests is never written to a file or a log.
 */
import type { Transport } from '../apimachinery/http/transport.ts';
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

/** The random token that authenticates the server's own requests as `system:apiserver`. */
export class Loopback {
  readonly #token: string;
  readonly #result: AuthenticationResult = { outcome: 'ok', user: SERVER_USER };

  constructor() {
    this.#token = encodeBase64Url(globalThis.crypto.getRandomValues(new Uint8Array(32)));
  }

  readonly authenticate: TokenAuthenticator = (token) => (token === this.#token ? this.#result : NOT_RECOGNIZED);

  /** Adds the token to requests without an `authorization` header. */
  transport(handler: Handler): Transport {
    const send = inProcess(handler);
    const authorization = `Bearer ${this.#token}`;
    return (request) => send({ ...request, headers: { authorization, ...request.headers } });
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
