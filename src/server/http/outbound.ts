/**
 * Requests that the server makes to other servers: conversion and admission webhooks, extension API servers.
 * Every failure names the URL and the cause in the words of Go's HTTP client.
 */

import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import type { AbortSignalLike } from '../../base/abort-signal.ts';
import { TransportError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ByteSource, ByteTunnel } from './byte-stream.ts';

/** The server that a request goes to, and how it is trusted. */
export interface OutboundTarget {
  /** `https://host:port/path?query`. */
  readonly url: string;
  /** The address to connect to instead of the URL's host. The certificate must still be valid for the URL's host. */
  readonly address?: ServiceAddress;
  /** The trusted CAs in PEM; empty for those that the system trusts. */
  readonly ca: string;
}

export interface OutboundCall extends OutboundTarget {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Time for the whole call. */
  readonly timeoutMs: number;
  /** The cause in the message of a call that took too long. Default: that of Go's client with a timeout. */
  readonly timeoutText?: string;
  /** The largest answer that is read. */
  readonly answerBytes: number;
  /** The certificate that the client presents. Default: none. */
  readonly clientCertificate?: ClientKeyPair | undefined;
  /** Headers besides those of the body, such as `authorization`. Names in lower case. Default: none. */
  readonly headers?: HttpHeaders | undefined;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  /** The header Content-Type; undefined for none. */
  readonly contentType?: string | undefined;
}

/** A client certificate with its key, both in PEM. */
export interface ClientKeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface OutboundRequest extends OutboundTarget {
  readonly method: string;
  /** The certificate that the client presents, such as that of the front proxy. Default: none. */
  readonly clientCertificate?: ClientKeyPair;
  /**
   * Names in lower case. `host` defaults to that of the URL. Connection headers (`connection`, `keep-alive`, `upgrade`,
   * `transfer-encoding`) must not be present: the client sets them as the protocol needs.
   */
  readonly headers: HttpHeaders;
  /** Default: none, as for EMPTY_SOURCE. A source is piped as the server takes its bytes. */
  readonly body?: Uint8Array | ByteSource;
  /** `negotiate`, the default, uses HTTP/2 if the server supports it (ALPN). */
  readonly protocol?: 'negotiate' | 'http/1.1';
  /** Cancels the request. Before the response, the call rejects with its reason; afterwards, the body aborts. */
  readonly signal?: AbortSignalLike;
}

/**
 * The response to a request. The caller must call `pipeTo` or `abort`. Until then the connection stays in use and
 * buffers at most one receive window of the body. When the sink of `pipeTo` closes, the request is cancelled.
 */
export interface OutboundResponse extends ByteSource {
  readonly status: number;
  /** Names in lower case, without connection headers. */
  readonly headers: HttpHeaders;
  /** Cancels the request and discards the body. */
  abort(): void;
}

export interface OutboundUpgradeRequest extends OutboundTarget {
  readonly method: string;
  readonly clientCertificate?: ClientKeyPair;
  /** See `OutboundRequest`. */
  readonly headers: HttpHeaders;
  /** The value of the Upgrade header, such as `websocket` or `SPDY/3.1`. */
  readonly upgrade: string;
  /** Cancels the handshake, in which case the call rejects with its reason, or closes the tunnel. */
  readonly signal?: AbortSignalLike;
}

export type OutboundUpgrade =
  /** The server switched protocols. `headers` are those of its 101 answer, without connection headers. */
  | {
      readonly kind: 'tunnel';
      readonly protocol: string;
      readonly headers: HttpHeaders;
      readonly tunnel: ByteTunnel;
    }
  /** The server answered without switching protocols. */
  | { readonly kind: 'response'; readonly response: OutboundResponse };

/** A server that many requests go to, and how it is trusted. */
export interface OutboundServerOptions {
  /** The address to connect to. It is the value of the Host header, and the host of the URL in messages. */
  readonly address: ServiceAddress;
  /** The name that the certificate must be valid for, and that SNI sends. */
  readonly serverName: string;
  /** The trust anchors in PEM; empty for those of the system. */
  readonly ca: string;
  /** Accepts any certificate. Default false. */
  readonly insecureSkipVerify?: boolean;
  /** The certificate that the client presents. Default: none. */
  readonly clientCertificate?: ClientKeyPair | undefined;
}

