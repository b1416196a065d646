/**
 * The gRPC channel over our own HTTP/2 client: one connection, one object per call, and one write for all calls of a
 * turn of the event loop.
 * Invariants: a call waits only while a connection is made, or while the server allows no further stream. Waiting calls
 * are sent in order.
 */
import { toError } from '../../base/errors.ts';
import {
  type GrpcChannel,
  type GrpcChannelOptions,
  type GrpcDuplex,
  type GrpcDuplexSink,
  type GrpcProgress,
  grpcProgress,
} from '../../base/grpc.ts';
import { DeadlineWheel } from '../deadline-wheel.ts';
import { H2Shared } from '../http2/shared.ts';
import { DirectReads } from '../outbound/direct-reads.ts';
import { NotSentError } from '../outbound/errors.ts';
import { PooledSession } from '../outbound/pooled-session.ts';
import { type CallChannel, DuplexCall, type GrpcCall, UnaryCall } from './grpc-call.ts';
import { type GrpcEndpoint, parseGrpcEndpoint } from './grpc-endpoint.ts';

/** The times of the reference's etcd client (`storagebackend/factory/etcd3.go`). */
const CONNECT_TIMEOUT_MS = 5_000;
const PING_TIMEOUT_MS = 10_000;
/** Larger than the default of 64 KiB, so that a long list does not wait for window updates. */
const SETTINGS = { streamWindowBytes: 16 * 1024 * 1024, maxHeaderBytes: 64 * 1024, maxHeaderCount: 100 };
/** A server that measures the bandwidth, as grpc-go does, sends a PING per round trip while it receives data. */
const CONTROL_FRAMES_PER_SECOND = 100_000;
/** Deadlines fire at most two ticks late. */
const TICK_MS = 100;

/** Returns a channel. It connects with the first call. Throws ConfigError for an invalid endpoint. */
export function openGrpcChannel(options: GrpcChannelOptions): GrpcChannel {
  return new Channel(options, parseGrpcEndpoint(options.endpoint, options.tls ?? {}));
}

class Channel implements GrpcChannel, CallChannel {
  readonly endpoint: string;
  readonly maxMessageBytes: number | undefined;
  readonly #options: GrpcChannelOptions;
  readonly #address: GrpcEndpoint;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #http2: H2Shared;
  readonly #deadlines: DeadlineWheel;
  readonly #onUnaryDone = (call: UnaryCall): void => this.#deadlines.delete(call);
  #session: PooledSession | undefined;
  /** Ends the attempt to connect; undefined if there is none. */
  #stopConnecting: ((reason: NotSentError) => void) | undefined;
  #waiting: GrpcCall[] = [];
  #isClosed = false;

  constructor(options: GrpcChannelOptions, address: GrpcEndpoint) {
    this.endpoint = options.endpoint;
    this.maxMessageBytes = options.maxMessageBytes;
    this.#options = options;
    this.#address = address;
    this.#headers = { 'content-type': 'application/grpc', te: 'trailers', ...options.metadata };
    this.#http2 = new H2Shared(options.clock);
    this.#deadlines = new DeadlineWheel(options.clock, { tickMs: TICK_MS });
  }

  unary(path: string, frame: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const call = new UnaryCall(this, { path, frame, timeoutMs, onDone: this.#onUnaryDone, resolve, reject });
      this.#deadlines.add(call);
      call.deadline = this.#deadlines.in(timeoutMs);
      this.#start(call);
    });
  }

  duplex(path: string, sink: GrpcDuplexSink): GrpcDuplex {
    const call = new DuplexCall(this, path, sink);
    this.#start(call);
    return call;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopConnecting?.(new NotSentError('the channel is closed'));
    this.#session?.destroy();
  }

  progressOf(code: number, message: string): GrpcProgress {
    return (this.#options.progressOf ?? grpcProgress)(code, message);
  }

  streamClosed(): void {
    if (this.#waiting.length > 0) this.#sendWaiting();
  }

  #start(call: GrpcCall): void {
    if (this.#waiting.length === 0 && this.#session?.reserve()) this.#send(this.#session, call);
    else {
      this.#waiting.push(call);
      if (this.#session === undefined) this.#connect();
    }
  }

  #send(session: PooledSession, call: GrpcCall): void {
    const { authority, scheme } = this.#address;
    try {
      const { path, body } = call;
      const headers = this.#headers;
      call.opened(session.open({ method: 'POST', scheme, path, authority, headers, isSteady: true, body }, call));
    } catch (caught) {
      // The session has just ended. The failure is reported in a later turn, after the caller has received its call.
      setImmediate(() => call.failed(toError(caught)));
    }
  }

  #sendWaiting(): void {
    const session = this.#session;
    if (session === undefined) {
      if (this.#waiting.length > 0) this.#connect();
      return;
    }
    let sent = 0;
    while (sent < this.#waiting.length) {
      const call = this.#waiting[sent]!;
      if (!call.isDone) {
        if (!session.reserve()) break;
        this.#send(session, call);
      }
      sent++;
    }
    this.#waiting.splice(0, sent);
  }

  #connect(): void {
    if (this.#stopConnecting !== undefined) return;
    const attempt = this.#dial();
    attempt.then(
      (session) => {
        this.#stopConnecting = undefined;
        this.#session = session;
        this.#sendWaiting();
      },
      (caught: unknown) => {
        this.#stopConnecting = undefined;
        const waiting = this.#waiting;
        this.#waiting = [];
        const error = toError(caught);
        for (const call of waiting) call.failed(error instanceof NotSentError ? error : notSent(error));
      },
    );
  }

  async #dial(): Promise<PooledSession> {
    const { clock } = this.#options;
    const reads = new DirectReads();
    const socket = this.#address.connect(reads);
    let reason: NotSentError | undefined;
    this.#stopConnecting = (why) => {
      reason = why;
      socket.destroy(why);
    };
    if (this.#isClosed) this.#stopConnecting(new NotSentError('the channel is closed'));
    const late = new NotSentError('connecting took too long');
    const timer = clock.setTimer(CONNECT_TIMEOUT_MS, () => this.#stopConnecting?.(late));
    try {
      await this.#address.connected(socket);
      const session: PooledSession = new PooledSession(
        {
          socket,
          reads,
          http2: this.#http2,
          clock,
          settings: SETTINGS,
          pingTimeoutMs: PING_TIMEOUT_MS,
          controlFramesPerSecond: CONTROL_FRAMES_PER_SECOND,
          // Calls read the status of their response and keep nothing of its headers.
          sharesHeaders: true,
        },
        { onRetired: () => this.#forget(session), onClosed: () => this.#forget(session) },
      );
      await session.start();
      return session;
    } catch (caught) {
      socket.destroy();
      throw reason ?? toError(caught);
    } finally {
      timer.cancel();
    }
  }

  /** Drops a session that has ended, and connects again if calls wait for a stream. */
  #forget(session: PooledSession): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    if (this.#waiting.length > 0) this.#connect();
  }
}

function notSent(cause: Error): NotSentError {
  return new NotSentError(cause.message, { cause });
}
