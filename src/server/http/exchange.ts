/**
 * One request and its answer, independent of what carries them: HTTP/2, HTTP/1.1 or a call inside the process. A
 * listener (`node/`, or the in-process transport) makes an Incoming, calls the Handler, and writes the Answer that it
 * returns.
 *
 * These types cost nothing per request unless they are used: there is no AbortController, no URL object and no timer. A
 * handler that must know about a disconnected client registers `onClose`.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ByteSink, ByteSource, ByteTunnel } from './byte-stream.ts';
import type { ChunkSource } from './chunk-source.ts';

/**
 * A client certificate that the TLS layer has verified against an authority of the listener, and that had not expired
 * when the request arrived.
 */
export interface PeerCertificate {
  /**
   * Names of the authorities that it was verified against (`client`, `front-proxy`), at least one. Authenticators must
   * check them: a certificate that only `front-proxy` verifies does not identify a user.
   */
  readonly authorities: readonly string[];
  /** The subject's common name and organizations, in the order of the certificate. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The whole certificate in DER. */
  readonly der: Uint8Array;
}

/** The facts that all requests of one connection share. */
export interface Connection {
  readonly protocol: 'h2' | 'http/1.1' | 'in-process';
  readonly secure: boolean;
  /** The client's address without the port; empty for in-process requests. */
  readonly remoteAddress: string;
  /** Returns the verified certificate of the client; undefined if it sent none, or one that cannot be verified. */
  certificate(): PeerCertificate | undefined;
  /**
   * Why an authority does not verify the client's certificate; undefined if it does, or if there is no certificate. The
   * listener accepts such a connection. Authentication then answers 401, as the reference does, unless another
   * credential identifies the client.
   */
  certificateProblem(authority: string): string | undefined;
}

/** The connection of a caller inside the process that has no identity. */
export const IN_PROCESS: Connection = {
  protocol: 'in-process',
  secure: true,
  remoteAddress: '',
  certificate: () => undefined,
  certificateProblem: () => undefined,
};

export type BodyResult =
  | { readonly outcome: 'ok'; readonly bytes: Uint8Array }
  /** The body exceeds the limit. The rest is not read. */
  | { readonly outcome: 'too-large' }
  /** The client disconnected, or sent malformed framing, before the body was complete. */
  | { readonly outcome: 'aborted' };

/** One request, as the listener received it. */
export interface Incoming {
  readonly method: string;
  /** Path and query as sent on the request line, not decoded: `/api/v1/pods?limit=500`. */
  readonly target: string;
  readonly connection: Connection;
  /**
   * Returns a header by its lower-case name; several headers of one name are joined by `, `. Here and below, each
   * character is one byte: `headerText` decodes UTF-8.
   */
  header(name: string): string | undefined;
  /** Returns every value of a header that may be repeated and whose values must not be joined (`impersonate-group`). */
  headerValues(name: string): readonly string[];
  /** Returns the names of all headers in lower case, for callers that look for a prefix (`impersonate-extra-`). */
  headerNames(): readonly string[];
  /**
   * Reads the whole body. Called at most once, and not together with `bodySource`. The bytes belong to the caller.
   * Never rejects: a failure is an outcome.
   */
  body(limit: number): MaybePromise<BodyResult>;
  /**
   * Returns the body as a stream, for handlers that pass it on without holding it. Called at most once, and instead of
   * `body`. The client's bytes are read as the sink takes them; before `pipeTo`, the transport holds at most its
   * receive window. The source aborts its sink if the client disconnects or sends too slowly. The body may continue
   * after the answer has begun; when the answer ends first, the rest of the body is discarded and the sink is aborted.
   */
  bodySource(): ByteSource;
  /**
   * Adds a listener that is called once if the client disconnects before the answer is complete; at once if it has
   * already.
   */
  onClose(listener: () => void): void;
}

/** The headers of an answer, without those that belong to the connection. */
export type AnswerHeaders = HttpHeaders;

/** The sink of a streaming answer. `abort` resets the HTTP/2 stream, or closes the HTTP/1.1 connection. */
export type AnswerSink = ByteSink;

