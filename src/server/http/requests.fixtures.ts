/** Requests for tests of handlers, without a listener and without filters. */

import { EMPTY_BYTES } from '../../base/bytes.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { sourceOf } from './byte-stream.ts';
import { type Answer, type Connection, IN_PROCESS, type Incoming } from './exchange.ts';
import { NOT_FOUND } from './paths.ts';
import { parseRequestInfo } from './request-info.ts';
import { ServerRequest } from './server-request.ts';

export interface IncomingParts {
  /** Default GET. */
  readonly method?: string;
  readonly target: string;
  /** Names in lower case. Default none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default empty. */
  readonly body?: Uint8Array;
  /** Default in process. */
  readonly protocol?: Connection['protocol'];
}

/** An Incoming as a listener makes it. Its client never disconnects. */
export function incomingOf({ method = 'GET', target, headers = {}, ...parts }: IncomingParts): Incoming {
  const { body = EMPTY_BYTES, protocol = IN_PROCESS.protocol } = parts;
  return {
    method,
    target,
    connection: { ...IN_PROCESS, protocol },
    header: (name) => headers[name],
    headerValues: (name) => (headers[name] === undefined ? [] : [headers[name]]),
    headerNames: () => Object.keys(headers),
    body: () => ({ outcome: 'ok', bytes: body }),
    bodySource: () => sourceOf(body),
    onClose: () => undefined,
  };
}

/** A request that has passed no filter and has no user. `now` is the time of its arrival. */
export function serverRequestOf(parts: IncomingParts, now = 0): ServerRequest {
  const incoming = incomingOf(parts);
  const result = parseRequestInfo(incoming.method, incoming.target);
  if (!result.ok) throw new Error(`no target: ${incoming.target}`);
  return new ServerRequest(incoming, result.info, now);
}

/** A request without a body. Header names in lower case. */
export function requestOf(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): ServerRequest {
  return serverRequestOf({ method, target, headers });
}

/** The answer as one of known bytes. Fails the test for other kinds. */
export function bytesOf(answer: MaybePromise<Answer> = NOT_FOUND): Extract<Answer, { kind: 'bytes' }> {
  if (isPromise(answer)) throw new Error('an answer that is not ready');
  if (answer.kind !== 'bytes') throw new Error(`an answer of kind ${answer.kind}`);
  return answer;
}
