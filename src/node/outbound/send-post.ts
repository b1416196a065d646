/** A POST with a whole body and a whole answer, over a kept HTTP/1.1 connection; after some redirects a GET. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import { EMPTY_BYTES } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { TransportError } from '../../base/errors.ts';
import { BodyError } from './errors.ts';
import type { Hop, HopAnswer } from './follow-redirects.ts';
import type { PostConnection, PostConnections } from './post-connections.ts';
import type { Abort, RequestEvents } from './request-events.ts';
import { sendOver } from './send-over.ts';
import { type ParsedTarget, parseTarget } from './target.ts';

const LATE_HEADERS = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const LATE_BODY = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

/** Sends the call within its time. Throws for a header that HTTP does not allow. */
export function sendPost(
  connections: PostConnections,
  call: Hop,
  { events, clock }: { readonly events: RequestEvents<HopAnswer>; readonly clock: Clock },
): Abort {
  const target = parseTarget(call);
  const bytes = messageOf(call, target);
  let used: PostConnection | undefined;
  const timer = clock.setTimer(call.timeoutMs, () => {
    const { timeoutText } = call;
    abort(
      used?.isInBody === true
        ? new BodyError(timeoutText ?? LATE_BODY)
        : new TransportError(timeoutText ?? LATE_HEADERS),
    );
  });
  const timed: RequestEvents<HopAnswer> = {
    answered: (answer) => events.answered(answer),
    failed: (error) => events.failed(error),
    closed: () => {
      timer.cancel();
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

/** Returns the head and the body in one buffer, which is one TLS record if it is small. */
function messageOf({ method, contentType, body, headers }: Hop, { path, authority }: ParsedTarget): Uint8Array {
  const sent = method === 'GET' ? EMPTY_BYTES : body;
  const entity = method === 'GET' ? '' : `content-type: ${contentType}\r\ncontent-length: ${body.byteLength}\r\n`;
  const head =
    `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\nuser-agent: keelson\r\naccept: application/json, */*\r\n` +
    `${headers === undefined ? '' : formatHeaders(headers)}${entity}\r\n`;
  const message = Buffer.allocUnsafe(head.length + sent.byteLength);
  message.write(head, 0, 'latin1');
  message.set(sent, head.length);
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
