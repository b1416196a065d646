/**
 * The head of the filter chain: makes the ServerRequest, recovers from panics, and completes the headers of the answer.
 *
 * Invariants: there is exactly one answer and no exception. Every answer has the audit id, the warnings and
 * `cache-control`. Logs contain the path of a request, never its query or headers, because those may contain secrets.
 */
import { statusOf } from '../../apimachinery/status/status.ts';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import { type Answer, type AnswerHeaders, type Handler, type Incoming, statusOfAnswer } from '../http/exchange.ts';
import { plainAnswer, problemAnswer } from '../http/plain-answers.ts';
import { parseRequestInfo } from '../http/request-info.ts';
import { statusAnswer } from '../http/respond.ts';
import { type RequestHandler, ServerRequest } from '../http/server-request.ts';
import type { MetaTypes } from '../resource/meta-types.ts';
import { FailureLog } from './failure-log.ts';

export interface HeadOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns an audit id for requests without one. */
  readonly newAuditId: () => string;
  /** Writes a debug line for every request. */
  readonly logRequests: boolean;
  /** The types that Statuses are encoded in protobuf with; undefined: a Status is never sent in protobuf. */
  readonly types: MetaTypes | undefined;
  /** The value of the header `Strict-Transport-Security`; undefined: the header is absent. */
  readonly strictTransportSecurity: string | undefined;
}

const PANIC = plainAnswer(500, 'This request caused apiserver to panic. Look in the logs for details.');
const CACHE_CONTROL = 'no-cache, private';

export function createHead(options: HeadOptions, next: RequestHandler): Handler {
  const { clock, newAuditId, types } = options;
  const finishing: Finishing = { ...options, failures: new FailureLog(options.logger, clock) };
  return (incoming) => {
    const { method, target } = incoming;
    const parsed = parseRequestInfo(method, target);
    const auditId = incoming.header('audit-id') || newAuditId();
    if (!parsed.ok) {
      const answer = problemAnswer(target, parsed);
      return parsed.problem === 'malformed-target' ? answer : withAuditId(answer, auditId);
    }
    const request = new ServerRequest(incoming, parsed.info, clock.now());
    request.auditId = auditId;
    request.types = types;
    request.startedAt = clock.monotonic();
    let answer: ReturnType<RequestHandler>;
    try {
      answer = next(request);
    } catch (caught) {
      answer = failureAnswer(request, caught, options.logger);
    }
    if (!isPromise(answer)) return finish(request, incoming, answer, finishing);
    return answer.then(
      (ready) => finish(request, incoming, ready, finishing),
      (caught) => finish(request, incoming, failureAnswer(request, caught, options.logger), finishing),
    );
  };
}

/**
 * Answers with the Status that the error carries. Any other error is a fault of the server: it is logged, and the
 * client gets a 500 without details.
 */
function failureAnswer(request: ServerRequest, caught: unknown, logger: Logger): Answer {
  const status = statusOf(caught);
  if (status !== undefined) {
    request.failure = toError(caught);
    try {
      return statusAnswer(request, status);
    } catch (broken) {
      caught = broken;
    }
  }
  const { loggedAuditId: auditId, incoming, info } = request;
  const fields = { method: incoming.method, path: info.path, code: 500, reason: 'InternalError', auditId };
  logger.error("apiserver panic'd", toError(caught), fields);
  return PANIC;
}

interface Finishing extends HeadOptions {
  readonly failures: FailureLog;
}

function finish(request: ServerRequest, incoming: Incoming, answer: Answer, options: Finishing): Answer {
  const code = statusOfAnswer(answer);
  if (code >= 500 && answer !== PANIC)
    options.failures.report(request.failure, answer, fieldsOf(request, incoming, code, options));
  else if (options.logRequests) options.logger.debug('request', fieldsOf(request, incoming, code, options));
  return withCommonHeaders(answer, request, options.strictTransportSecurity);
}

function fieldsOf(
  { loggedAuditId, info, user, startedAt }: ServerRequest,
  { method, connection }: Incoming,
  code: number,
  { clock }: HeadOptions,
): Record<string, string | number> {
  return {
    method,
    path: info.path,
    verb: info.verb,
    code,
    milliseconds: Math.round((clock.monotonic() - startedAt) * 1000) / 1000,
    user: user.name,
    from: connection.remoteAddress,
    auditId: loggedAuditId,
  };
}

/**
 * Returns a copy of the answer with the headers that all answers have. A copy, because the answer may be a shared
 * constant.
 */
function withCommonHeaders(answer: Answer, request: ServerRequest, transportSecurity: string | undefined): Answer {
  // Spreading last gives all header objects one hidden class in V8; spreading first costs twenty times as much. Headers
  // of the answer win over the common ones.
  const { warnings, flow } = request;
  const headers: Record<string, string | readonly string[]> =
    flow === undefined
      ? { 'audit-id': request.auditId, 'cache-control': CACHE_CONTROL, ...answer.headers }
      : {
          'audit-id': request.auditId,
          'cache-control': CACHE_CONTROL,
          'x-kubernetes-pf-flowschema-uid': flow.schemaUid,
          'x-kubernetes-pf-prioritylevel-uid': flow.priorityLevelUid,
          ...answer.headers,
        };
  if (warnings !== undefined && warnings.headers.length > 0)
    headers['warning'] = joined(headers['warning'], warnings.headers);
  if (transportSecurity !== undefined) putTransportSecurity(headers, transportSecurity);
  switch (answer.kind) {
    case 'bytes':
      return { kind: 'bytes', status: answer.status, headers, body: answer.body };
    case 'chunks':
      return { kind: 'chunks', status: answer.status, headers, chunks: answer.chunks };
    case 'stream':
      return { kind: 'stream', status: answer.status, headers, start: (sink) => answer.start(sink) };
    case 'websocket':
      return { kind: 'websocket', headers, protocols: answer.protocols, start: (socket) => answer.start(socket) };
    case 'tunnel':
      return { kind: 'tunnel', headers, protocol: answer.protocol, start: (tunnel) => answer.start(tunnel) };
  }
}

/** Browsers use the first value (RFC 6797, 8.1): that of this server, not that of a server behind its proxy. */
function putTransportSecurity(headers: Record<string, string | readonly string[]>, own: string): void {
  const other = headers['strict-transport-security'];
  headers['strict-transport-security'] = other === undefined || other === own ? own : [own, other].flat();
}

function joined(before: AnswerHeaders[string] | undefined, added: readonly string[]): readonly string[] {
  return before === undefined ? added : [before, added].flat();
}

function withAuditId(answer: Answer, auditId: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'audit-id': auditId } };
}
