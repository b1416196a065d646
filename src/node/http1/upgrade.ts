/** The upgrade of an HTTP/1.1 connection to a WebSocket or to a tunnel. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ByteTunnel } from '../../server/http/byte-stream.ts';
import { NEVER } from '../deadline-wheel.ts';
import { openTunnel } from '../streams/socket-tunnel.ts';
import { upgradeToWebSocket } from '../websocket/websocket.ts';
import type { SinkOwner } from './answer-sink.ts';
import type { TunnelAnswer, Upgrader } from './h1-exchange.ts';
import { writeSwitchingProtocols } from './switching-protocols.ts';

export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: TLSSocket;
  /** The bytes that followed the request's head. */
  readonly head: Uint8Array;
  readonly maxMessageBytes: number;
}

export function createUpgrader(upgrade: UpgradeRequest): Upgrader {
  let tunnel: ByteTunnel | undefined;
  return {
    openWebSocket: (answer, owner) => upgradeToWebSocket({ ...upgrade, answer, owner }),
    openTunnel: (answer, owner) => {
      tunnel = switchProtocols(upgrade, answer, owner);
      answer.start(tunnel);
    },
    drain: () => tunnel?.end(),
  };
}

/** Answers 101. A client that does not read, or does not close after the end, is disconnected at the deadline. */
function switchProtocols(upgrade: UpgradeRequest, answer: TunnelAnswer, owner: SinkOwner): ByteTunnel {
  const { response, socket, head } = upgrade;
  writeSwitchingProtocols(response, answer.protocol, answer.headers);
  return openTunnel(socket, head, {
    onFull: (unsent) => {
      if (owner.deadline === NEVER) owner.deadline = owner.deadlineFor(unsent);
    },
    onDrained: () => {
      owner.deadline = NEVER;
    },
    onEnding: (unsent) => {
      owner.deadline = owner.deadlineFor(unsent);
    },
  });
}
