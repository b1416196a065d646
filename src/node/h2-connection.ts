/**
 * One HTTP/2 connection. Invariant: it is idle exactly while no stream is open; a client that breaks off streams, or sends
 * control frames, faster than the limits is told GOAWAY and closed.
 */
import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { PeerCertificate } from '../server/exchange.ts';
import { NEVER, type Timed } from './deadline-wheel.ts';
import { type ExchangeContext, handle, type ServedConnection } from './exchange-context.ts';
import { H2Exchange } from './h2-exchange.ts';
import type { PeerFace } from './peer-face.ts';
import type { ProblemKind } from './problems.ts';
import { TokenBucket } from './token-bucket.ts';

/** For the client to read a GOAWAY before the connection is cut. */
const GOODBYE_MS = 5_000;
/**
 * The same for one that is told to go because of what it does; the figure of Go's server. Cut at once it would hear nothing: Node drops a GOAWAY
 * that waits behind another write, and a socket that is closed with unread bytes is reset.
 */
const PUNISHED_MS = 1_000;
/** Of the whole connection: Node gives it back as data arrives, so it bounds what is on the way and not what is held. */
const CONNECTION_WINDOW = 4 * 1024 * 1024;
const ignoreError = (): void => {};

export class H2Connection implements ServedConnection, Timed {
  readonly protocol = 'h2' as const;
  readonly secure = true;
  readonly remoteAddress: string;
  deadline: number;
  place: number | undefined = undefined;
  readonly #context: ExchangeContext;
  readonly #session: ServerHttp2Session;
  readonly #face: PeerFace;
  readonly #resets: TokenBucket;
  readonly #controlFrames: TokenBucket;
  #open = 0;
  /** Told to go: no new request of it is served, and its deadline stands. */
  #punished = false;

  constructor(context: ExchangeContext, session: ServerHttp2Session, face: PeerFace) {
    const { limits, wheel, problems } = context;
    this.#context = context;
    this.#session = session;
    this.#face = face;
    this.remoteAddress = face.remoteAddress;
    this.deadline = wheel.in(limits.headersTimeoutMs);
    this.#resets = new TokenBucket(limits.resetBurst, limits.resetsPerSecond, wheel.now);
    this.#controlFrames = new TokenBucket(limits.controlFrameBurst, limits.controlFramesPerSecond, wheel.now);
    const countControlFrame = (): void => {
      if (!this.#controlFrames.take(wheel.now)) this.#punish('too-many-control-frames', 'PING or SETTINGS frames');
    };
    session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw?: unknown) =>
      // Node gives the raw headers as well; its types do not say so.
      this.#accept(stream, headers, raw as readonly string[]),
    );
    session.on('ping', countControlFrame);
    session.on('remoteSettings', countControlFrame);
    session.on('error', (error) =>
      problems.report('broken-protocol', this.remoteAddress, `an HTTP/2 connection broke: ${error.message}`, error),
    );
    session.on('close', () => wheel.delete(this));
    wheel.add(this);
    session.setLocalWindowSize(CONNECTION_WINDOW);
  }

  certificate(): PeerCertificate | undefined {
    return this.#face.certificate();
  }

  certificateProblem(): string | undefined {
    return this.#face.certificateProblem();
  }

  drain(): void {
    this.#session.close();
    if (this.#open === 0 && !this.#punished) this.deadline = this.#context.wheel.in(GOODBYE_MS);
  }

  destroy(): void {
    this.#session.destroy();
  }

  expire(): void {
    if (this.#session.closed || this.#punished) {
      this.destroy();
      return;
    }
    this.deadline = this.#context.wheel.in(GOODBYE_MS);
    this.#session.close();
  }

  #accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]): void {
    // Broken off before we looked, in the same packet perhaps.
    if (stream.destroyed || stream.closed) {
      this.#countReset();
      return;
    }
    if (this.#punished) {
      stream.on('error', ignoreError);
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    const { wheel } = this.#context;
    const exchange = new H2Exchange(this.#context, this, stream, headers, rawHeaders);
    this.#open++;
    this.deadline = NEVER;
    wheel.add(exchange);
    if (!stream.endAfterHeaders) quieten(stream);
    // What a stream has to say in its error is said by its close.
    stream.on('error', ignoreError);
    stream.on('close', () => {
      wheel.delete(exchange);
      if (!exchange.closed()) this.#countReset();
      if (--this.#open === 0 && !this.#punished) this.deadline = this.#idleDeadline();
    });
    if (exchange.target === '') exchange.cut();
    else handle(this.#context, exchange);
  }

  #idleDeadline(): number {
    const { draining, limits, wheel } = this.#context;
    return wheel.in(draining ? GOODBYE_MS : limits.idleTimeoutMs);
  }

  #countReset(): void {
    if (!this.#resets.take(this.#context.wheel.now)) this.#punish('too-many-resets', 'broken-off streams');
  }

  #punish(kind: ProblemKind, what: string): void {
    if (this.#punished || this.#session.destroyed) return;
    this.#punished = true;
    this.#context.problems.report(kind, this.remoteAddress, `an HTTP/2 connection was closed: too many ${what}`);
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.deadline = this.#context.wheel.in(PUNISHED_MS);
  }
}

const OVER = new Error('the stream is over');

type Destroy = (error: Error | null, callback: (error?: Error | null) => void) => void;

interface StreamInside {
  _destroy: Destroy;
  readonly _writableState: { errored: Error | null };
}

/**
 * Node 20 destroys the stream of a request with a body before it reports the last write done, and then makes an error with a stack trace, 11 µs, that nobody is
 * told of. With an error in place it makes none. This touches what Node calls its own; where it is not found nothing is done.
 */
function quieten(stream: ServerHttp2Stream): void {
  const inside = stream as unknown as StreamInside;
  if (inside._writableState?.errored === null) inside._destroy = destroyQuietly;
}

function destroyQuietly(this: StreamInside, error: Error | null, callback: Parameters<Destroy>[1]): void {
  this._writableState.errored ??= OVER;
  (Object.getPrototypeOf(this) as StreamInside)._destroy.call(this, error, callback);
}
