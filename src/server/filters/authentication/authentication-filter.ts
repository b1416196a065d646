/**
 * The authentication filter.
 *
 * Invariants: after this filter every request has a user, and the headers with credentials (`Authorization`, those of
 * front proxies) are hidden. A refused client gets a 401 without a reason; the reason is logged.
 */
import { unauthorized } from '../../../apimachinery/status/status-catalogue.ts';
import type { Logger } from '../../../base/logger.ts';
import { isPromise, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Counter } from '../../../base/metrics/metric-registry.ts';
import type { AuthenticationResult, Authenticator } from '../../authenticator.ts';
import type { Answer } from '../../http/exchange.ts';
import { statusAnswer } from '../../http/respond.ts';
import type { RequestFilter, RequestHandler, ServerRequest } from '../../http/server-request.ts';
import type { ServerMetrics } from '../../metrics/server-metrics.ts';
import { type HiddenHeader, IncomingWithoutHeaders } from '../hidden-headers.ts';
import { isAnonymous } from './anonymous.ts';
import { hasSpacedToken, SPACED_TOKEN_WARNING } from './bearer-token.ts';

export interface AuthenticationOptions {
  readonly authenticate: Authenticator;
  readonly logger: Logger;
  readonly metrics: ServerMetrics | undefined;
  /** The headers of front proxies, from `proxyHeaderHider`. */
  readonly isProxyHeader: HiddenHeader;
  /** Called with every 401. */
  readonly onRefused: (request: ServerRequest, answer: Answer) => void;
}

export function withAuthentication(options: AuthenticationOptions): RequestFilter {
  const { authenticate, isProxyHeader } = options;
  const isHidden: HiddenHeader = (name) => name === 'authorization' || isProxyHeader(name);
  const attempts = options.metrics && {
    success: options.metrics.authenticationAttempts.labels('success'),
    failure: options.metrics.authenticationAttempts.labels('failure'),
    error: options.metrics.authenticationAttempts.labels('error'),
  };
  return (next) => {
    const decide = (request: ServerRequest, result: AuthenticationResult): MaybePromise<Answer> => {
      attempts?.[attemptOf(result)].add();
      return result.outcome === 'ok' ? accept(next, request, result, isHidden) : refuse(request, result, options);
    };
    return (request) => {
      const result = authenticate(request.incoming);
      return isPromise(result) ? result.then((settled) => decide(request, settled)) : decide(request, result);
    };
  };
}

function attemptOf({ outcome }: AuthenticationResult): keyof Record<'success' | 'failure' | 'error', Counter> {
  return outcome === 'ok' ? 'success' : outcome === 'failed' ? 'error' : 'failure';
}

function accept(
  next: RequestHandler,
  request: ServerRequest,
  result: Extract<AuthenticationResult, { outcome: 'ok' }>,
  isHidden: HiddenHeader,
): MaybePromise<Answer> {
  request.user = result.user;
  if (result.annotations !== undefined) request.authenticationAnnotations = result.annotations;
  if (result.warnings !== undefined) for (const warning of result.warnings) request.warn(warning);
  if (isAnonymous(result.user)) warnAboutSpace(request);
  request.incoming = new IncomingWithoutHeaders(request.incoming, isHidden);
  return next(request);
}

function refuse(request: ServerRequest, result: AuthenticationResult, options: AuthenticationOptions): Answer {
  if (result.outcome === 'failed')
    options.logger.warn('unable to authenticate the request', {
      auditId: request.loggedAuditId,
      reason: result.message,
    });
  warnAboutSpace(request);
  const answer = statusAnswer(request, unauthorized('Unauthorized'));
  options.onRefused(request, answer);
  return answer;
}

function warnAboutSpace(request: ServerRequest): void {
  const header = request.incoming.header('authorization');
  if (header !== undefined && hasSpacedToken(header)) request.warn(SPACED_TOKEN_WARNING);
}
