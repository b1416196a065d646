/**
 * The access to a standalone extension server: client certificates of its own CA, and the tokens and the authorizer of
 * its options.
 */

import type { TokenAuthenticator } from '../server/authenticator.ts';
import { anonymousAuthenticator } from '../server/filters/authentication/anonymous.ts';
import {
  bearerTokenAuthenticator,
  webSocketTokenAuthenticator,
} from '../server/filters/authentication/bearer-token.ts';
import { createAuthenticator, unionTokenAuthenticator } from '../server/filters/authentication/union.ts';
import { CLIENT_AUTHORITY, x509Authenticator } from '../server/filters/authentication/x509.ts';
import { ALWAYS_DENY } from '../server/filters/authorizers.ts';
import type { Access } from './access.ts';
import type { AuthenticationOptions, AuthorizationOptions } from './extension-server.ts';

export interface StandaloneAccessOptions {
  readonly authentication: AuthenticationOptions;
  readonly authorization: AuthorizationOptions;
  /** The server's own CA, PEM. */
  readonly ca: string;
  /** Authenticates the tokens of requests from inside the process. */
  readonly own: TokenAuthenticator;
}

/** `namespaces` is undefined: a standalone server stores no namespaces, and objects can be created in any namespace. */
export function standaloneAccess({ authentication, authorization, ca, own }: StandaloneAccessOptions): Access {
  const { tokens, anonymous = true, clientCa = '' } = authentication;
  const authenticate = unionTokenAuthenticator([own, ...(tokens === undefined ? [] : [tokens])]);
  const stop = async (): Promise<void> => undefined;
  return {
    authenticate: createAuthenticator({
      authenticators: [
        x509Authenticator(),
        bearerTokenAuthenticator(authenticate),
        webSocketTokenAuthenticator(authenticate),
      ],
      anonymous: anonymous ? anonymousAuthenticator() : undefined,
    }),
    authorizer: authorization.authorizer ?? ALWAYS_DENY,
    requestHeaders: undefined,
    plugins: [],
    followConfigurations: () => undefined,
    namespaces: undefined,
    checks: [],
    clientCas: () => ({ [CLIENT_AUTHORITY]: `${ca}\n${clientCa}` }),
    onClientCas: () => undefined,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
