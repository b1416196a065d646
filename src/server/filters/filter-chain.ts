/**
 * The filter chain that every request passes, from top to bottom.
 *
 * Invariants: a filter runs only for requests that all filters above it let through. The handler neither throws nor
 * rejects. If all filters and the endpoint answer synchronously, the request costs no promise, timer or AbortSignal.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Authenticator } from '../authenticator.ts';
import { type Authorizer, MASTERS_GROUP } from '../authorizer.ts';
import type { FlowMatcher } from '../flow-matcher.ts';
import type { Answer, Handler } from '../http/exchange.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { RequestFilter, RequestHandler, ServerRequest } from '../http/server-request.ts';
import type { InFlightGate } from '../in-flight.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import type { MetaTypes } from '../resource/meta-types.ts';
import type { RunningWrites } from '../running-writes.ts';
import { Audit, type AuditOptions } from './audit/audit.ts';
import { withAuthentication } from './authentication/authentication-filter.ts';
import { proxyHeaderHider, type RequestHeaderNames } from './authentication/request-header.ts';
import { withAuthorization } from './authorization.ts';
import { pathsAuthorizer, privilegedGroupsAuthorizer, unionAuthorizer } from './authorizers.ts';
import { withDeadline } from './deadline.ts';
import { withFlowControl } from './flow-control.ts';
import { createHead } from './head.ts';
import { withImpersonation } from './impersonation/impersonation.ts';
import { RequestMetrics, withRequestMetrics } from './request-metrics.ts';
import { type ShutdownState, withShutdown } from './shutdown.ts';

export interface ChainConfig {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns a new version 4 UUID, for requests without an `Audit-ID` header. */
  readonly newAuditId: () => string;
  /** Usually made by `createAuthenticator`. */
  readonly authenticate: Authenticator;
  /** The authorizer of the configured modes. Not called for members of `system:masters` and for `alwaysAllowPaths`. */
  readonly authorizer: Authorizer;
  /**
   * Paths that every user may access with every verb, even if the authorizer would refuse. Default none: health is open
   * to all by a role, which an operator may remove.
   */
  readonly alwaysAllowPaths?: readonly string[];
  /** Reports watches and connects, which have no deadline and no limit. */
  readonly isLongRunning: (info: RequestInfo) => boolean;
  readonly gate: InFlightGate;
  /** Tracks running writes, so that control loops can wait for them. Default: writes are not tracked. */
  readonly writes?: RunningWrites;
  /** Matches requests to flows. Default: requests belong to no flow. */
  readonly flows?: FlowMatcher;
  /** Default 60 s, as `--request-timeout`. */
  readonly requestTimeoutMs?: number;
  /**
   * Headers of front proxies in addition to the standard ones. They are hidden after authentication. A function returns
   * the same object until the names change.
   */
  readonly requestHeaders?: RequestHeaderNames | (() => RequestHeaderNames);
  /** Default: nothing is audited, at no cost. */
  readonly audit?: AuditOptions;
  readonly metrics?: ServerMetrics;
  /**
   * Reports whether the server has the path, resource or subresource. Requests to others are not counted, so that
   * clients cannot create metric labels. Default: it has all.
   */
  readonly isServed?: (info: RequestInfo) => boolean;
  /** Subresources whose metric verb is CONNECT. Default none. */
  readonly connectSubresources?: readonly string[];
  readonly shutdown?: ShutdownState;
  /** Writes a debug line for every request. Default false. */
  readonly logRequests?: boolean;
  /** The value of the header `Strict-Transport-Security`. Default: the header is absent. */
  readonly strictTransportSecurity?: string | undefined;
  /** The types that Statuses are encoded in protobuf with. Default: a Status is never sent in protobuf. */
  readonly types?: MetaTypes;
  /** Answers the requests that pass all filters. */
  readonly dispatch: RequestHandler;
}

/** Builds the chain once. Listeners call the returned handler. */
export function buildChain(config: ChainConfig): Handler {
  const { clock, logger, metrics } = config;
  const requestMetrics = metrics && createRequestMetrics(config, metrics);
  const audit = config.audit && new Audit(config.audit, { clock, logger, metrics });
  const authorizer = unionAuthorizer([
    privilegedGroupsAuthorizer([MASTERS_GROUP]),
    pathsAuthorizer(config.alwaysAllowPaths ?? []),
    config.authorizer,
  ]);
  const onRefused = (request: ServerRequest, answer: Answer): void => audit?.refused(request, answer);

  // In order, the outermost filter first. Before all of them, the head recovers from panics and sets the audit id.
  const filters: readonly (RequestFilter | undefined)[] = [
    config.shutdown && withShutdown(config.shutdown),
    withDeadline({
      clock,
      logger,
      requestTimeoutMs: config.requestTimeoutMs ?? 60_000,
      isLongRunning: config.isLongRunning,
      metrics: requestMetrics,
      onRefused,
    }),
    withAuthentication({
      authenticate: config.authenticate,
      logger,
      metrics,
      isProxyHeader: proxyHeaderHider(config.requestHeaders),
      onRefused,
    }),
    audit?.filter(),
    withImpersonation(authorizer),
    withFlowControl({ gate: config.gate, metrics: requestMetrics, matcher: config.flows, writes: config.writes }),
    withAuthorization(authorizer, metrics),
    requestMetrics && withRequestMetrics(requestMetrics),
  ];
  const handler = filters.reduceRight<RequestHandler>(
    (next, filter) => (filter === undefined ? next : filter(next)),
    config.dispatch,
  );
  return createHead(
    {
      clock,
      logger,
      newAuditId: config.newAuditId,
      logRequests: config.logRequests ?? false,
      types: config.types,
      strictTransportSecurity: config.strictTransportSecurity,
    },
    handler,
  );
}

function createRequestMetrics(config: ChainConfig, metrics: ServerMetrics): RequestMetrics {
  return new RequestMetrics({
    metrics,
    clock: config.clock,
    isServed: config.isServed ?? (() => true),
    connectSubresources: config.connectSubresources ?? [],
  });
}
