/**
 * The transport between API clients and an API server: one HTTP request and its response, independent of the protocol
 * that carries them. A client is written against `Transport`; the in-process transport of `server/http` implements it
 * without a socket.
 */
import type { AbortSignalLike } from '../../base/abort-signal.ts';

/** Header names are in lower case. A list stands for several headers of that name (`warning`). */
export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface TransportRequest {
  /** In upper case: `GET`. */
  readonly method: string;
  /** Path and query: `/api/v1/pods?limit=500`. */
  readonly target: string;
  readonly headers?: HttpHeaders;
  /** Passed on by reference: the caller must not modify it afterwards. */
  readonly body?: Uint8Array;
  /** Cancels the request. Before the response, the call rejects with the reason; afterwards, reading the body does. */
  readonly signal?: AbortSignalLike;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /**
   * Bytes if the whole body was available, otherwise a stream that can be read once. Leaving the loop over the stream
   * early disconnects from the server. The bytes may be shared with other readers: the caller must not modify them.
   */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/**
 * Sends a request and resolves with the head of its response. An HTTP status of failure is a response, not a rejection.
 * Rejects with the reason of the signal, or with an error of the transport.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;
