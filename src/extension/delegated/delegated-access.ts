/**
 * The access to an extension server behind a parent. Users are identified by the parent's proxy, by its client
 * certificates and by its tokens. The parent authorizes their requests.
 */
import { namespaceLifecycle } from '../../admission/namespace-lifecycle.ts';
import type { WebhookHost } from '../../admission/post-review.ts';
import type { Transport } from '../../apimachinery/http/transport.ts';
import type { Clock } from '../../base/clock.ts';
import { Lifetime } from '../../base/lifetime.ts';
import type { Logger } from '../../base/logger.ts';
import { createClient } from '../../client/create-client.ts';
import type { InformerSet } from '../../client/informer.ts';
import { createInformerSet } from '../../client/informer-set.ts';
import type { Authenticator, TokenAuthenticator } from '../../server/authenticator.ts';
import { NOT_RECOGNIZED } from '../../server/authenticator.ts';
import { anonymousAuthenticator } from '../../server/filters/authentication/anonymous.ts';
import {
  bearerTokenAuthenticator,
  webSocketTokenAuthenticator,
} from '../../server/filters/authentication/bearer-token.ts';
import {
  FRONT_PROXY_AUTHORITY,
  requestHeaderAuthenticator,
  STANDARD_REQUEST_HEADERS,
} from '../../server/filters/authentication/request-header.ts';
import { createAuthenticator, unionTokenAuthenticator } from '../../server/filters/authentication/union.ts';
import { CLIENT_AUTHORITY, x509Authenticator } from '../../server/filters/authentication/x509.ts';
import type { Access } from '../access.ts';
import type { AuthenticationOptions, AuthorizationOptions } from '../extension-server.ts';
import { accessReviewAuthorizer } from './access-review.ts';
import { followAuthenticationInfo, type ParentAuthentication } from './authentication-info.ts';
import { parentAdmission } from './parent-admission.ts';
import { parentNamespaces } from './parent-namespaces.ts';
import type { ReviewSender } from './send-review.ts';
import { tokenReviewAuthenticator } from './token-review.ts';

export interface DelegatedAccessOptions {
  readonly authentication: AuthenticationOptions;
  readonly authorization: AuthorizationOptions;
  /** Sends requests to the parent. The caller stops it, after the access. */
  readonly transport: Transport;
  /** A cryptographic hash of a text. */
  readonly hash: (text: string) => string;
  /** Sends reviews to webhooks. The caller stops it. */
  readonly webhooks: WebhookHost['client'];
  /** Authenticates the tokens of requests from inside the process. */
  readonly own: TokenAuthenticator;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns a number in [0, 1). Default Math.random. */
  readonly random?: () => number;
}

/** How long answers of reviews are cached by default, as in k8s.io/apiserver. */
const CACHE_MS = 10_000;

/** Reads the authentication of the parent. Throws ConfigError if this user may not read it. */
export async function delegatedAccess(options: DelegatedAccessOptions): Promise<Access> {
  const { authentication, authorization, transport, webhooks, clock, logger, random = Math.random } = options;
  const lifetime = new Lifetime('delegated access');
  const client = createClient(transport);
  const followParent = (): InformerSet =>
    createInformerSet({
      transport,
      clock,
      random,
      onFailure: (error, { kind }) => logger.warn(`cannot follow ${kind.plural} of the parent: ${error.message}`),
    });
  const informers = followParent();
  lifetime.add('informers', () => informers.stop());
  const configurations = followParent();
  lifetime.add('informers of configurations', () => configurations.stop());
  try {
    const published = new PublishedAuthentication(authentication.clientCa ?? '');
    const info = await followAuthenticationInfo({
      client,
      informers,
      onChange: (next) => {
        published.set(next);
        logger.info('the parent published another authentication for extension servers');
      },
      onProblem: (error) => logger.error('the authentication that the parent publishes cannot be used', error),
    });
    lifetime.add('authentication', () => info.stop());
    published.set(info.first);
    const namespaces = parentNamespaces(client, informers, clock);
    informers.start();
    const sender: ReviewSender = { client, clock, random };
    const authorizer =
      authorization.authorizer ??
      accessReviewAuthorizer({
        ...sender,
        allowedCacheMs: authorization.allowedCacheMs ?? CACHE_MS,
        deniedCacheMs: authorization.deniedCacheMs ?? CACHE_MS,
        onFailure: (error) => logger.error('the parent cannot review an access', error),
      });
    const stop = (): Promise<void> => lifetime.stop();
    return {
      authenticate: authenticator(options, published, sender),
      authorizer,
      requestHeaders: () => published.headers,
      plugins: [
        namespaceLifecycle(namespaces.read),
        ...parentAdmission({ client, informers: configurations, webhooks, authorizer, clock, logger }),
      ],
      followConfigurations: () => configurations.start(),
      namespaces: namespaces.read,
      checks: [{ name: 'informer-sync', check: () => namespaces.problem() }],
      clientCas: () => published.clientCas(),
      onClientCas: (callback) => published.onChange(callback),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (caught) {
    await lifetime.stop();
    throw caught;
  }
}

function authenticator(
  { authentication, own, hash, logger }: DelegatedAccessOptions,
  published: PublishedAuthentication,
  sender: ReviewSender,
): Authenticator {
  const { tokens, audiences = [], tokenCacheMs = CACHE_MS, anonymous = true } = authentication;
  const reviewed = tokenReviewAuthenticator({
    ...sender,
    audiences,
    cacheMs: tokenCacheMs,
    hash,
    onFailure: (error) => logger.error('the parent cannot review a token', error),
  });
  const token = unionTokenAuthenticator([own, ...(tokens === undefined ? [] : [tokens]), reviewed]);
  return createAuthenticator({
    authenticators: [
      (incoming) => published.fromProxy(incoming),
      x509Authenticator(),
      bearerTokenAuthenticator(token),
      webSocketTokenAuthenticator(token),
    ],
    anonymous: anonymous ? anonymousAuthenticator() : undefined,
  });
}

/** The published authentication settings, in the forms that filters and listeners use. */
class PublishedAuthentication {
  headers = STANDARD_REQUEST_HEADERS;
  fromProxy: Authenticator = () => NOT_RECOGNIZED;
  readonly #ownClientCa: string;
  #current: ParentAuthentication = { clientCa: '', requestHeader: undefined };
  #changed: () => void = () => undefined;

  constructor(ownClientCa: string) {
    this.#ownClientCa = ownClientCa;
  }

  /** Replaces the settings. Throws ConfigError for an empty header name; the old settings then stay in use. */
  set(next: ParentAuthentication): void {
    const { requestHeader } = next;
    const fromProxy = requestHeader === undefined ? () => NOT_RECOGNIZED : requestHeaderAuthenticator(requestHeader);
    this.fromProxy = fromProxy;
    this.headers = requestHeader ?? STANDARD_REQUEST_HEADERS;
    this.#current = next;
    this.#changed();
  }

  onChange(callback: () => void): void {
    this.#changed = callback;
  }

  clientCas(): Readonly<Record<string, string>> {
    const { clientCa, requestHeader } = this.#current;
    const client = `${clientCa}\n${this.#ownClientCa}`;
    return {
      ...(client.trim() !== '' && { [CLIENT_AUTHORITY]: client }),
      ...(requestHeader && { [FRONT_PROXY_AUTHORITY]: requestHeader.ca }),
    };
  }
}
