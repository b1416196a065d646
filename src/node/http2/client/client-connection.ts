/**
 * One HTTP/2 connection to a server (RFC 9113), with many requests at a time.
 *
 * Invariants: a request fails with a NotSentError exactly if its headers were not written or the kernel refused the
 * write, and with a NotProcessedError exactly if the server said that it did not process it. The connection takes no
 * requests after GOAWAY, after a connection error, or when its stream numbers are used up. It keeps the process alive
 * only while it has requests, and for LINGER_MS after the last.
 */
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../../base/clock.ts';
import { TransportError, toError } from '../../../base/errors.ts';
import { TokenBucket } from '../../../base/token-bucket.ts';
import type { OutboundResponse } from '../../../server/http/outbound.ts';
import { lostConnection, NotProcessedError, NotSentError, StreamResetError } from '../../outbound/errors.ts';
import type { RequestEvents } from '../../outbound/request-events.ts';
import { FrameReader } from '../frame-reader.ts';
import { CODE, codeName, goaway, ping, resetStream, type Violation, violation, WINDOW_LIMIT } from '../frames.ts';
import { H2Endpoint } from '../h2-endpoint.ts';
import { checkHeaders, type RequestHead } from '../hpack-encoder.ts';
import { type ClientSettings, clientPreface, type SettingsChange } from '../settings.ts';
import type { H2Shared } from '../shared.ts';
import { ClientFrames, type ClientFramesConnection } from './client-frames.ts';
import { type ClientRequest, ClientStream, type ClientStreamConnection } from './client-stream.ts';

export interface ClientConnectionEvents {
  /** Called for each SETTINGS frame of the server. `limit` is Infinity if the server does not limit the streams. */
  maxStreams(limit: number): void;
  /** Called when the connection takes no more requests; maybe several times. */
  retired(): void;
  /** Called once when the connection is closed. All requests have failed. */
  closed(reason: Error): void;
}

export interface ClientConnectionOptions {
  /** A connection whose server has been verified, and that has negotiated `h2` or is known to speak it. */
  readonly socket: Socket;
  readonly shared: H2Shared;
  readonly settings: ClientSettings;
  readonly clock: Clock;
  /** Control frames and informational responses that the server may send. Default 1,000 per second. */
  readonly controlFramesPerSecond?: number | undefined;
  /** Responses with equal headers get the same object. The caller must not modify it. Default false. */
  readonly sharesHeaders?: boolean | undefined;
  /** Reads the socket. Default: its stream. */
  readonly reads?: { listen(listener: (bytes: Buffer) => void): void } | undefined;
  readonly events: ClientConnectionEvents;
}

/** Control frames that a server may send at once. Beyond, the connection is closed. */
const CONTROL_FRAME_BURST = 10_000;
const CONTROL_FRAMES_PER_SECOND = 1_000;
/** The time that a server has to read a GOAWAY before the connection is closed. */
const GOAWAY_GRACE_MS = 1_000;
/**
 * How long an idle connection still keeps the process alive. To call `ref` and `unref` for each request would cost 2 %
 * of the CPU time of a request through the aggregator.
 */
const LINGER_MS = 100;
const PING_PAYLOAD = new Uint8Array(8);
/** The longest body of a request that an idle connection takes in one piece. */
const SHORT_BODY = 16 * 1024;

