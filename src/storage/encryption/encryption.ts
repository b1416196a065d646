/**
 * The transformer that encrypts stored values by resource. The first provider of a resource encrypts; a value of another
 * provider or another key is stale, so that the next write of it uses the first one. Only values of a KMS provider are
 * decrypted asynchronously, and only the first one of each seed.
 */
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { StorageError } from '../errors.ts';
import { type FromStorage, type TransformContext, type ValueTransformer, valueEncoding } from '../value-transformer.ts';
import { IDENTITY, type Opened, type Provider } from './provider.ts';

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
  /** Returns undefined for keys that are not objects of an API; those are not encrypted. */
  readonly resourceOf: (key: string) => KeyResource | undefined;
  /** Returns the path of a key in etcd, which is authenticated with the value: `/registry/secrets/default/a`. */
  readonly pathOf: (key: string) => string;
}

const PLAIN: readonly Provider[] = [IDENTITY];

export class Encryption implements ValueTransformer {
  readonly #options: EncryptionOptions;
  #rules: EncryptionRules;

  constructor(options: EncryptionOptions) {
    this.#options = options;
    this.#rules = options.rules;
  }

  /** Uses other rules from now on. */
  setRules(rules: EncryptionRules): void {
    this.#rules = rules;
  }

  toStorage(value: Uint8Array, { key }: TransformContext): Uint8Array {
    const [first = IDENTITY] = this.#providersOf(key);
    return first.seal(value, this.#options.pathOf(key));
  }

  fromStorage(stored: Uint8Array, { key }: TransformContext): MaybePromise<FromStorage> {
    const path = this.#options.pathOf(key);
    const providers = this.#providersOf(key);
    let failure: Opened = NO_PROVIDER;
    for (let i = 0; i < providers.length; i++) {
      const opened = providers[i]!.open(stored, path);
      if (isPromise(opened)) return opened.then((later) => plainValue(later, i === 0, { stored, key }));
      if (opened.outcome === 'ok') return { value: opened.value, stale: i > 0 || !opened.isFirstKey };
      if (opened.outcome !== 'other') failure = opened;
    }
    return plainValue(failure, false, { stored, key });
  }

  #providersOf(key: string): readonly Provider[] {
    const resource = this.#options.resourceOf(key);
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

const NO_PROVIDER: Opened = { outcome: 'other' };

/** Throws StorageError if the value could not be decrypted. */
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

/** The key of a rule: resource and group, with a dot also for the core group. */
export function ruleName(group: string, resource: string): string {
  return `${resource}.${group}`;
}

/** The longest prefix that is shown in a message. */
const SHOWN = 60;

/** `k8s:enc:<provider>:v1:<key name>:` */
function prefixOf(stored: Uint8Array): string {
  const head = String.fromCharCode(...stored.subarray(0, SHOWN));
  return /^k8s:enc:\w+:v\d+:[^:]*:/.exec(head)?.[0] ?? 'k8s:enc:';
}
