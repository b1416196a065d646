/**
 * The transformer that encrypts stored values by resource. The first provider of a resource encrypts. A value that
 * another provider or another key has encrypted is stale, so its next write uses the first provider. Decryption is
 * asynchronous only for KMS providers, and only for the first value of each seed.
 */
import { encodeUtf8 } from '../../base/bytes.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { StorageError } from '../errors.ts';
import { type FromStorage, type TransformContext, type ValueTransformer, valueEncoding } from '../value-transformer.ts';
import { IDENTITY, type Opened, type Provider, startsWith } from './provider.ts';

/** The resource that the values of a key belong to. */
export interface KeyResource {
  /** '' for the core group. */
  readonly group: string;
  readonly resource: string;
}

/** The providers by resource: `secrets.`, `deployments.apps`, `*.apps`, `*.*`. */
export type EncryptionRules = ReadonlyMap<string, readonly Provider[]>;

export interface EncryptionOptions {
  readonly rules: EncryptionRules;
  /**
   * Returns the resource of a key. Returns undefined for keys that are not API objects; their values are not encrypted.
   */
  readonly resourceOf: (key: string) => KeyResource | undefined;
  /**
   * Returns the path that is authenticated together with the value: the key in etcd, such as
   * `/registry/secrets/default/a`.
   */
  readonly pathOf: (key: string) => string;
  /** Not told of keys that are not API objects. */
  readonly observer?: TransformationObserver | undefined;
}

export type Direction = 'from_storage' | 'to_storage';

/** The observer of encryption, for metrics. Its methods must be cheap and must not throw. */
export interface TransformationObserver {
  /** Returns the monotonic time in milliseconds. */
  now(): number;
  /**
   * Called after each transformation, successful or not. `prefix` is the prefix of the provider, or of one of its keys.
   * `status` is `OK`, the name of a gRPC code, or `unknown-non-grpc`, as in kube-apiserver.
   */
  transformed(resource: KeyResource, direction: Direction, prefix: string, ms: number, status: string): void;
}

const OK = 'OK';
const FAILED = 'unknown-non-grpc';
/** Reported as the prefix of values that no provider or key recognises. */
const UNKNOWN = 'unknown';

const PLAIN: readonly Provider[] = [IDENTITY];

export class Encryption implements ValueTransformer {
  readonly #options: EncryptionOptions;
  #rules: EncryptionRules;

  constructor(options: EncryptionOptions) {
    this.#options = options;
    this.#rules = options.rules;
  }

  /** Replaces the rules for all later transformations. */
  setRules(rules: EncryptionRules): void {
    this.#rules = rules;
  }

  toStorage(value: Uint8Array, { key }: TransformContext): Uint8Array {
    const resource = this.#options.resourceOf(key);
    const [first = IDENTITY] = this.#providersOf(resource);
    const watch = this.#watch(resource, 'to_storage');
    let status = FAILED;
    try {
      const sealed = first.seal(value, this.#options.pathOf(key));
      status = OK;
      return sealed;
    } finally {
      watch?.report(first.prefix, first.keyPrefix, status);
    }
  }

  fromStorage(stored: Uint8Array, { key }: TransformContext): MaybePromise<FromStorage> {
    const path = this.#options.pathOf(key);
    const resource = this.#options.resourceOf(key);
    const providers = this.#providersOf(resource);
    const watch = this.#watch(resource, 'from_storage');
    let failure: Opened = NO_PROVIDER;
    let isTaken = false;
    for (let i = 0; i < providers.length; i++) {
      const provider = providers[i]!;
      const opened = provider.open(stored, path);
      if (isPromise(opened))
        return opened.then((later) => {
          watch?.opened(provider, later, stored);
          return plainValue(later, i === 0, { stored, key });
        });
      if (watch?.opened(provider, opened, stored)) isTaken = true;
      if (opened.outcome === 'ok') return { value: opened.value, stale: i > 0 || !opened.isFirstKey };
      if (opened.outcome !== 'other') failure = opened;
    }
    if (!isTaken) watch?.report(UNKNOWN, undefined, FAILED);
    return plainValue(failure, false, { stored, key });
  }

  #watch(resource: KeyResource | undefined, direction: Direction): Stopwatch | undefined {
    const { observer } = this.#options;
    return observer === undefined || resource === undefined ? undefined : new Stopwatch(observer, resource, direction);
  }

