/**
 * The client of an etcd cluster. All calls and watch streams go to one member, the pinned member, so that reads and
 * watches come from the same member. When the pinned member fails, the next member is pinned.
 * Invariants: a call that may have changed something is never repeated here. A response with another cluster id is
 * reported before its caller gets it.
 */
import type { Clock } from '../../base/clock.ts';
import { ConfigError, toError } from '../../base/errors.ts';
import {
  type GrpcChannel,
  type GrpcDuplex,
  type GrpcDuplexSink,
  type GrpcTls,
  isGrpcError,
  type OpenGrpcChannel,
} from '../../base/grpc.ts';
import { StorageError } from '../errors.ts';
import { isMemberFailure, progressOf } from './grpc-error.ts';

export const RANGE = '/etcdserverpb.KV/Range';
export const TXN = '/etcdserverpb.KV/Txn';
export const COMPACT = '/etcdserverpb.KV/Compact';
export const WATCH = '/etcdserverpb.Watch/Watch';
export const LEASE_GRANT = '/etcdserverpb.Lease/LeaseGrant';
export const LEASE_TIME_TO_LIVE = '/etcdserverpb.Lease/LeaseTimeToLive';
export const STATUS = '/etcdserverpb.Maintenance/Status';

/** A member that has lost its leader answers at once instead of waiting (`rpctypes.MetadataRequireLeaderKey`). */
const REQUIRE_LEADER = { hasleader: 'true' };
/** The time limit of one call. kube-apiserver has no such limit: its calls end with the request of the client. */
const CALL_TIMEOUT_MS = 10_000;

export interface EtcdClientOptions {
  /** URLs of members. The first one is used until it fails. */
  readonly endpoints: readonly string[];
  readonly tls?: GrpcTls;
  readonly clock: Clock;
  readonly openChannel: OpenGrpcChannel;
}

export interface CallOptions {
  /** Whether the call only reads, so that it can be repeated after any failure of a member. */
  readonly isRead: boolean;
  /** Default 10 seconds. */
  readonly timeoutMs?: number;
}

export class EtcdClient {
  readonly #channels: readonly GrpcChannel[];
  #pinned = 0;
  #isClosed = false;

  constructor({ endpoints, tls = {}, clock, openChannel }: EtcdClientOptions) {
    if (endpoints.length === 0) throw new ConfigError('etcd needs at least one server');
    this.#channels = endpoints.map((endpoint) =>
      openChannel({ endpoint: checkEndpoint(endpoint), tls, clock, metadata: REQUIRE_LEADER, progressOf }),
    );
  }

  /**
   * Calls the pinned member. A refused call is repeated once on each of the other members; a read (`isRead`) is
   * repeated after any failure of a member. Throws StorageError(Closed) once the client is closed. Only reads can fail
   * like this, because the store waits for its writes before it closes the client.
   */
  call(path: string, frame: Uint8Array, { isRead, timeoutMs = CALL_TIMEOUT_MS }: CallOptions): Promise<Uint8Array> {
    const channel = this.#channel;
    return channel
      .unary(path, frame, timeoutMs)
      .then(undefined, (caught: unknown) => this.#again(caught, channel, path, frame, { isRead, timeoutMs }));
  }

  /** Repeats a call whose first attempt has failed, if it may be repeated. */
  async #again(
    failure: unknown,
    failed: GrpcChannel,
    path: string,
    frame: Uint8Array,
    { isRead, timeoutMs }: Required<CallOptions>,
  ): Promise<Uint8Array> {
    let caught = failure;
    let channel = failed;
    for (let attempt = 1; ; attempt++) {
      if (this.#isClosed) throw new StorageError('Closed', 'the store is stopped', { cause: caught });
      if (!isMemberFailure(caught)) throw toError(caught);
      this.failed(channel);
      const mayRepeat = isRead || (isGrpcError(caught) && caught.progress === 'refused');
      // A cluster of one member gets a second attempt, because its connection may just have been closed.
      if (!mayRepeat || attempt >= Math.max(2, this.#channels.length)) throw toError(caught);
      channel = this.#channel;
      try {
        return await channel.unary(path, frame, timeoutMs);
      } catch (next) {
        caught = next;
      }
    }
  }

  /** Calls the pinned member once. The member stays pinned if the call fails. */
  callPinned(path: string, frame: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    return this.#channel.unary(path, frame, timeoutMs);
  }

  /** Opens a stream to the pinned member. If the stream fails, the next member is pinned. */
  stream(path: string, sink: GrpcDuplexSink): GrpcDuplex {
    const channel = this.#channel;
    return channel.duplex(path, {
      message: (message) => sink.message(message),
      end: (error) => {
        if (isMemberFailure(error)) this.failed(channel);
        sink.end(error);
      },
    });
  }

  /** Pins the next member after a failure, unless another failure of the same member has already done so. */
  failed(channel: GrpcChannel): void {
    if (channel === this.#channel) this.#pinned = (this.#pinned + 1) % this.#channels.length;
  }

  close(): void {
    this.#isClosed = true;
    for (const channel of this.#channels) channel.close();
  }

  get #channel(): GrpcChannel {
    return this.#channels[this.#pinned] as GrpcChannel;
  }
}

/** Accepts `host:port`, too, like kube-apiserver. */
function checkEndpoint(text: string): string {
  const url = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(url)) {
    const { protocol, host } = new URL(url);
    if ((protocol === 'http:' || protocol === 'https:') && host !== '') return `${protocol}//${host}`;
  }
  throw new ConfigError(`${JSON.stringify(text)} is not the URL of an etcd server (http://host:port)`);
}
