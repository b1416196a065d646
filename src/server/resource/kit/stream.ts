/**
 * Streams: WebSockets on one object. `GET .../<plural>/<name>/<stream>` with an upgrade connects the client with the
 * handler. Admission runs as for `kubectl exec`, with the operation CONNECT.
 */
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { WebSocketPeer } from '../../http/exchange.ts';
import type { HookContext } from './hook-context.ts';

/**
 * Serves one connection. Called when the handshake is complete, with a copy of the stored object. `context.signal`
 * aborts when the connection has ended. If it throws or rejects, the socket is closed with the code 1011.
 */
export type StreamHandler<T> = (object: T, socket: WebSocketPeer, context: HookContext) => MaybePromise<void>;

export interface StreamOptions<T> {
  readonly connect: StreamHandler<T>;
  /** Subprotocols in order of preference. Default: none is negotiated. */
  readonly protocols?: readonly string[];
  /**
   * Whether the user must be allowed to `create` the subresource. A handshake is a GET, whose verb is `get`. A stream
   * that runs or changes something must set it. Default false.
   */
  readonly requiresCreate?: boolean;
  /** The description of the operation in OpenAPI. */
  readonly description?: string;
}

/** A handler, or a handler with options. */
export type ResourceStream<T> = StreamHandler<T> | StreamOptions<T>;
