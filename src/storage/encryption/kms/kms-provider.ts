/**
 * The KMS v2 provider. The plugin encrypts a seed; this process encrypts values with keys that are derived from the
 * seed. The plugin is therefore called only for the seed of a new key id, and for each stored seed that is read for the
 * first time.
 */
import { encodeUtf8 } from '../../../base/bytes.ts';
import { toError } from '../../../base/errors.ts';
import { grpcCodeName, isGrpcError } from '../../../base/grpc.ts';
import { isPromise, type MaybePromise } from '../../../base/maybe-promise.ts';
import { randomUuid } from '../../../base/random.ts';
import { type Cipher, openWith } from '../cipher-provider.ts';
import { type KmsProvider, type KmsSettings, type Opened, type ProviderHost, startsWith } from '../provider.ts';
import {
  decodeEncryptedObject,
  type EncryptedObject,
  encodeEncryptedObject,
  SOURCE_TYPES,
} from './encrypted-object.ts';
import { KeyProbe } from './key-probe.ts';
import type { KmsService } from './kms-service.ts';
import { PluginClient } from './plugin-client.ts';
import { SeedCache } from './seed-cache.ts';

/** Creates the provider of a plugin. The socket is opened with the first call to the plugin. */
export function createKmsProvider(settings: KmsSettings, host: ProviderHost): KmsProvider {
  const client = new PluginClient({ ...settings, ...host });
  return new EnvelopeProvider(settings, { ...host, service: client, close: () => client.close() });
}

export interface EnvelopeOptions extends Omit<ProviderHost, 'openChannel'> {
  readonly service: KmsService;
  close(): Promise<void>;
}

const OTHER: Opened = { outcome: 'other' };

export class EnvelopeProvider implements KmsProvider {
  readonly name: string;
  readonly timeoutMs: number;
  readonly #options: EnvelopeOptions;
  readonly prefix: string;
  readonly #prefix: Uint8Array;
  readonly #probe: KeyProbe;
  readonly #seeds: SeedCache;
  #stopping: Promise<void> | undefined;

  constructor({ name, timeoutMs }: KmsSettings, options: EnvelopeOptions) {
    this.name = name;
    this.timeoutMs = timeoutMs;
    this.#options = options;
    this.prefix = `k8s:enc:kms:v2:${name}:`;
    this.#prefix = encodeUtf8(this.prefix);
    const newUid = randomUuid;
    const onSize = (size: number): void => options.observer.onCachedSeeds(name, size);
    const onMiss = (): void => options.observer.onSeedMiss();
    this.#seeds = new SeedCache({ ...options, newUid, onSize, onMiss });
    this.#probe = new KeyProbe({
      ...options,
      name,
      newUid,
      onRotated: ({ source, cipher }) => this.#seeds.add(source, cipher),
    });
  }

  start(): Promise<void> {
    return this.#probe.start();
  }

  check(): Promise<string | undefined> {
    return this.#probe.check();
  }

  seal(plain: Uint8Array, path: string): Uint8Array {
    const { source, cipher, encoded } = this.#probe.writeKey();
    const sealed = encodeEncryptedObject(this.#prefix, cipher.seal(plain, path), encoded);
    this.#options.observer.onUse(this.name, source.keyId, 'to_storage');
    return sealed;
  }

  open(stored: Uint8Array, path: string): MaybePromise<Opened> {
    if (!startsWith(stored, this.#prefix)) return OTHER;
    const object = decodeEncryptedObject(stored.subarray(this.#prefix.byteLength));
    if (typeof object === 'string') return { outcome: 'failed', reason: object };
    try {
      const cipher = this.#seeds.get(object);
      if (!isPromise(cipher)) return this.#decrypt(cipher, object, path);
      return cipher.then((ready) => this.#decrypt(ready, object, path), unavailable);
    } catch (caught) {
      return unavailable(caught);
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#probe.stop().then(() => this.#options.close());
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #decrypt(cipher: Cipher, { data, keyId, type }: EncryptedObject, path: string): Opened {
    this.#options.observer.onUse(this.name, keyId, 'from_storage');
    const value = openWith(cipher, data, path);
    if (typeof value === 'string') return { outcome: 'failed', reason: value };
    return { outcome: 'ok', value, isFirstKey: keyId === this.#probe.keyId && type === SOURCE_TYPES.seed };
  }
}

function unavailable(caught: unknown): Opened {
  const reason = `failed to decrypt DEK, error: ${toError(caught).message}`;
  return { outcome: 'unavailable', reason, ...(isGrpcError(caught) && { code: grpcCodeName(caught.code) }) };
}
