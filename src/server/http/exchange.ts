/**
 * One request and its answer, whatever carried them: HTTP/2, HTTP/1.1 or a call inside the process. A listener (`node/`, or the
 * in-process transport) makes an Incoming, calls the Handler, and writes the Answer that it gets.
 *
 * Rules that keep this cheap (hot-path rule 7): nothing here is allocated per request unless somebody asks for it. There is no
 * AbortController, no URL object and no timer; a handler that must know about a lost client registers `onClose`.
 */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ChunkSource } from './chunk-source.ts';

/** A client certificate that the TLS layer has verified against an authority of the listener, and that has not expired since. */
export interface PeerCertificate {
  /**
   * Names of the authorities that it was verified against (`client`, `front-proxy`), at least one. Who authenticates must look: a
   * certificate for front proxies says nothing about users, whatever its subject is.
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
   * Why the certificate that the client did send does not verify; undefined if it sent none or it does. The listener lets such requests
   * pass; authentication refuses them (401, as the reference does) unless something else identifies the client.
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
  /** A header by its lower-case name; several of one name are joined by `, `. One character a byte, here and below: `headerText` reads what may be more than ASCII. */
  header(name: string): string | undefined;
  /** Every value of a header that may come several times and must not be joined (`impersonate-group`). */
  headerValues(name: string): readonly string[];
  /** Names of all headers, lower-case: for the few who look for prefixes (`impersonate-extra-`). */
  headerNames(): readonly string[];
  /** Reads the whole body, once. The bytes belong to the caller. */
  body(limit: number): MaybePromise<BodyResult>;
  /** Calls back once when the client is gone before the answer was complete; at once if it is already. */
  onClose(listener: () => void): void;
}

/** Header names are lower-case. A list is sent as several headers of that name (`warning`). */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Where a streaming answer writes. */
export interface AnswerSink {
  /** Takes the chunks by reference. False: write no more until `onDrain` calls. */
  write(chunks: readonly Uint8Array[]): boolean;
  onDrain(listener: () => void): void;
  /** Ends the answer cleanly. */
  end(): void;
  /** Breaks the answer off so that the client notices: the headers are gone already and nothing else can say it. */
  abort(): void;
  /** Calls back once when nothing can be written any more: the client left, or the server ended the connection. */
  onClose(listener: () => void): void;
}

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
  /** A WebSocket: the listener makes the handshake with one of the protocols, or answers 400, then calls `start`, once. */
  | {
      readonly kind: 'websocket';
      readonly headers: AnswerHeaders;
      /** Subprotocols in order of preference; empty: none is negotiated. */
      readonly protocols: readonly string[];
      start(socket: WebSocketPeer): void;
    };

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

const CLOSED_PEER: WebSocketPeer = {
  protocol: '',
  send: () => false,
  onDrain: () => {},
  onMessage: () => {},
  close: () => {},
  onClose: (listener) => listener(),
};

/**
 * For an answer whose client is gone, asked for headers only, or gets something else instead: `start` is called all the same, and whoever holds a watch for the answer
 * hears at once that it is over.
 */
export function startClosed(answer: Answer): void {
  if (answer.kind === 'stream') answer.start(CLOSED_SINK);
  else if (answer.kind === 'websocket') answer.start(CLOSED_PEER);
}
