/**
 * Every bound of a listener, with the answer to crossing it. Invariant: whatever a client sends, or does not send, the memory and the time it can
 * take are bounded by a number of this file.
 */
export interface ListenerLimits {
  /** Open connections, unfinished handshakes included. Beyond: the new connection is closed at once. */
  readonly maxConnections: number;
  /** Streams open at once on one HTTP/2 connection. Beyond: REFUSED_STREAM, and after 100 refusals the connection is closed. */
  readonly maxStreams: number;
  /** Requests that an HTTP/1.1 client may send ahead of the answers. Beyond: the connection is closed. */
  readonly maxPipelined: number;
  /** All headers of a request together, before compression. Beyond: HTTP/2 resets the stream, HTTP/1.1 answers 431 and closes. */
  readonly maxHeaderBytes: number;
  /** Headers of one request. Beyond: as above. */
  readonly maxHeaderCount: number;
  /** What one stream may send before somebody reads it; the reference's figure, enough for nearly all objects. */
  readonly streamWindowBytes: number;
  /** From accepting to the end of the TLS handshake. Beyond: closed. */
  readonly handshakeTimeoutMs: number;
  /** From the handshake to the first whole request. Beyond: closed. The reference's figure. */
  readonly headersTimeoutMs: number;
  /** Without a request in progress. Beyond: GOAWAY, or closed. The reference's figure. */
  readonly idleTimeoutMs: number;
  /** For a whole body, from the moment somebody reads it. Beyond: HTTP/2 resets the stream, HTTP/1.1 closes; the reader gets `aborted`. */
  readonly bodyTimeoutMs: number;
  /** A reader of an answer may be slower than `slowestReader` for this long. Beyond: as for bodies; an HTTP/2 connection that takes nothing at all is closed. */
  readonly stallTimeoutMs: number;
  /** Bytes per second. */
  readonly slowestReader: number;
  /** How long an HTTP/1.1 client that was answered before it had sent its body may go on sending. Beyond: closed. */
  readonly lingerMs: number;
  /** Streams that the client may break off in one go (CVE-2023-44487). Beyond: GOAWAY ENHANCE_YOUR_CALM and closed. */
  readonly resetBurst: number;
  /** How fast that allowance comes back. */
  readonly resetsPerSecond: number;
  /** The same for frames that ask for nothing: PING, SETTINGS, acknowledgements, PRIORITY, GOAWAY, empty DATA, frames of streams that are over and of unknown types. */
  readonly controlFrameBurst: number;
  readonly controlFramesPerSecond: number;
  /** One WebSocket message, fragments together. Beyond: closed with 1009. */
  readonly maxMessageBytes: number;
}

export const defaultLimits: ListenerLimits = {
  maxConnections: 10_000,
  maxStreams: 250,
  maxPipelined: 100,
  maxHeaderBytes: 64 * 1024,
  maxHeaderCount: 200,
  streamWindowBytes: 256 * 1024,
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 32_000,
  idleTimeoutMs: 90_000,
  bodyTimeoutMs: 60_000,
  stallTimeoutMs: 30_000,
  slowestReader: 8 * 1024,
  lingerMs: 2_000,
  resetBurst: 500,
  resetsPerSecond: 50,
  controlFrameBurst: 1_000,
  controlFramesPerSecond: 100,
  maxMessageBytes: 3 * 1024 * 1024,
};
