/**
 * The chain that every request passes, readable from top to bottom. Invariant: a part runs only for requests that all
 * parts above it let through, and the handler neither throws nor rejects. A request whose parts all answer at once
 * passes without a promise, a timer or a signal of its own (hot-path rule 7).
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
import { Audit, type AuditOptions } from './audit/audit.ts';
import { withAuthentication } from './authentication/authentication-filter.ts';
import { type RequestHeaderNames, requestHeaderHider } from './authentication/request-header.ts';
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
  /** A new version 4 UUID, for requests that bring no `Audit-ID`. */
  readonly newAuditId: () => string;
  /** From `createAuthenticator`. */
  readonly authenticate: Authenticator;
  /** The configured modes. Members of `system:masters` and the always-allowed paths do not reach it. */
  readonly authorizer: Authorizer;
  /**
   * Paths that everybody may ask for, with every verb, even where the authorizer would refuse. Default none: health is
   * open to all by a role, which an operator may take away.
   */
  readonly alwaysAllowPaths?: readonly string[];
  /** Watches and connects: no deadline, no limit. */
  readonly isLongRunning: (info: RequestInfo) => boolean;
  readonly gate: InFlightGate;
  /** Tells which flow a request belongs to. Default: nobody does. */
  readonly flows?: FlowMatcher;
  /** Default 60 s, as `--request-timeout`. */
  readonly requestTimeoutMs?: number;
  /** Headers of front proxies beside the standard ones; nobody behind authentication sees them. */
  readonly requestHeaders?: RequestHeaderNames;
  /** Absent: nothing is logged and nothing is spent on it. */
  readonly audit?: AuditOptions;
  readonly metrics?: ServerMetrics;
  /**
   * Whether the server has such a path, resource or subresource: names that clients make up become no labels of
   * metrics. Default: it has all.
   */
  readonly isServed?: (info: RequestInfo) => boolean;
  /** Subresources that metrics call CONNECT. Default none. */
  readonly connectSubresources?: readonly string[];
  readonly shutdown?: ShutdownState;
  /** A debug line for every request. Default false. */
  readonly logRequests?: boolean;
  /** With them, statuses are written in protobuf for those who accept that. Default: they are not. */
  readonly types?: MetaTypes;
  /** What answers in the end. */
  readonly dispatch: RequestHandler;
}

/** Builds the chain once; the handler is what listeners call. */
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

  // Panic recovery and the audit id are the head's.
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
      isProxyHeader: requestHeaderHider(config.requestHeaders),
      onRefused,
    }),
    audit?.filter(),
    withImpersonation(authorizer),
    withFlowControl(config.gate, requestMetrics, config.flows),
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
