/**
 * WebSocket handshakes with the checks of the reference's library (golang.org/x/net/websocket). A handshake that passes
 * can be completed by the listener, so no watch is opened for one that fails.
 */
import { decodeBase64 } from '../../../base/base64.ts';
import { EMPTY_BYTES } from '../../../base/bytes.ts';
import type { Answer } from '../../http/exchange.ts';
import type { ServerRequest } from '../../http/server-request.ts';

const UPGRADE = /(?:^|,\s*)upgrade(?:$|\s*,)/i;

export function isWebSocket({ incoming }: ServerRequest): boolean {
  return incoming.header('upgrade')?.toLowerCase() === 'websocket' && UPGRADE.test(incoming.header('connection') ?? '');
}

/** Returns the offered subprotocols. A client that offers one gets it: the messages are the same for all. */
export function offeredProtocols({ incoming }: ServerRequest): readonly string[] {
  const header = incoming.header('sec-websocket-protocol') ?? '';
  return header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Returns undefined if the handshake is valid. A missing origin is a 403. A malformed handshake, or one with several
 * subprotocols, is a 400.
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
