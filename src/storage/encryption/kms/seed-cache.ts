/**
 * The decrypted sources of one KMS provider by their encrypted form. Invariants: at most one call decrypts a source at a
 * time, and a source that could not be decrypted is asked for again only after a second. So neither a long list nor a
 * plugin that is down leads to a call per value.
 */
import type { Clock } from '../../../base/clock.ts';
import { toError } from '../../../base/errors.ts';
import { LruMap } from '../../../base/lru-map.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { Cipher } from '../cipher-provider.ts';
import { type KeySource, sourceIdentity } from './encrypted-object.ts';
import type { KmsService } from './kms-service.ts';
import { sourceCipher } from './source-cipher.ts';

/** There is one source for each key id and start of a server. The least recently used one is asked for again. */
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

  /** The cipher of a source. Only the first use of a source is a promise. Throws or rejects with the failure. */
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
