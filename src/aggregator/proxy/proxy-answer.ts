/** The answers of the proxy: the responses of the servers behind it, and Statuses for failures. */
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError, serviceUnavailable, unknown } from '../../apimachinery/status/status-catalogue.ts';
import { isTransportError, TransportError } from '../../base/errors.ts';
import type { Answer, AnswerHeaders } from '../../server/http/exchange.ts';
import { OutboundError, type OutboundResponse } from '../../server/http/outbound.ts';
import type { ServerRequest } from '../../server/http/server-request.ts';
import type { RemoteVersion } from '../remote-version.ts';
import type { MutableHeaders } from './user-headers.ts';

const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';
/** The Cache-Control header of all answers of this server. */
const CACHE_CONTROL = 'no-cache, private';
/**
 * CORS headers are removed: with them a server behind the proxy would allow web pages of other origins to read answers
 * of this server.
 */
const CORS_HEADERS = [
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
];

/**
 * Makes the answer from a response, whose body is streamed. Throws a StatusError for a redirect if redirects are
 * rejected.
 */
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
  // For the log of failed requests. It has the name of the server, and limits the number of equal messages.
  if (status >= 500) request.failure = new TransportError(`the server of ${to.name} answered with ${status}`);
  return {
    kind: 'stream',
    status,
    headers: answerHeaders(response.headers, request),
    start: (sink) => response.pipeTo(sink),
  };
}

/**
 * Returns the headers of a response without CORS headers. Where this server sets a header, its value comes first and a
 * different value of the response second, as in kube-aggregator: clients read the first value.
 */
export function answerHeaders(received: AnswerHeaders, { auditId, flow }: ServerRequest): AnswerHeaders {
  // The network client makes a new headers object for each response, so it may be changed here.
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
  // The Service could not be resolved.
  if (!(caught instanceof OutboundError)) return new StatusError(serviceUnavailable('service unavailable'), { cause });
  if (caught.isMisconfigured) return new StatusError(internalError(caught.detail), { cause });
  return new StatusError(serviceUnavailable(`${prefix}${caught.detail}`), { cause });
}
