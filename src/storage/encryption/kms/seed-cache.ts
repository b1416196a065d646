/**
 * Caches the ciphers of decrypted sources of one KMS provider, so that neither a long list nor a failing plugin leads
 * to one call per value.
 * Invariants: at most one call decrypts a source at a time. After a failure, the plugin is asked again for the source
 * only after a second.
 */
import type { Clock } from '../../../base/clock.ts';
import { toError } from '../../../base/errors.ts';
import { LruMap } from '../../../base/lru-map.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { Cipher } from '../cipher-provider.ts';
import { type KeySource, sourceIdentity } from './encrypted-object.ts';
import type { KmsService } from './kms-service.ts';
import { sourceCipher } from './source-cipher.ts';

/**
 * The most cached sources. Each start of a server and each new key id makes one source. The least recently used source
 * is dropped, and decrypted again when it is needed.
 */
const MAX_SOURCES = 10_000;
const MAX_FAILURES = 1_000;
const FAILURE_MS = 1_000;

export interface SeedCacheOptions {
  readonly service: KmsService;
  readonly clock: Clock;
  readonly newUid: () => string;
  /** Called when the number of sources changes. */
  onSize(size: number): void;
  /** Called when the plugin has to decrypt a source. */
  onMiss(): void;
}

interface Failure {
  readonly error: Error;
  /** In the time of `clock.monotonic()`. */
  readonly until: number;
}

export class SeedCache {
  readonly #options: SeedCacheOptions;
  readonly #ciphers = new LruMap<string, Cipher>(MAX_SOURCES);
  readonly #pending = new Map<string, Promise<Cipher>>();
  readonly #failures = new LruMap<string, Failure>(MAX_FAILURES);

  constructor(options: SeedCacheOptions) {
    this.#options = options;
  }

  /** Adds a source whose cipher is known. */
  add(source: KeySource, cipher: Cipher): void {
    this.#keep(sourceIdentity(source), cipher);
  }

  /**
   * Returns the cipher of a source, as a promise if the plugin has to decrypt the source. Throws or rejects with the
   * error of the plugin.
   */
  get(source: KeySource): MaybePromise<Cipher> {
    const identity = sourceIdentity(source);
    const known = this.#ciphers.get(identity) ?? this.#pending.get(identity);
    if (known !== undefined) return known;
    const failure = this.#failures.get(identity);
    if (failure !== undefined && this.#options.clock.monotonic() < failure.until) throw failure.error;
    this.#options.onMiss();
    const decrypting = this.#decrypt(identity, source);
    this.#pending.set(identity, decrypting);
    return decrypting;
  }

  async #decrypt(identity: string, source: KeySource): Promise<Cipher> {
    const { service, clock, newUid } = this.#options;
    const { type, keyId, encrypted: ciphertext, annotations } = source;
    try {
      const cipher = sourceCipher(type, await service.decrypt({ ciphertext, keyId, annotations }, newUid()));
      this.#keep(identity, cipher);
      return cipher;
    } catch (caught) {
      const error = toError(caught);
      this.#failures.set(identity, { error, until: clock.monotonic() + FAILURE_MS });
      throw error;
    } finally {
      this.#pending.delete(identity);
    }
  }

  #keep(identity: string, cipher: Cipher): void {
    this.#ciphers.set(identity, cipher);
    this.#options.onSize(this.#ciphers.size);
  }
}
