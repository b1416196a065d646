/**
 * A connection to one member of an etcd cluster: gRPC calls over one session of node:http2. It connects with the first
 * call, and again after the session has ended.
 * Invariant: every call is answered once, with a message or with a GrpcError that says how far it got.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import type { SecureContextOptions } from 'node:tls';
import type { Clock, Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { FrameReader } from './frame-reader.ts';
import { GRPC, GrpcError, type Progress, progressOf } from './grpc-error.ts';

/** The times of the reference's etcd client (`storagebackend/factory/etcd3.go`). */
const KEEPALIVE_MS = 30_000;
const KEEPALIVE_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A larger window than the default of 64 KiB, so that a long list does not wait for window updates. */
const WINDOW_BYTES = 16 * 1024 * 1024;

export interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface ChannelOptions {
  /** `http://host:port` or `https://host:port`. */
  readonly endpoint: string;
  readonly tls: TlsFiles;
  readonly clock: Clock;
}

/** A stream of messages in both directions. */
export interface Duplex {
  send(frame: Uint8Array): void;
  close(): void;
}

export interface DuplexSink {
  message(message: Uint8Array): void;
  /** The last call. */
  end(error: GrpcError): void;
}

interface Session {
  readonly http2: ClientHttp2Session;
  connected: boolean;
}

interface OpenStream {
  readonly session: Session;
  readonly http2: ClientHttp2Stream;
}

export class Channel {
  readonly endpoint: string;
  readonly #options: ChannelOptions;
  #session: Session | undefined;
  #keepalive: Timer | undefined;

  constructor(options: ChannelOptions) {
    this.endpoint = options.endpoint;
    this.#options = options;
  }

