/**
 * WebSocket handshakes as the reference's library (golang.org/x/net/websocket) takes them. Invariant: what passes here
 * the listener can complete, so that nothing is opened for a handshake that fails.
 */
import { decodeBase64 } from '../../../base/base64.ts';
import { EMPTY_BYTES } from '../../../base/bytes.ts';
import type { Answer } from '../../http/exchange.ts';
import type { ServerRequest } from '../../http/server-request.ts';

const UPGRADE = /(?:^|,\s*)upgrade(?:$|\s*,)/i;

export function isWebSocket({ incoming }: ServerRequest): boolean {
  return incoming.header('upgrade')?.toLowerCase() === 'websocket' && UPGRADE.test(incoming.header('connection') ?? '');
}

/** A client that offers one subprotocol gets it, whatever it is: what is sent is the same in all. */
export function offeredProtocols({ incoming }: ServerRequest): readonly string[] {
  const header = incoming.header('sec-websocket-protocol') ?? '';
  return header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Undefined if the handshake can be made. Without an origin it is forbidden; with several subprotocols, or malformed,
 * it is a bad request.
 */
export function webSocketRefusal(request: ServerRequest): Answer | undefined {
  const { incoming } = request;
  const key = incoming.header('sec-websocket-key') ?? '';
  const isWellFormed =
    incoming.connection.protocol === 'http/1.1' &&
    incoming.header('sec-websocket-version') === '13' &&
    key.length === 24 &&
    decodeBase64(key)?.byteLength === 16 &&
    offeredProtocols(request).length <= 1;
  if (!isWellFormed) return refusal(400);
  return (incoming.header('origin') ?? '') === '' ? refusal(403) : undefined;
}

function refusal(status: number): Answer {
  return { kind: 'bytes', status, headers: {}, body: EMPTY_BYTES };
}
