/**
 * The client of an etcd cluster: calls to the member to which it is pinned. A failure of that member moves all later
 * calls and watch streams to the next one, so that reads and watches come from the same member.
 * Invariants: a call that may have changed something is never repeated here. Each response of a cluster with another id
 * is reported before its caller gets it.
 */
import type { Clock } from '../../base/clock.ts';
import { ConfigError, toError } from '../../base/errors.ts';
import { Channel, type Duplex, type DuplexSink, type TlsFiles } from './channel.ts';
import { isGrpcError, isMemberFailure } from './grpc-error.ts';

export const RANGE = '/etcdserverpb.KV/Range';
export const TXN = '/etcdserverpb.KV/Txn';
export const COMPACT = '/etcdserverpb.KV/Compact';
export const WATCH = '/etcdserverpb.Watch/Watch';
export const LEASE_GRANT = '/etcdserverpb.Lease/LeaseGrant';
export const STATUS = '/etcdserverpb.Maintenance/Status';

/** The time for one call. The reference has none of its own; its requests end with the request of their client. */
const CALL_TIMEOUT_MS = 10_000;

export interface EtcdClientOptions {
  /** URLs of members. The first one is used until it fails. */
  readonly endpoints: readonly string[];
  readonly tls?: TlsFiles;
  readonly clock: Clock;
  /** Called after each call with its method, its duration and whether it succeeded. Default: nothing. */
  readonly onCall?: ((path: string, ms: number, ok: boolean) => void) | undefined;
}

export class EtcdClient {
  readonly #channels: readonly Channel[];
  readonly #clock: Clock;
  readonly #onCall: EtcdClientOptions['onCall'];
  #pinned = 0;

  constructor({ endpoints, tls = {}, clock, onCall }: EtcdClientOptions) {
    if (endpoints.length === 0) throw new ConfigError('etcd needs at least one server');
    this.#clock = clock;
    this.#onCall = onCall;
    this.#channels = endpoints.map((endpoint) => new Channel({ endpoint: checkEndpoint(endpoint), tls, clock }));
  }

  /** The URL of the member that is in use. */
  get endpoint(): string {
    return this.#channel.endpoint;
  }

  get endpoints(): readonly string[] {
    return this.#channels.map(({ endpoint }) => endpoint);
  }

  /**
   * Calls the pinned member. A call that was refused is repeated on each of the other members once, and one that only
   * reads (`isRead`) also after any failure of a member.
   */
  async call(
    path: string,
    frame: Uint8Array,
    { isRead, timeoutMs = CALL_TIMEOUT_MS }: { isRead: boolean; timeoutMs?: number },
  ): Promise<Uint8Array> {
    for (let attempt = 1; ; attempt++) {
      const channel = this.#channel;
      const begun = this.#clock.monotonic();
      try {
        const answer = await channel.unary(path, frame, timeoutMs);
        this.#onCall?.(path, this.#clock.monotonic() - begun, true);
        return answer;
      } catch (caught) {
        this.#onCall?.(path, this.#clock.monotonic() - begun, false);
        if (!isMemberFailure(caught)) throw toError(caught);
        this.failed(channel);
        const mayRepeat = isRead || (isGrpcError(caught) && caught.progress === 'refused');
        // A cluster of one member gets a second attempt, because its connection may just have been closed.
        if (!mayRepeat || attempt >= Math.max(2, this.#channels.length)) throw toError(caught);
      }
    }
  }

  /** Calls one member by its URL, whichever is pinned. */
  callMember(endpoint: string, path: string, frame: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const channel = this.#channels.find((each) => each.endpoint === endpoint) ?? this.#channel;
    return channel.unary(path, frame, timeoutMs);
  }

  /** Opens a stream to the pinned member. Its failure moves the pin. */
  stream(path: string, sink: DuplexSink): Duplex {
    const channel = this.#channel;
    return channel.duplex(path, {
      message: (message) => sink.message(message),
      end: (error) => {
        if (isMemberFailure(error)) this.failed(channel);
        sink.end(error);
      },
    });
  }

  /** Moves the pin away from a member that failed, unless it was moved before. */
  failed(channel: Channel): void {
    if (channel === this.#channel) this.#pinned = (this.#pinned + 1) % this.#channels.length;
  }

  close(): void {
    for (const channel of this.#channels) channel.close();
  }

  get #channel(): Channel {
    return this.#channels[this.#pinned] as Channel;
  }
}

/** Accepts `host:port`, too, as the reference does. */
function checkEndpoint(text: string): string {
  const url = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(url)) {
    const { protocol, host } = new URL(url);
    if ((protocol === 'http:' || protocol === 'https:') && host !== '') return `${protocol}//${host}`;
  }
  throw new ConfigError(`${JSON.stringify(text)} is not the URL of an etcd server (http://host:port)`);
}