export type Answer =
  /** Bytes that are complete already, sent with their length. The usual answer. */
  | { readonly kind: 'bytes'; readonly status: number; readonly headers: AnswerHeaders; readonly body: Uint8Array }
  /** A large body, made chunk by chunk while the client reads, sent with its length if that is known. */
  | {
      readonly kind: 'chunks';
      readonly status: number;
      readonly headers: AnswerHeaders;
      readonly chunks: ChunkSource;
    }
  /** A stream, such as a watch: the listener sends the headers at once, then calls `start` once. */
  | {
      readonly kind: 'stream';
      readonly status: number;
      readonly headers: AnswerHeaders;
      start(sink: AnswerSink): void;
    }
  /**
   * A WebSocket: the listener completes the handshake with one of the protocols, or answers 400, then calls `start`
   * once.
   */
  | {
      readonly kind: 'websocket';
      readonly headers: AnswerHeaders;
      /** Subprotocols in order of preference; empty if none is to be negotiated. */
      readonly protocols: readonly string[];
      start(socket: WebSocketPeer): void;
    }
  /**
   * An upgrade to another protocol (RFC 9110, 7.8): the listener answers `101 Switching Protocols`, then calls `start`
   * once with the connection. The listener closes the tunnel when it drains, and when the client disconnects or stops
   * reading. A request that is not an upgrade, as every HTTP/2 request, is answered 400 instead, and `start` gets a
   * closed tunnel.
   */
  | {
      readonly kind: 'tunnel';
      /** The value of the Upgrade header, such as `websocket` or `SPDY/3.1`. */
      readonly protocol: string;
      /** All other headers of the 101 answer, without `connection` and `upgrade`. */
      readonly headers: AnswerHeaders;
      start(tunnel: ByteTunnel): void;
    };

/** Returns the status code that the answer is sent with. */
export function statusOfAnswer(answer: Answer): number {
  return answer.kind === 'websocket' || answer.kind === 'tunnel' ? 101 : answer.status;
}

/** The server's end of a WebSocket. */
export interface WebSocketPeer {
  /** The negotiated subprotocol; '' for none. */
  readonly protocol: string;
  /**
   * Sends one message. Returns false if the socket is full: the caller must not send again before the drain listener is
   * called.
   */
  send(message: Uint8Array | string): boolean;
  /** Sets the listener that is called each time the socket can take messages again after `send` returned false. */
  onDrain(listener: () => void): void;
  /** Sets the listener for messages of the client. Text arrives as UTF-8. Call it in `start`. */
  onMessage(listener: (message: Uint8Array) => void): void;
  /** Starts the closing handshake with a status code of RFC 6455, 7.4. Later messages are not sent. */
  close(code: number, reason: string): void;
  /** Adds a listener that is called once when the connection has ended; at once if it has already. */
  onClose(listener: () => void): void;
}

/** Answers a request. Must not throw or reject: the head of the filter chain turns every failure into an answer. */
export type Handler = (incoming: Incoming) => MaybePromise<Answer>;

const CLOSED_SINK: AnswerSink = {
  write: () => false,
  onDrain: () => {},
  end: () => {},
  abort: () => {},
  onClose: (listener) => listener(),
};

const CLOSED_TUNNEL: ByteTunnel = { ...CLOSED_SINK, pipeTo: (sink) => sink.abort() };

const CLOSED_PEER: WebSocketPeer = {
  protocol: '',
  send: () => false,
  onDrain: () => {},
  onMessage: () => {},
  close: () => {},
  onClose: (listener) => listener(),
};

/**
 * Starts a streaming answer that will not be sent: the client has left, sent a HEAD request, or gets another answer
 * instead. `start` gets a closed sink, so the owner of a watch releases it at once.
 */
export function startClosed(answer: Answer): void {
  if (answer.kind === 'stream') answer.start(CLOSED_SINK);
  else if (answer.kind === 'websocket') answer.start(CLOSED_PEER);
  else if (answer.kind === 'tunnel') answer.start(CLOSED_TUNNEL);
}
