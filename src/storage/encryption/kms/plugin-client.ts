/**
 * The client of a KMS plugin over its Unix socket. While the plugin does not listen, calls are repeated until their
 * timeout, like gRPC calls with WaitForReady.
 * Invariant: a call ends within the timeout of the configuration, which includes connecting.
 */
import { type BackoffPolicy, backoffDelay } from '../../../base/backoff.ts';
import { type Clock, sleep } from '../../../base/clock.ts';
import { toError } from '../../../base/errors.ts';
import { GRPC, type GrpcChannel, GrpcError, grpcCodeName, isGrpcError } from '../../../base/grpc.ts';
import { EMPTY_FRAME } from '../../wire/field-writer.ts';
import type { OpenChannel } from '../provider.ts';
import type { KmsObserver } from './kms-observer.ts';
import {
  DECRYPT,
  decryptRequest,
  ENCRYPT,
  encryptRequest,
  type KmsEncrypted,
  type KmsService,
  type KmsStatus,
  readDecryptResponse,
  readEncryptResponse,
  readStatusResponse,
  STATUS,
} from './kms-service.ts';

const RETRY: BackoffPolicy = { initialMs: 100, capMs: 1000 };
/** The longest message that gRPC receives by default. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

export interface PluginClientOptions {
  /** The name of the provider, for the observer. */
  readonly name: string;
  readonly socketPath: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly openChannel: OpenChannel;
  readonly observer: KmsObserver;
}

export class PluginClient implements KmsService {
  readonly #options: PluginClientOptions;
  readonly #closed = new AbortController();
  #channel: Promise<GrpcChannel> | undefined;

  constructor(options: PluginClientOptions) {
    this.#options = options;
  }

  async status(): Promise<KmsStatus> {
    return this.#call(STATUS, EMPTY_FRAME, readStatusResponse);
  }

  async encrypt(plaintext: Uint8Array, uid: string): Promise<KmsEncrypted> {
    return this.#call(ENCRYPT, encryptRequest(plaintext, uid), readEncryptResponse);
  }

  async decrypt(encrypted: KmsEncrypted, uid: string): Promise<Uint8Array> {
    return this.#call(DECRYPT, decryptRequest(encrypted, uid), readDecryptResponse);
  }

  /** Closes the connection. Running and later calls reject. */
  async close(): Promise<void> {
    this.#closed.abort(new GrpcError(GRPC.canceled, 'the provider is stopped', { progress: 'refused' }));
    (await this.#channel)?.close();
  }

  async #call<T>(method: string, frame: Uint8Array, read: (message: Uint8Array) => T): Promise<T> {
    const { name, clock, observer } = this.#options;
    const begun = clock.monotonic();
    const report = (code: number): void =>
      observer.onCall(name, method, (clock.monotonic() - begun) / 1000, grpcCodeName(code));
    try {
      const answer = read(await this.#send(method, frame));
      report(GRPC.ok);
      return answer;
    } catch (caught) {
      report(isGrpcError(caught) ? caught.code : GRPC.unknown);
      throw withCode(caught);
    }
  }

  /** Sends a request. If it does not reach the plugin, it is sent again until the timeout. */
  async #send(method: string, frame: Uint8Array): Promise<Uint8Array> {
    const { clock, timeoutMs } = this.#options;
    const { signal } = this.#closed;
    const deadline = clock.monotonic() + timeoutMs;
    for (let failures = 0; ; failures++) {
      signal.throwIfAborted();
      try {
        this.#channel ??= this.#connect();
        return await (await this.#channel).unary(method, frame, Math.ceil(deadline - clock.monotonic()));
      } catch (caught) {
        const delay = backoffDelay(RETRY, failures);
        const isAbsent = isGrpcError(caught) && caught.code === GRPC.unavailable && caught.progress === 'refused';
        if (!isAbsent || clock.monotonic() + delay >= deadline) throw toError(caught);
        await sleep(clock, delay, { signal });
      }
    }
  }

  async #connect(): Promise<GrpcChannel> {
    const { socketPath, clock, openChannel } = this.#options;
    return openChannel({ endpoint: `unix://${socketPath}`, clock, maxMessageBytes: MAX_MESSAGE_BYTES });
  }
}

/** Adds the gRPC code to the message of an error, in the format of grpc-go. */
function withCode(caught: unknown): Error {
  if (!isGrpcError(caught)) return toError(caught);
  const { code, progress, message } = caught;
  return new GrpcError(code, `rpc error: code = ${grpcCodeName(code)} desc = ${message}`, { progress, cause: caught });
}
