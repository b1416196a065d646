/** Requests for the tests of what answers them: no listener, no filters. */

import type { Answer, Incoming } from './exchange.ts';
import { NOT_FOUND } from './paths.ts';
import { ServerRequest } from './request.ts';
import { parseRequestInfo } from './request-info.ts';

/** A request without a body, from nobody. Header names in lower case. */
export function requestOf(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): ServerRequest {
  const result = parseRequestInfo(method, target);
  if (!result.ok) throw new Error(`no target: ${target}`);
  const incoming: Incoming = {
    method,
    target,
    connection: {
      protocol: 'in-process',
      secure: true,
      remoteAddress: '',
      certificate: () => undefined,
      certificateProblem: () => undefined,
    },
    header: (name) => headers[name],
    headerValues: (name) => (headers[name] === undefined ? [] : [headers[name]]),
    headerNames: () => Object.keys(headers),
    body: () => ({ outcome: 'ok', bytes: new Uint8Array(0) }),
    onClose: () => undefined,
  };
  return new ServerRequest(incoming, result.info, 0);
}

/** The answer with its bytes, which all of these have. */
export function bytesOf(answer: Answer = NOT_FOUND): Extract<Answer, { kind: 'bytes' }> {
  if (answer.kind !== 'bytes') throw new Error(`an answer of kind ${answer.kind}`);
  return answer;
}
