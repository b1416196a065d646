/**
 * Keeps the seed with which a KMS provider encrypts. It polls the status of the plugin and replaces the seed when the
 * plugin reports another key id. The intervals are those of kube-apiserver (`k8s.io/apiserver`,
 * server/options/encryptionconfig/config.go).
 * Invariants: a seed is used as long as the plugin reports the key id that has encrypted the seed. Three minutes after
 * the last such report it must not encrypt any more. A check that fails does not replace the seed.
 */
import { randomBytes } from 'node:crypto';
import { formatAggregate } from '../../../apimachinery/go-format.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { toError } from '../../../base/errors.ts';
import type { Stoppable } from '../../../base/lifetime.ts';
import type { Logger } from '../../../base/logger.ts';
import { sha256Label } from '../../../base/sha256.ts';
import { StorageError } from '../../errors.ts';
import type { Cipher } from '../cipher-provider.ts';
import {
  encodeKeySource,
  type KeySource,
  keyIdProblem,
  keyIdReason,
  SOURCE_TYPES,
  sourceProblem,
} from './encrypted-object.ts';
import type { KmsObserver } from './kms-observer.ts';
import type { KmsService, KmsStatus } from './kms-service.ts';
import { SEED_BYTES, sourceCipher } from './source-cipher.ts';

const HEALTHY_INTERVAL_MS = 60_000;
const UNHEALTHY_INTERVAL_MS = 10_000;
const WRITE_TTL_MS = 180_000;
/** How long the result of a check is used for further calls of `check`, such as those of /readyz. */
const HEALTHY_TTL_MS = 20_000;
const UNHEALTHY_TTL_MS = 3_000;
const VERSIONS = ['v2', 'v2beta1'];

/** A key that encrypts values. */
export interface WriteKey {
  readonly source: KeySource;
  /** `source` as encoded by `encodeKeySource`. */
  readonly encoded: Uint8Array;
  readonly cipher: Cipher;
  /** In the time of `clock.monotonic()`. */
  readonly expires: number;
}

export interface KeyProbeOptions {
  /** The name of the provider. */
  readonly name: string;
  readonly service: KmsService;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: KmsObserver;
  readonly newUid: () => string;
  /** Called when a new key is used for encryption. */
  onRotated(key: WriteKey): void;
}

interface Result {
  /** The reason why the plugin is not healthy. Undefined: it is healthy. */
  readonly reason: string | undefined;
  /** The monotonic time until which the result is used. */
  readonly until: number;
}

