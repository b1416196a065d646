/** The interface of encryption providers, and the identity provider, which does not encrypt. */
import { encodeUtf8, equalBytes } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import type { GrpcChannel, GrpcChannelOptions } from '../../base/grpc.ts';
import type { Stoppable } from '../../base/lifetime.ts';
import type { Logger } from '../../base/logger.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { KmsObserver } from './kms/kms-observer.ts';

export interface EncryptionKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

export type CipherName = 'aescbc' | 'aesgcm' | 'secretbox';

/** The valid key lengths in bytes, by provider. */
export const KEY_LENGTHS: Readonly<Record<CipherName, readonly number[]>> = {
  aescbc: [16, 24, 32],
  aesgcm: [16, 24, 32],
  secretbox: [32],
};

/**
 * The result of decrypting a value. `keyPrefix` is the name of the key that was used, with a colon; absent if the
 * provider has no named keys.
 */
export type Opened =
  | {
      readonly outcome: 'ok';
      readonly value: Uint8Array;
      readonly isFirstKey: boolean;
      readonly keyPrefix?: string | undefined;
    }
  /**
   * The value was made by another provider or key: it does not begin with the prefix of this provider and one of its
   * keys.
   */
  | { readonly outcome: 'other' }
  | { readonly outcome: 'failed'; readonly reason: string; readonly keyPrefix?: string | undefined }
  /**
   * The key is not available now, because the KMS plugin fails. `code` is the name of the gRPC code of the failed call.
   */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly code?: string | undefined };

/** A provider with its keys. The first key encrypts, all keys decrypt. `path` is the key of the value in etcd. */
export interface Provider {
  /** The first bytes of stored values: `k8s:enc:aescbc:v1:`; '' if values are stored in plain text. */
  readonly prefix: string;
  /**
   * The bytes after `prefix` in new values: the name of the first key and a colon. Absent if the provider has no named
   * keys.
   */
  readonly keyPrefix?: string;
  /** Encrypts a value with the first key. Throws StorageError(KeyUnavailable) if there is no key to encrypt with. */
  seal(plain: Uint8Array, path: string): Uint8Array;
  /**
   * Decrypts a value. Returns a promise only for a value whose prefix no other provider has. The promise never rejects.
   */
  open(stored: Uint8Array, path: string): MaybePromise<Opened>;
}

/** The settings of a KMS plugin. */
export interface KmsSettings {
  /** Unique in a configuration, because it is part of the prefix of stored values. */
  readonly name: string;
  /** The path of a Unix socket. A leading `@` is the abstract namespace. */
  readonly socketPath: string;
  /** The time limit of one call. */
  readonly timeoutMs: number;
}

/** A provider whose keys are encrypted by a KMS plugin. Before `start()` it can only decrypt. */
export interface KmsProvider extends Provider, Stoppable {
  readonly name: string;
  readonly timeoutMs: number;
  /** Gets a key from the plugin, and renews it until `stop()`. Resolves after the first attempt, and never rejects. */
  start(): Promise<void>;
  /**
   * Returns the reason why the plugin is not healthy; undefined if it is healthy. The result may be some seconds old.
   */
  check(): Promise<string | undefined>;
}

/** Opens a channel to a KMS plugin. Called once, with the first call to the plugin. */
export type OpenChannel = (options: GrpcChannelOptions) => Promise<GrpcChannel>;

export interface ProviderHost {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: KmsObserver;
  readonly openChannel: OpenChannel;
}

/** Creates the providers of a configuration. */
export interface ProviderFactory {
  /** Creates a provider from one or more keys, whose lengths must be in KEY_LENGTHS. */
  cipher(name: CipherName, keys: readonly EncryptionKey[]): Provider;
  kms(settings: KmsSettings): KmsProvider;
}

const ENCRYPTED = encodeUtf8('k8s:enc:');

/**
 * The identity provider: values are stored in plain text. Its `open` returns `other` for encrypted values, which
 * another provider may be able to decrypt.
 */
export const IDENTITY: Provider = {
  prefix: '',
  seal: (plain) => plain,
  open: (stored) =>
    startsWith(stored, ENCRYPTED) ? { outcome: 'other' } : { outcome: 'ok', value: stored, isFirstKey: true },
};

export function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return equalBytes(bytes.subarray(0, prefix.byteLength), prefix);
}
