/** A POST with a whole body and a whole answer, over a kept HTTP/1.1 connection. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import { TransportError } from '../../base/errors.ts';
import type { OutboundAnswer, OutboundCall } from '../../server/http/outbound.ts';
import type { PostConnection, PostConnections } from './post-connections.ts';
import type { Abort, RequestEvents } from './request-events.ts';
import { sendOver } from './send-over.ts';
import { type ParsedTarget, parseTarget } from './target.ts';

const LATE_HEADERS = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const LATE_BODY = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

/** Sends the call within its time. Throws for a header that HTTP does not allow. */
export function sendPost(
  connections: PostConnections,
  call: OutboundCall,
  events: RequestEvents<OutboundAnswer>,
): Abort {
  const target = parseTarget(call);
  const bytes = messageOf(call, target);
  let used: PostConnection | undefined;
  const timer = setTimeout(() => {
    abort(new TransportError(call.timeoutText ?? (used?.isAnswering === true ? LATE_BODY : LATE_HEADERS)));
  }, call.timeoutMs);
  const timed: RequestEvents<OutboundAnswer> = {
    answered: (answer) => events.answered(answer),
    failed: (error) => events.failed(error),
    closed: () => {
      clearTimeout(timer);
      events.closed();
    },
  };
  const abort = sendOver(connections.take(target), timed, {
    send: (connection) => {
      used = connection;
      connection.send({ bytes, answerBytes: call.answerBytes, events: timed });
      return (error) => connection.abort(error);
    },
    discard: (connection) => connection.release(),
  });
  return abort;
}

/** The head and the body in one buffer, which is one TLS record if it is small. */
function messageOf({ contentType, body, headers }: OutboundCall, { path, authority }: ParsedTarget): Uint8Array {
  const head =
    `POST ${path} HTTP/1.1\r\nhost: ${authority}\r\nuser-agent: keelson\r\naccept: application/json, */*\r\n` +
    `${headers === undefined ? '' : formatHeaders(headers)}content-type: ${contentType}\r\ncontent-length: ${body.byteLength}\r\n\r\n`;
  const message = Buffer.allocUnsafe(head.length + body.byteLength);
  message.write(head, 0, 'latin1');
  message.set(body, head.length);
  return message;
}

/** Throws Node's error for a header that HTTP does not allow. */
function formatHeaders(headers: HttpHeaders): string {
  let lines = '';
  for (const [name, values] of Object.entries(headers)) {
    for (const value of typeof values === 'string' ? [values] : values) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      lines += `${name}: ${value}\r\n`;
    }
  }
  return lines;
}
