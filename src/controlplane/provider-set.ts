/** The encryption providers of one configuration, with the start and stop of its KMS providers. */
import { formatAggregate } from '../apimachinery/go-format.ts';
import type { Stoppable } from '../base/lifetime.ts';
import { type EncryptionRules, ruleName } from '../storage/encryption/encryption.ts';
import type { KmsProvider } from '../storage/encryption/provider.ts';

const SECRETS = ruleName('', 'secrets');

export class ProviderSet implements Stoppable {
  readonly rules: EncryptionRules;
  readonly #kms: readonly KmsProvider[];
  #stopping: Promise<void> | undefined;

  constructor(rules: EncryptionRules, kms: readonly KmsProvider[]) {
    this.rules = rules;
    this.#kms = kms;
  }

  get hasKms(): boolean {
    return this.#kms.length > 0;
  }

  /** Whether a KMS plugin encrypts other resources than Secrets. */
  get needsKmsForObjects(): boolean {
    return [...this.rules].some(
      ([name, [first]]) => name !== SECRETS && this.#kms.some((provider) => provider === first),
    );
  }

  /** How long calls to the plugins may still run: twice the sum of their timeouts, as in kube-apiserver. */
  get graceMs(): number {
    return this.#kms.reduce((sum, { timeoutMs }) => sum + 2 * timeoutMs, 0);
  }

  /** Gets the keys of the KMS plugins. Resolves after one attempt per plugin, even if it fails. */
  async start(): Promise<void> {
    await Promise.all(this.#kms.map((provider) => provider.start()));
  }

  /**
   * Returns the reasons why plugins are not healthy, as in kube-apiserver's health check; undefined if all are healthy.
   */
  async check(): Promise<string | undefined> {
    const reasons = await Promise.all(this.#kms.map((provider) => provider.check()));
    const failed = reasons.flatMap((reason, i) => (reason === undefined ? [] : [`kms-provider-${i}: ${reason}`]));
    return failed.length === 0 ? undefined : formatAggregate(failed);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    await Promise.all(this.#kms.map((provider) => provider.stop()));
  }
}