export class KeyProbe implements Stoppable {
  readonly #options: KeyProbeOptions;
  #key: WriteKey | undefined;
  /** The API version in the first valid status. A later status must have the same version. */
  #version: string | undefined;
  #last: Result | undefined;
  #checking: Promise<string | undefined> | undefined;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: KeyProbeOptions) {
    this.#options = options;
  }

  /** Values with another key id are stale. Undefined until the plugin has encrypted a seed. */
  get keyId(): string | undefined {
    return this.#key?.source.keyId;
  }

  /**
   * Returns the key to encrypt with. Throws StorageError(KeyUnavailable) if there is no key, or if the key has expired.
   */
  writeKey(): WriteKey {
    const { name, clock } = this.#options;
    const key = this.#key;
    if (key === undefined) {
      const reason = this.#last?.reason ?? 'it was not asked yet';
      throw new StorageError('KeyUnavailable', `KMS provider ${name} has no key to encrypt with: ${reason}`);
    }
    const late = clock.monotonic() - key.expires;
    if (late <= 0) return key;
    throw new StorageError(
      'KeyUnavailable',
      `encryptedDEKSource with keyID hash "${hashOf(key.source.keyId)}" expired at ${seconds(clock.now() - late)} (current time is ${seconds(clock.now())})`,
    );
  }

  /**
   * Checks the plugin now, and then at intervals until `stop()`. Resolves after the first check. Never rejects: a
   * plugin may start later.
   */
  async start(): Promise<void> {
    const reason = await this.check();
    if (this.#stopped) return;
    const delay = reason === undefined ? HEALTHY_INTERVAL_MS : UNHEALTHY_INTERVAL_MS;
    this.#timer = this.#options.clock.setTimer(delay, () => void this.start(), { background: true });
  }

  /**
   * Asks the plugin for its status, and replaces the seed if the key id has changed. Returns the reason why the plugin
   * is not healthy; undefined if it is healthy. Concurrent callers share one check, and the result is used again for
   * some seconds.
   */
  check(): Promise<string | undefined> {
    const last = this.#last;
    if (last !== undefined && this.#options.clock.monotonic() < last.until) return Promise.resolve(last.reason);
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #check(): Promise<string | undefined> {
    const { name, service, clock, logger } = this.#options;
    let reason: string | undefined;
    try {
      reason = await this.#take(await service.status());
    } catch (caught) {
      const { message } = toError(caught);
      reason = `failed to perform status section of the healthz check for KMS Provider ${name}, error: ${message}`;
    }
    const before = this.#last?.reason;
    const ttl = reason === undefined ? HEALTHY_TTL_MS : UNHEALTHY_TTL_MS;
    this.#last = { reason, until: clock.monotonic() + ttl };
    if (this.#stopped || reason === before) return reason;
    if (reason === undefined) logger.info('a KMS plugin is healthy', { provider: name });
    else logger.warn('a KMS plugin is not healthy', { provider: name, reason });
    return reason;
  }

  /**
   * Handles a status. Returns the reasons why the plugin is not healthy. A new key id replaces the seed even if the
   * plugin reports that it is not healthy.
   */
  async #take({ version, healthz, keyId }: KmsStatus): Promise<string | undefined> {
    const { name, observer } = this.#options;
    const reasons: string[] = [];
    if (healthz !== 'ok') reasons.push(`got unexpected healthz status: ${healthz}`);
    if (VERSIONS.includes(version)) this.#version ??= version;
    else reasons.push(`expected KMSv2 API version v2, got ${version}`);
    if (VERSIONS.includes(version) && this.#version !== version)
      reasons.push(
        `KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`,
      );
    const problem = keyIdProblem(keyId);
    if (problem !== undefined) {
      observer.onInvalidStatusKey(name, problem);
      reasons.push(`got invalid KMSv2 KeyID hash "${hashOf(keyId)}": ${keyIdReason(keyId, problem)}`);
    } else {
      observer.onStatusKey(name, keyId);
      const failure = await this.#rotate(keyId);
      if (failure !== undefined) reasons.push(failure);
    }
    return reasons.length === 0
      ? undefined
      : `kmsv2 Provider ${name} is not healthy, error: ${formatAggregate(reasons)}`;
  }

  /** Extends the life of the current key, or replaces the key if `keyId` is new. Returns the reason of a failure. */
  async #rotate(keyId: string): Promise<string | undefined> {
    const { service, clock, newUid, onRotated, logger, name, observer } = this.#options;
    // Computed before the call to the plugin, so that a key never lives longer than three minutes.
    const expires = clock.monotonic() + WRITE_TTL_MS;
    if (this.#key?.source.keyId === keyId) {
      this.#key = { ...this.#key, expires };
      return undefined;
    }
    const begun = clock.monotonic();
    const seed = randomBytes(SEED_BYTES);
    observer.onNewSeed((clock.monotonic() - begun) / 1000);
    let source: KeySource;
    try {
      const { ciphertext, keyId: used, annotations } = await service.encrypt(seed, newUid());
      source = { type: SOURCE_TYPES.seed, keyId: used, encrypted: ciphertext, annotations };
    } catch (caught) {
      return `failed to rotate DEK: failed to encrypt DEK, error: ${toError(caught).message}`;
    }
    const problem = sourceProblem(source);
    if (problem !== undefined) return `failed to rotate DEK: ${problem}`;
    if (source.keyId !== keyId)
      return `failed to rotate DEK: the plugin encrypted with keyID hash "${hashOf(source.keyId)}", its status has "${hashOf(keyId)}"`;
    const isFirst = this.#key === undefined;
    this.#key = { source, encoded: encodeKeySource(source), cipher: sourceCipher(source.type, seed), expires };
    onRotated(this.#key);
    if (!isFirst) logger.info('the key of a KMS plugin has changed', { provider: name, keyIdHash: hashOf(keyId) });
    return undefined;
  }
}

/** Key ids are shown as hashes, as in kube-apiserver, because they may contain account names of the key store. */
function hashOf(keyId: string): string {
  return keyId === '' ? '' : sha256Label(keyId);
}

function seconds(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