  /** Sends one message and returns the answer. Rejects with a GrpcError. */
  unary(path: string, frame: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const opened = this.#open(path, reject);
      if (opened === undefined) return;
      const reader = new FrameReader();
      let message: Uint8Array | undefined;
      const timer = this.#options.clock.setTimer(timeoutMs, () => call.cancel(timeoutMs));
      const call = new Call(opened, {
        data: (chunk) => {
          message ??= reader.push(chunk)[0];
        },
        done: (error) => {
          timer.cancel();
          if (error === undefined && message !== undefined) resolve(message);
          else reject(error ?? this.#broken('the answer is empty', 'unknown'));
        },
      });
      opened.http2.end(frame);
    });
  }

  /** Opens a stream. The sink is called in a later turn. */
  duplex(path: string, sink: DuplexSink): Duplex {
    let closed = false;
    const end = (error: GrpcError): void => {
      if (closed) return;
      closed = true;
      sink.end(error);
    };
    const close = (): void => {
      closed = true;
    };
    const opened = this.#open(path, (error) => setImmediate(end, error));
    if (opened === undefined) return { send: () => {}, close };
    const reader = new FrameReader();
    const call = new Call(opened, {
      data: (chunk) => {
        for (const message of reader.push(chunk)) if (!closed) sink.message(message);
      },
      done: (error) => end(error ?? this.#broken('the stream has ended', 'refused')),
    });
    return {
      send: (frame) => {
        if (!closed) opened.http2.write(frame);
      },
      close: () => {
        close();
        call.abandon();
      },
    };
  }

  close(): void {
    const session = this.#session;
    this.#forget(session);
    session?.http2.destroy();
  }

  #broken(message: string, progress: Progress, cause?: unknown): GrpcError {
    return new GrpcError(GRPC.unavailable, `${this.endpoint}: ${message}`, { progress, cause });
  }

  #open(path: string, fail: (error: GrpcError) => void): OpenStream | undefined {
    try {
      const session = this.#connect();
      const http2 = session.http2.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        // A member that has lost its leader answers at once instead of waiting (`rpctypes.MetadataRequireLeaderKey`).
        hasleader: 'true',
      });
      return { session, http2 };
    } catch (caught) {
      fail(this.#broken(toError(caught).message, 'refused', caught));
      return undefined;
    }
  }

  #connect(): Session {
    const open = this.#session;
    if (open !== undefined && !open.http2.closed && !open.http2.destroyed) return open;
    const { tls, clock } = this.#options;
    const secure: SecureContextOptions = {
      ...(tls.ca !== undefined && { ca: tls.ca }),
      ...(tls.cert !== undefined && { cert: tls.cert }),
      ...(tls.key !== undefined && { key: tls.key }),
    };
    const settings = { initialWindowSize: WINDOW_BYTES, enablePush: false };
    const http2 = connect(this.endpoint, { ...secure, settings });
    const session: Session = { http2, connected: false };
    this.#session = session;
    const timer = clock.setTimer(CONNECT_TIMEOUT_MS, () =>
      http2.destroy(this.#broken('connecting took too long', 'refused')),
    );
    http2.once('connect', () => {
      timer.cancel();
      session.connected = true;
      http2.setLocalWindowSize(WINDOW_BYTES);
      this.#armKeepalive(session);
    });
    // Each stream reports the failure to its call.
    http2.on('error', () => this.#forget(session));
    http2.on('goaway', () => this.#forget(session));
    http2.on('close', () => {
      timer.cancel();
      this.#forget(session);
    });
    return session;
  }

  #forget(session: Session | undefined): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#keepalive?.cancel();
    this.#keepalive = undefined;
  }

  #armKeepalive(session: Session): void {
    const { http2 } = session;
    const arm = (delayMs: number, task: () => void): void => {
      this.#keepalive = this.#options.clock.setTimer(delayMs, task, { background: true });
    };
    const ping = (): void => {
      if (http2.destroyed) return;
      arm(KEEPALIVE_TIMEOUT_MS, () => http2.destroy(this.#broken('the member does not answer', 'unknown')));
      http2.ping(() => {
        if (this.#session !== session) return;
        this.#keepalive?.cancel();
        arm(KEEPALIVE_MS, ping);
      });
    };
    arm(KEEPALIVE_MS, ping);
  }
}

interface CallListener {
  data(chunk: Uint8Array): void;
  /** Called once. Undefined: the status is OK. */
  done(error: GrpcError | undefined): void;
}

/** The events of one http2 stream as those of a gRPC call. */
class Call {
  readonly #stream: ClientHttp2Stream;
  readonly #session: Session;
  readonly #listener: CallListener;
  #status: GrpcError | 'ok' | undefined;
  #isDone = false;

  constructor({ session, http2: stream }: OpenStream, listener: CallListener) {
    this.#stream = stream;
    this.#session = session;
    this.#listener = listener;
    stream.on('response', (headers) => this.#takeStatus(headers));
    stream.on('trailers', (headers) => this.#takeStatus(headers));
    stream.on('data', (chunk: Uint8Array) => this.#data(chunk));
    stream.on('error', (error) => this.#finish(this.#failure(error.message, error)));
    stream.on('close', () => {
      if (this.#status === 'ok') this.#finish(undefined);
      else this.#finish(this.#status ?? this.#failure('the connection was lost'));
    });
  }

  cancel(timeoutMs: number): void {
    this.#finish(new GrpcError(GRPC.deadlineExceeded, `no answer within ${timeoutMs} ms`, { progress: 'unknown' }));
    this.#stream.close(CANCEL);
  }

  /** Closes the stream without a report. */
  abandon(): void {
    this.#isDone = true;
    this.#stream.close(CANCEL);
  }

  #data(chunk: Uint8Array): void {
    try {
      if (!this.#isDone) this.#listener.data(chunk);
    } catch (caught) {
      this.#finish(this.#failure(toError(caught).message, caught));
      this.#stream.close(CANCEL);
    }
  }

  #takeStatus(headers: IncomingHttpHeaders): void {
    const status = headers['grpc-status'];
    const http = Number(headers[':status'] ?? 200);
    if (status === undefined) {
      if (http !== 200) this.#status = this.#failure(`the answer is HTTP ${http}: this is no etcd`);
      return;
    }
    const code = Number(status);
    const message = unescapeMessage(String(headers['grpc-message'] ?? ''));
    this.#status = code === GRPC.ok ? 'ok' : new GrpcError(code, message, { progress: progressOf(code, message) });
  }

  /** A stream that fails before the session was connected, or that the server refused, has done nothing. */
  #failure(message: string, cause?: unknown): GrpcError {
    const isRefused = !this.#session.connected || this.#stream.rstCode === REFUSED_STREAM;
    return new GrpcError(GRPC.unavailable, message, { progress: isRefused ? 'refused' : 'unknown', cause });
  }

  #finish(error: GrpcError | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#listener.done(error);
  }
}

/** Error codes of HTTP/2, RFC 9113 section 7. */
const REFUSED_STREAM = 0x7;
const CANCEL = 0x8;

/** gRPC escapes bytes outside of printable ASCII with a percent sign. A malformed message is shown as it is. */
function unescapeMessage(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