  #providersOf(resource: KeyResource | undefined): readonly Provider[] {
    if (resource === undefined) return PLAIN;
    const rules = this.#rules;
    return (
      rules.get(ruleName(resource.group, resource.resource)) ??
      rules.get(ruleName(resource.group, '*')) ??
      rules.get(ruleName('*', '*')) ??
      PLAIN
    );
  }
}

/** Reports one transformation with its duration. */
class Stopwatch {
  readonly #observer: TransformationObserver;
  readonly #resource: KeyResource;
  readonly #direction: Direction;
  readonly #begun: number;

  constructor(observer: TransformationObserver, resource: KeyResource, direction: Direction) {
    this.#observer = observer;
    this.#resource = resource;
    this.#direction = direction;
    this.#begun = observer.now();
  }

  /** Reports a provider with named keys twice, as kube-apiserver does, where each key is a provider, too. */
  report(prefix: string, keyPrefix: string | undefined, status: string): void {
    const ms = this.#observer.now() - this.#begun;
    if (keyPrefix !== undefined) this.#observer.transformed(this.#resource, this.#direction, keyPrefix, ms, status);
    this.#observer.transformed(this.#resource, this.#direction, prefix, ms, status);
  }

  /**
   * Reports the result of `Provider.open`. Returns false, and reports nothing, if the value does not have the prefix of
   * the provider.
   */
  opened({ prefix, keyPrefix }: Provider, opened: Opened, stored: Uint8Array): boolean {
    if (opened.outcome === 'other') {
      if (prefix === '' || !startsWith(stored, encodeUtf8(prefix))) return false;
      this.report(prefix, keyPrefix === undefined ? undefined : UNKNOWN, FAILED);
    } else if (opened.outcome === 'unavailable') this.report(prefix, undefined, opened.code ?? FAILED);
    else this.report(prefix === '' ? 'identity' : prefix, opened.keyPrefix, opened.outcome === 'ok' ? OK : FAILED);
    return true;
  }
}

const NO_PROVIDER: Opened = { outcome: 'other' };

/** Returns the decrypted value. Throws StorageError if the value could not be decrypted. */
function plainValue(opened: Opened, isFirst: boolean, of: { stored: Uint8Array; key: string }): FromStorage {
  if (opened.outcome === 'ok') return { value: opened.value, stale: !isFirst || !opened.isFirstKey };
  const { stored, key } = of;
  const reason =
    opened.outcome === 'other'
      ? 'no provider of the encryption configuration has its prefix'
      : `it cannot be decrypted: ${opened.reason}`;
  const shown = valueEncoding(stored) === 'encrypted' ? `${reason} (${prefixOf(stored)})` : reason;
  const code = opened.outcome === 'unavailable' ? 'KeyUnavailable' : 'Corrupt';
  throw new StorageError(code, `the value of ${JSON.stringify(key)} cannot be decoded: ${shown}`, { key });
}

/** The key of `EncryptionRules`: resource, dot and group. The core group is empty, so its keys end with the dot. */
export function ruleName(group: string, resource: string): string {
  return `${resource}.${group}`;
}

/** The longest prefix that is shown in a message. */
const SHOWN = 60;

/** Returns the prefix of a stored value, for messages: `k8s:enc:<provider>:v1:<key name>:` */
function prefixOf(stored: Uint8Array): string {
  const head = String.fromCharCode(...stored.subarray(0, SHOWN));
  return /^k8s:enc:\w+:v\d+:[^:]*:/.exec(head)?.[0] ?? 'k8s:enc:';
}
