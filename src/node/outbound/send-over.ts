/** Sends requests over connections of a pool. */
import { toError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type {
  OutboundRequest,
  OutboundResponse,
  OutboundUpgrade,
  OutboundUpgradeRequest,
} from '../../server/http/outbound.ts';
import { type ConnectionPool, discardConnection, FROM_AGENT } from './connection-pool.ts';
import { sendHttp1, sendUpgrade } from './http1-request.ts';
import type { Abort, Message, RequestEvents, Sending } from './request-events.ts';

/** Sends a request over HTTP/2 if the server supports it, unless `protocol` says otherwise. */
export function sendThrough(
  pool: ConnectionPool,
  sending: Sending<Message, OutboundResponse>,
  protocol?: OutboundRequest['protocol'],
): Abort {
  const connection = protocol === 'http/1.1' ? FROM_AGENT : pool.negotiate(sending.target);
  return sendOver(connection, sending.events, {
    send: (made) => (made.protocol === 'h2' ? made.session.send(sending) : sendHttp1(sending, pool, made)),
    discard: discardConnection,
  });
}

/** Sends an upgrade request over a new HTTP/1.1 connection. */
export function upgradeThrough(
  pool: ConnectionPool,
  sending: Sending<Pick<OutboundUpgradeRequest, 'method' | 'headers' | 'upgrade'>, OutboundUpgrade>,
): Abort {
  return sendOver(pool.dial(sending.target), sending.events, {
    send: (socket) => sendUpgrade(sending, socket),
    discard: (socket) => socket.destroy(),
  });
}

/** Sends a request when its connection is there. An abort before that discards the connection. */
export function sendOver<C, T>(
  connection: MaybePromise<C>,
  events: RequestEvents<T>,
  { send, discard }: { readonly send: (made: C) => Abort; readonly discard: (made: C) => void },
): Abort {
  let isAborted = false;
  let abort: Abort = (error) => {
    isAborted = true;
    events.failed(error);
    events.closed();
  };
  const use = (made: C): void => {
    if (isAborted) discard(made);
    else abort = send(made);
  };
  if (isPromise(connection)) connection.then(use).catch((caught: unknown) => abort(toError(caught)));
  else use(connection);
  return (error) => abort(error);
}
