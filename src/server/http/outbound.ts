/**
 * Requests that the server makes to other servers: conversion and admission webhooks, extension API servers.
 * Every failure names the URL and the cause in the words of Go's HTTP client.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ByteSource, ByteTunnel } from './byte-stream.ts';

/** The server that a request goes to, and how it is trusted. */
export interface OutboundTarget {
  /** `https://host:port/path?query`. */
  readonly url: string;
  /** The address to connect to instead of the URL's host. The certificate must still be valid for the URL's host. */
  readonly address?: ServiceAddress;
  /** PEM; empty for the authorities that the system trusts. */
  readonly ca: string;
}

export interface OutboundCall extends OutboundTarget {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Time for the whole call. */
  readonly timeoutMs: number;
  /** The largest answer that is read. */
  readonly answerBytes: number;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly body: Uint8Array;
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
  readonly signal?: AbortSignal;
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
  readonly signal?: AbortSignal;
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

/**
 * Failures are TransportErrors with messages such as `Post "<url>": dial tcp 127.0.0.1:1: connect: connection refused`.
 * Their `retryable` is true exactly if the request was not sent, because no connection could be made.
 */
export interface OutboundClient {
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
  /** Throws, or rejects with, a TransportError that names what is missing: `service "x" not found`. */
  resolve(namespace: string, name: string, port: number): MaybePromise<ServiceAddress>;
}
