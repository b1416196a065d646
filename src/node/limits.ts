/**
 * The limits of a listener, each with the consequence of exceeding it.
 * Invariant: the memory and the time that one client can use are bounded by numbers of this file.
 */
export interface ListenerLimits {
  /** Open connections, including unfinished handshakes. Beyond: a new connection is closed at once. */
  readonly maxConnections: number;
  /**
   * Concurrent streams of one HTTP/2 connection. Beyond: REFUSED_STREAM, and after 100 of them the connection is
   * closed.
   */
  readonly maxStreams: number;
  /** Pipelined requests of one HTTP/1.1 connection. Beyond: the connection is closed. */
  readonly maxPipelined: number;
  /**
   * Uncompressed size of all headers of a request. Beyond: HTTP/2 resets the stream; HTTP/1.1 answers 431 and closes.
   */
  readonly maxHeaderBytes: number;
  /** Number of headers of a request. Beyond: as for `maxHeaderBytes`. */
  readonly maxHeaderCount: number;
  /**
   * Receive window of one HTTP/2 stream: bytes of a body that are held before the handler reads it. The reference's
   * figure.
   */
  readonly streamWindowBytes: number;
  /** Time from accept to the end of the TLS handshake. Beyond: the connection is closed. */
  readonly handshakeTimeoutMs: number;
  /**
   * Time from the handshake to the headers of the first request. Beyond: the connection is closed. The reference's
   * figure.
   */
  readonly headersTimeoutMs: number;
  /** Time without a request in progress. Beyond: HTTP/2 sends GOAWAY; HTTP/1.1 closes. The reference's figure. */
  readonly idleTimeoutMs: number;
  /**
   * Time for a whole body, from the moment the handler reads it. Beyond: HTTP/2 resets the stream, HTTP/1.1 closes, and
   * the handler gets `aborted`. For a streamed body, `stallTimeoutMs` and `slowestReader` apply to the sender instead,
   * while the sink has room.
   */
  readonly bodyTimeoutMs: number;
  /**
   * Time for which a client may read its answer more slowly than `slowestReader`. Beyond: HTTP/2 resets the stream,
   * HTTP/1.1 closes. An HTTP/2 connection whose client reads nothing at all is closed.
   */
  readonly stallTimeoutMs: number;
  /** Bytes per second. */
  readonly slowestReader: number;
  /**
   * Time for which an HTTP/1.1 client may continue to send its body after the answer. Beyond: the connection is closed.
   */
  readonly lingerMs: number;
  /**
   * Burst of stream resets by the client (CVE-2023-44487). Beyond: GOAWAY with ENHANCE_YOUR_CALM, and the connection is
   * closed.
   */
  readonly resetBurst: number;
  /** Rate at which the allowance for resets refills. */
  readonly resetsPerSecond: number;
  /**
   * The same for control frames: PING, SETTINGS, acknowledgements, PRIORITY, GOAWAY, empty DATA, frames of closed
   * streams and of unknown types.
   */
  readonly controlFrameBurst: number;
  readonly controlFramesPerSecond: number;
  /** Size of one WebSocket message, all fragments together. Beyond: the connection is closed with code 1009. */
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
