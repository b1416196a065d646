/** Answers of the proxy: responses of servers behind it, and Statuses for their failures. */
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError, serviceUnavailable, unknown } from '../../apimachinery/status/status-catalogue.ts';
import { isTransportError, TransportError } from '../../base/errors.ts';
import type { Answer, AnswerHeaders } from '../../server/http/exchange.ts';
import { OutboundError, type OutboundResponse } from '../../server/http/outbound.ts';
import type { ServerRequest } from '../../server/http/server-request.ts';
import type { RemoteVersion } from '../remote-version.ts';
import type { MutableHeaders } from './user-headers.ts';

const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';
/** The value that every answer of this server has. */
const CACHE_CONTROL = 'no-cache, private';
/** Headers by which a server would allow browsers of other origins to read answers of this server. */
const CORS_HEADERS = [
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
];

/** The body is streamed. Throws a StatusError for a redirect, if those are not passed on. */
export function responseAnswer(
  request: ServerRequest,
  to: RemoteVersion,
  response: OutboundResponse,
  rejectsRedirects: boolean,
): Answer {
  const { status } = response;
  if (rejectsRedirects && status >= 300 && status < 400 && response.headers['location'] !== undefined) {
    response.abort();
    const cause = new TransportError(`the server of ${to.name} answered with a redirect`);
    throw new StatusError({ ...unknown(REDIRECTED), code: 502 }, { cause });
  }
  // The log of failed requests names the server, and limits the lines of one message.
  if (status >= 500) request.failure = new TransportError(`the server of ${to.name} answered with ${status}`);
  return {
    kind: 'stream',
    status,
    headers: answerHeaders(response.headers, request),
    start: (sink) => response.pipeTo(sink),
  };
}

/**
 * Returns the headers of a response, without those for browsers of other origins. Where this server has a value of its
 * own, a different one of the response comes second, as in the reference: clients read the first.
 */
export function answerHeaders(received: AnswerHeaders, { auditId, flow }: ServerRequest): AnswerHeaders {
  // A client of the network makes the headers for this response alone.
  const headers = received as MutableHeaders;
  for (const name of CORS_HEADERS) if (headers[name] !== undefined) delete headers[name];
  putFirst(headers, 'audit-id', auditId);
  putFirst(headers, 'cache-control', CACHE_CONTROL);
  if (flow !== undefined) {
    putFirst(headers, 'x-kubernetes-pf-flowschema-uid', flow.schemaUid);
    putFirst(headers, 'x-kubernetes-pf-prioritylevel-uid', flow.priorityLevelUid);
  }
  return headers;
}

function putFirst(headers: MutableHeaders, name: string, own: string): void {
  const theirs = headers[name];
  if (theirs !== undefined && theirs !== own)
    headers[name] = typeof theirs === 'string' ? [own, theirs] : [own, ...theirs];
}

/** Returns the error to throw for an upgrade request that got no response. */
export function upgradeFailureOf(caught: unknown): unknown {
  return failureOf(caught, isTransportError(caught) && caught.retryable ? 'error dialing backend: ' : '');
}

/** Returns the error to throw for a request that got no response. */
export function failureOf(caught: unknown, prefix = 'error trying to reach service: '): unknown {
  if (!isTransportError(caught)) return caught;
  const cause = caught;
  // The service could not be resolved.
  if (!(caught instanceof OutboundError)) return new StatusError(serviceUnavailable('service unavailable'), { cause });
  if (caught.isMisconfigured) return new StatusError(internalError(caught.detail), { cause });
  return new StatusError(serviceUnavailable(`${prefix}${caught.detail}`), { cause });
}
