/** The interface of encryption providers, and the one that does not encrypt. */
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

/** The lengths of keys in bytes that a provider takes. */
export const KEY_LENGTHS: Readonly<Record<CipherName, readonly number[]>> = {
  aescbc: [16, 24, 32],
  aesgcm: [16, 24, 32],
  secretbox: [32],
};

/** `keyPrefix`: the prefix of the key that was used, within that of the provider. Absent if it has no named keys. */
export type Opened =
  | {
      readonly outcome: 'ok';
      readonly value: Uint8Array;
      readonly isFirstKey: boolean;
      readonly keyPrefix?: string | undefined;
    }
  /** The value does not have the prefix of the provider, or of any of its keys. */
  | { readonly outcome: 'other' }
  | { readonly outcome: 'failed'; readonly reason: string; readonly keyPrefix?: string | undefined }
  /**
   * The key is not available now, because the KMS plugin fails. `code` is the name of the gRPC code of a call that
   * failed.
   */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly code?: string | undefined };

/** A provider with its keys: the first one encrypts, all of them decrypt. `path` is the key of the value in etcd. */
export interface Provider {
  /** The beginning of its values: `k8s:enc:aescbc:v1:`; '' if values are stored as they are. */
  readonly prefix: string;
  /** Follows the prefix in the values that it seals: the name of the first key and a colon. Absent without named keys. */
  readonly keyPrefix?: string;
  /** Throws StorageError(KeyUnavailable) if there is no key to encrypt with. */
  seal(plain: Uint8Array, path: string): Uint8Array;
  /** A promise is returned only for a value whose prefix no other provider has. It never rejects. */
  open(stored: Uint8Array, path: string): MaybePromise<Opened>;
}

/** The settings of a KMS plugin. */
export interface KmsSettings {
  /** Unique in a configuration. It is part of the prefix of stored values. */
  readonly name: string;
  /** The path of a Unix socket. A leading `@` is the abstract namespace. */
  readonly socketPath: string;
  /** The time for one call. */
  readonly timeoutMs: number;
}

/** A provider whose keys a KMS plugin encrypts. Before `start()` it decrypts only. */
export interface KmsProvider extends Provider, Stoppable {
  readonly name: string;
  readonly timeoutMs: number;
  /** Asks the plugin for a key, and looks after it until `stop()`. Resolves after the first attempt, never rejects. */
  start(): Promise<void>;
  /** Returns the reason why the plugin is not healthy. A result may be some seconds old. */
  check(): Promise<string | undefined>;
}

/** Opens a channel to a KMS plugin. Called with the first call to the plugin. */
export type OpenChannel = (options: GrpcChannelOptions) => Promise<GrpcChannel>;

export interface ProviderHost {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: KmsObserver;
  readonly openChannel: OpenChannel;
}

/** The maker of the providers of a configuration. */
export interface ProviderFactory {
  /** Makes a provider of at least one key, each of a length in KEY_LENGTHS. */
  cipher(name: CipherName, keys: readonly EncryptionKey[]): Provider;
  kms(settings: KmsSettings): KmsProvider;
}

const ENCRYPTED = encodeUtf8('k8s:enc:');

/** Values as they are. It does not take encrypted ones: another provider may be able to decrypt them. */
export const IDENTITY: Provider = {
  prefix: '',
  seal: (plain) => plain,
  open: (stored) =>
    startsWith(stored, ENCRYPTED) ? { outcome: 'other' } : { outcome: 'ok', value: stored, isFirstKey: true },
};

export function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return equalBytes(bytes.subarray(0, prefix.byteLength), prefix);
}