export class ClientConnection
  extends H2Endpoint<ClientStream>
  implements ClientStreamConnection, ClientFramesConnection
{
  readonly streamWindowBytes: number;
  readonly #settings: ClientSettings;
  readonly #clock: Clock;
  readonly #events: ClientConnectionEvents;
  readonly #reads: ClientConnectionOptions['reads'];
  readonly #frames: ClientFrames;
  readonly #reader: FrameReader;
  readonly #controlFrames: TokenBucket;
  #nextStream = 1;
  /** The server's limit of streams. */
  #maxStreams = Number.POSITIVE_INFINITY;
  /** Requests whose streams are open, or will be opened. */
  #active = 0;
  #isRetired = false;
  #isClosed = false;
  /** Why all requests have failed; undefined while the connection works. */
  #failure: Error | undefined;
  /** The message of requests that fail because the server closes the connection. */
  #lostText = 'EOF';
  #graceTimer: Timer | undefined;
  /** Set from the end of the last request until the socket is unreferenced, or longer if there are new requests. */
  #lingerTimer: Timer | undefined;
  #isUnreferenced = false;
  /** A short request that is written at once, until the kernel has taken the write. */
  #untaken: ClientStream | undefined;
  /** The steady headers that were checked last. */
  #checked: ClientRequest['headers'] | undefined;

  constructor(options: ClientConnectionOptions) {
    const { socket, shared, settings, clock, events } = options;
    super(socket, shared);
    this.streamWindowBytes = settings.streamWindowBytes;
    this.#settings = settings;
    this.#clock = clock;
    this.#events = events;
    this.#reads = options.reads;
    this.#frames = new ClientFrames(this, settings, options.sharesHeaders ?? false);
    this.#reader = new FrameReader(this.#frames, 'server');
    this.#controlFrames = new TokenBucket(
      CONTROL_FRAME_BURST,
      options.controlFramesPerSecond ?? CONTROL_FRAMES_PER_SECOND,
      clock.now(),
    );
  }

  /** Sends the preface and starts to read. Called once. */
  start(): void {
    const { socket } = this;
    this.writeControl(clientPreface(this.#settings));
    const read = (bytes: Buffer): void => this.#reader.read(bytes);
    if (this.#reads === undefined) socket.on('data', read);
    else this.#reads.listen(read);
    socket.on('error', (error) => {
      this.#failure ??= lostConnection('EOF', error);
    });
    // A server that closed its half can send no response any more.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => this.#handleClose());
    if (socket.destroyed) this.#handleClose();
  }

  /** The number of running requests. */
  get active(): number {
    return this.#active;
  }

  get isUsable(): boolean {
    return !this.#isRetired && !this.#isClosed;
  }

  get bytesRead(): number {
    return this.socket.bytesRead;
  }

  /**
   * Sends a request. Throws if HTTP does not allow a header, and a NotSentError if the connection takes no requests.
   * Backpressure of the body, the limit of streams and timeouts are the caller's concern.
   */
  send(request: ClientRequest, events: RequestEvents<OutboundResponse>): ClientStream {
    this.#check(request);
    if (!this.isUsable) throw new NotSentError(this.#failure?.message ?? 'http2: the connection is closed');
    const stream = new ClientStream(this, request, events);
    this.#active++;
    if (this.#isUnreferenced) {
      this.#isUnreferenced = false;
      this.socket.ref();
    }
    const isCorked = this.cork();
    let isWhole = false;
    try {
      isWhole = stream.start();
    } finally {
      const isAtOnce = isWhole && this.#active === 1;
      if (isCorked && isAtOnce && isShort(request)) this.#untaken = stream;
      if (isCorked) this.uncork(isAtOnce);
    }
    return stream;
  }

  /** Steady headers are checked once. */
  #check({ headers, isSteady }: ClientRequest): void {
    if (isSteady === true && headers === this.#checked) return;
    checkHeaders(headers);
    if (isSteady === true) this.#checked = headers;
  }

  /** Asks the server to answer: a connection that is alive receives bytes soon. */
  ping(): void {
    this.writeControl(ping(PING_PAYLOAD));
  }

  /** Takes no more requests and closes after the last one. */
  close(): void {
    this.#retire();
    if (this.#active === 0) this.#end(CODE.noError);
  }

  /** Fails all requests and closes at once. */
  fail(message: string): void {
    if (this.#isClosed) return;
    this.#failure ??= lostConnection(message);
    this.#failAll();
    this.socket.destroy();
  }

  // Streams

  encode(head: RequestHead, length: number): Buffer {
    return this.encoder.encodeRequest(head, length);
  }

  open(stream: ClientStream): number {
    const id = this.#nextStream;
    this.#nextStream += 2;
    if (this.#nextStream > WINDOW_LIMIT) this.#retire();
    this.#frames.lastStream = id;
    stream.sendWindow = this.initialSendWindow;
    this.streams.set(id, stream);
    return id;
  }

  streamFinished(stream: ClientStream): void {
    // As Go's client does it: the server has answered and does not need the rest of the body.
    if (!stream.localEnded) this.#reset(stream, CODE.noError);
    this.#over(stream);
  }

  cancel(stream: ClientStream): void {
    if (stream.id !== 0) this.#reset(stream, CODE.cancel);
    this.#over(stream);
  }

  #reset(stream: ClientStream, code: number): void {
    this.#frames.rememberReset(stream.id);
    this.sendControl(resetStream(stream.id, code));
  }

  /** Called once for each stream, before it is closed. */
  #over(stream: ClientStream): void {
    this.forget(stream);
    if (--this.#active > 0 || this.#isClosed) return;
    this.#lingerTimer ??= this.#clock.setTimer(LINGER_MS, () => this.#unreference(), { background: true });
    if (this.#isRetired) this.#end(CODE.noError);
  }

  #unreference(): void {
    this.#lingerTimer = undefined;
    if (this.#active > 0 || this.#isClosed) return;
    this.#isUnreferenced = true;
    this.socket.unref();
  }

  /** Does nothing for a stream that the failure of another one has cancelled. */
  #fail(stream: ClientStream, error: Error): void {
    if (stream.isClosed) return;
    this.#over(stream);
    stream.fail(error);
  }

  // Receiving

  override changeSettings(change: SettingsChange): Violation | undefined {
    if (change.enablesPush) return violation(CODE.protocolError, 'a server cannot enable push');
    const problem = super.changeSettings(change);
    if (problem !== undefined) return problem;
    this.#maxStreams = change.maxConcurrentStreams ?? this.#maxStreams;
    this.#events.maxStreams(this.#maxStreams);
    return undefined;
  }

  sendControl(frame: Uint8Array): void {
    if (!this.isEnding) this.writeControl(frame);
  }

  streamReset(stream: ClientStream, code: number): void {
    const text = `stream error: stream ID ${stream.id}; ${codeName(code)}; received from peer`;
    this.#fail(stream, code === CODE.refusedStream ? new NotProcessedError(text) : new StreamResetError(text));
  }

  streamError(stream: ClientStream, code: number): void {
    this.#reset(stream, code);
    this.#fail(stream, new TransportError(`stream error: stream ID ${stream.id}; ${codeName(code)}`));
  }

  headersTooLarge(stream: ClientStream): void {
    this.#reset(stream, CODE.cancel);
    this.#fail(stream, new TransportError('http2: response header list larger than advertised limit'));
  }

  countControlFrame(): void {
    if (!this.#controlFrames.take(this.#clock.now()))
      this.connectionError(violation(CODE.enhanceYourCalm, 'too many control frames'));
  }

  goawayReceived(lastStream: number, code: number): void {
    this.#retire();
    const facts = `LastStreamID=${lastStream}, ErrCode=${codeName(code)}`;
    this.#lostText = `http2: server sent GOAWAY and closed the connection; ${facts}`;
    const unprocessed = new NotProcessedError(this.#lostText);
    for (const stream of [...this.queued]) if (stream.id === 0) this.#fail(stream, unprocessed);
    for (const stream of this.streams.values()) if (stream.id > lastStream) this.#fail(stream, unprocessed);
    if (this.#active === 0) this.#end(CODE.noError);
  }

  /** A connection error (RFC 9113, 5.4.1): fails all requests and ignores everything that the server still sends. */
  connectionError({ code, why }: Violation): void {
    if (this.#isClosed || this.isEnding) return;
    this.#failure ??= lostConnection(`http2: connection error: ${codeName(code)}: ${why}`);
    this.#end(code);
    this.#failAll();
  }

  // Closing

  protected override advanceFailed(stream: ClientStream, caught: unknown): void {
    if (stream.id !== 0 && !stream.isClosed) this.#reset(stream, CODE.internalError);
    this.#fail(stream, toError(caught));
  }

  /** Bodies wait in their streams while the server does not read. */
  protected override writerChanged(): void {
    if (this.writer.unsent === 0) this.#untaken = undefined;
  }

  protected override allWritten(): void {
    this.socket.end();
  }

  #retire(): void {
    this.#isRetired = true;
    this.#events.retired();
  }

  #end(code: number): void {
    if (this.isEnding || this.#isClosed) return;
    this.writeControl(goaway(0, code));
    this.endWhenWritten();
    this.#graceTimer = this.#clock.setTimer(GOAWAY_GRACE_MS, () => this.socket.destroy(), { background: true });
  }

  #failAll(): void {
    this.#retire();
    const lost = this.#failure ?? lostConnection(this.#lostText);
    const notSent = (): NotSentError => new NotSentError(lost.message, { cause: lost });
    for (const stream of [...this.queued]) if (stream.id === 0) this.#fail(stream, notSent());
    for (const stream of this.streams.values()) this.#fail(stream, this.#isUnsent(stream, lost) ? notSent() : lost);
  }

  /**
   * Whether the kernel has refused the write with the request, because the server closed the connection before it. A
   * request that is written at once may come before the event of that close.
   */
  #isUnsent(stream: ClientStream, { cause }: Error): boolean {
    return stream === this.#untaken && (cause as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
  }

  #handleClose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#graceTimer?.cancel();
    this.#lingerTimer?.cancel();
    this.#failAll();
    this.#events.closed(this.#failure ?? lostConnection(this.#lostText));
  }
}

/** Whether the kernel takes the request whole or not at all. A longer write may be taken in part before it fails. */
function isShort({ body }: ClientRequest): boolean {
  return body === undefined || (body instanceof Uint8Array && body.length <= SHORT_BODY);
}
