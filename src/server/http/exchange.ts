/**
 * One request and its answer, whatever carried them: HTTP/2, HTTP/1.1 or a call inside the process. A listener
 * (`node/`, or the in-process transport) makes an Incoming, calls the Handler, and writes the Answer that it gets.
 *
 * Rules that keep this cheap (hot-path rule 7): nothing here is allocated per request unless somebody asks for it.
 * There is no AbortController, no URL object and no timer; a handler that must know about a lost client registers
 * `onClose`.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ByteSink, ByteSource, ByteTunnel } from './byte-stream.ts';
import type { ChunkSource } from './chunk-source.ts';

/**
 * A client certificate that the TLS layer has verified against an authority of the listener, and that has not expired
 * since.
 */
export interface PeerCertificate {
  /**
   * Names of the authorities that it was verified against (`client`, `front-proxy`), at least one. Who authenticates
   * must look: a certificate for front proxies says nothing about users, whatever its subject is.
   */
  readonly authorities: readonly string[];
  /** Subject common names and organizations, in the order of the certificate. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DER, for those who need more. */
  readonly der: Uint8Array;
}

/** What all requests of one connection share. */
export interface Connection {
  readonly protocol: 'h2' | 'http/1.1' | 'in-process';
  readonly secure: boolean;
  /** Without the port; empty in process. */
  readonly remoteAddress: string;
  /** The verified certificate of the client; undefined if it sent none, or one that does not verify. */
  certificate(): PeerCertificate | undefined;
  /**
   * Why the certificate that the client did send does not verify; undefined if it sent none or it does. The listener
   * lets such requests pass; authentication refuses them (401, as the reference does) unless something else identifies
   * the client.
   */
  certificateProblem(): string | undefined;
}

/** A caller inside the process, without an identity. */
export const IN_PROCESS: Connection = {
  protocol: 'in-process',
  secure: true,
  remoteAddress: '',
  certificate: () => undefined,
  certificateProblem: () => undefined,
};

export type BodyResult =
  | { readonly outcome: 'ok'; readonly bytes: Uint8Array }
  /** More than the limit; the rest is not read. */
  | { readonly outcome: 'too-large' }
  /** The client went away, or broke the framing, before the body was whole. */
  | { readonly outcome: 'aborted' };

export interface Incoming {
  readonly method: string;
  /** Path and query as they stand on the request line, not decoded: `/api/v1/pods?limit=500`. */
  readonly target: string;
  readonly connection: Connection;
  /**
   * A header by its lower-case name; several of one name are joined by `, `. One character a byte, here and below:
   * `headerText` reads what may be more than ASCII.
   */
  header(name: string): string | undefined;
  /** Every value of a header that may come several times and must not be joined (`impersonate-group`). */
  headerValues(name: string): readonly string[];
  /** Names of all headers, lower-case: for the few who look for prefixes (`impersonate-extra-`). */
  headerNames(): readonly string[];
  /** Reads the whole body. Called at most once, and not together with `bodySource`. The bytes belong to the caller. */
  body(limit: number): MaybePromise<BodyResult>;
  /**
   * Returns the body as a stream, for handlers that pass it on without holding it. Called at most once, and instead of
   * `body`. The client's bytes are read as the sink takes them; before `pipeTo`, the transport holds at most its
   * receive window. The source aborts its sink if the client disconnects or sends too slowly. The body may continue
   * after the answer has begun; when the answer ends first, the rest of the body is discarded and the sink is aborted.
   */
  bodySource(): ByteSource;
  /** Calls back once when the client is gone before the answer was complete; at once if it is already. */
  onClose(listener: () => void): void;
}

/** The headers of an answer, without those that belong to the connection. */
export type AnswerHeaders = HttpHeaders;

/** The sink of a streaming answer. `abort` resets the HTTP/2 stream, or closes the HTTP/1.1 connection. */
export type AnswerSink = ByteSink;

export type Answer =
  /** The usual one: known bytes, sent with their length. */
  | { readonly kind: 'bytes'; readonly status: number; readonly headers: AnswerHeaders; readonly body: Uint8Array }
  /** A large body, taken chunk by chunk as the client reads, sent with its length. */
  | {
      readonly kind: 'chunks';
      readonly status: number;
      readonly headers: AnswerHeaders;
      readonly chunks: ChunkSource;
    }
  /** A watch: headers are sent at once, then `start` is called, once. */
  | {
      readonly kind: 'stream';
      readonly status: number;
      readonly headers: AnswerHeaders;
      start(sink: AnswerSink): void;
    }
  /**
   * A WebSocket: the listener makes the handshake with one of the protocols, or answers 400, then calls `start`, once.
   */
  | {
      readonly kind: 'websocket';
      readonly headers: AnswerHeaders;
      /** Subprotocols in order of preference; empty: none is negotiated. */
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

export interface WebSocketPeer {
  readonly protocol: string;
  /** One message. False: write no more until `onDrain` calls. */
  send(message: Uint8Array | string): boolean;
  onDrain(listener: () => void): void;
  onMessage(listener: (message: Uint8Array) => void): void;
  close(code: number, reason: string): void;
  onClose(listener: () => void): void;
}

/** Answers a request. It never throws and never rejects: the head of the filter chain sees to that. */
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
 * For an answer whose client is gone, asked for headers only, or gets something else instead: `start` is called all the
 * same, and whoever holds a watch for the answer hears at once that it is over.
 */
export function startClosed(answer: Answer): void {
  if (answer.kind === 'stream') answer.start(CLOSED_SINK);
  else if (answer.kind === 'websocket') answer.start(CLOSED_PEER);
  else if (answer.kind === 'tunnel') answer.start(CLOSED_TUNNEL);
}