/** A request that is running. */
export interface RunningRequest {
  /** Cancels the request. Before the response, the call rejects with the reason; afterwards, the body aborts. */
  cancel(reason: Error): void;
}

/**
 * Observes one request and can cancel it. A proxy passes an observer instead of an AbortSignal per request, which costs
 * more.
 */
export interface RequestObserver {
  /** Called once, before the call returns, unless the request has failed by then. */
  started(running: RunningRequest): void;
  /** Called once when the request, the body of its response and its tunnel are over, also after a failure. */
  closed(): void;
}

export interface OutboundServerRequest {
  readonly method: string;
  /** Path and query, as sent on the request line. */
  readonly target: string;
  /** See `OutboundRequest`. */
  readonly headers: HttpHeaders;
  /** See `OutboundRequest`. A source is not piped before a connection exists. */
  readonly body?: Uint8Array | ByteSource | undefined;
  readonly signal?: AbortSignalLike | undefined;
  readonly observer?: RequestObserver | undefined;
}

export interface OutboundServerUpgrade extends Omit<OutboundServerRequest, 'body'> {
  /** The value of the Upgrade header, such as `websocket` or `SPDY/3.1`. */
  readonly upgrade: string;
}

/** A server of an OutboundClient. Requests share its connections, which `OutboundClient.stop` closes. */
export interface OutboundServer {
  /** `host:port` of its address. */
  readonly authority: string;
  /** See `OutboundClient.request`. */
  request(request: OutboundServerRequest): Promise<OutboundResponse>;
  /** See `OutboundClient.upgrade`. */
  upgrade(request: OutboundServerUpgrade): Promise<OutboundUpgrade>;
}

/** A failed request: `Get "<url>": <detail>`. */
export class OutboundError extends TransportError {
  /** The cause without the method and the URL, in the words of Go's HTTP transport. */
  readonly detail: string;
  /** The CA bundle or the client certificate cannot be used, so no request can succeed. */
  readonly isMisconfigured: boolean;

  constructor(
    message: string,
    detail: string,
    options: {
      readonly cause: Error;
      readonly retryable: boolean;
      readonly connectionLost: boolean;
      readonly isMisconfigured: boolean;
    },
  ) {
    super(message, options);
    this.detail = detail;
    this.isMisconfigured = options.isMisconfigured;
  }
}

/**
 * Sends requests to other servers. A failure is an OutboundError with a message such as
 * `Post "<url>": dial tcp 127.0.0.1:1: connect: connection refused`. Its `retryable` is true exactly if the request was
 * not sent, because no connection could be made.
 */
export interface OutboundClient {
  /** Prepares requests to a server. Servers with the same trust and client certificate share connections. */
  server(options: OutboundServerOptions): OutboundServer;
  /** Sends a POST and reads the whole answer, within its time and up to its limit. */
  post(call: OutboundCall): Promise<OutboundAnswer>;
  /**
   * Sends a request. Resolves with the head of the response; bodies stream in both directions. Follows no redirects.
   */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** Sends an upgrade request over a new HTTP/1.1 connection. */
  upgrade(request: OutboundUpgradeRequest): Promise<OutboundUpgrade>;
  /** Closes idle connections and aborts running requests and tunnels. Later calls fail. */
  stop(): Promise<void>;
}

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Resolves a Service to an address. Declared here, below all servers of the chain, because several of them call it. */
export interface ServiceResolver {
  /**
   * Returns an address that is not among `tried`, unless there are no others. Throws, or rejects with, a TransportError
   * that names what is missing: `service "x" not found`.
   */
  resolve(
    namespace: string,
    name: string,
    port: number,
    tried?: readonly ServiceAddress[],
  ): MaybePromise<ServiceAddress>;
}
