/**
 * The files of a PKI folder as read at the start, and what shall be written at the end. Invariant: keys are durable before the certificates
 * that speak of them, so that a crash leaves at worst a key without a certificate, for which one is issued on the next start.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { ConfigError, toError } from '../base/errors.ts';
import { NO_PRIVATE_KEY } from './keys.ts';
import { type ReadFile, readSmallFile, writeSecretFiles } from './secret-file.ts';

const DAY = 86_400_000;
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];

export class Worklist {
  readonly clock: Clock;
  readonly warnings: string[] = [];
  readonly #folder: string;
  readonly #files: ReadonlyMap<string, ReadFile | undefined>;
  readonly #drafts = new Map<string, string>();

  private constructor(folder: string, clock: Clock, files: ReadonlyMap<string, ReadFile | undefined>) {
    this.#folder = folder;
    this.clock = clock;
    this.#files = files;
  }

  static async open(folder: string, clock: Clock, names: readonly string[]): Promise<Worklist> {
    const files = await Promise.all(
      names.map(async (name) => [name, await readSmallFile(join(folder, name))] as const),
    );
    const work = new Worklist(folder, clock, new Map(files));
    for (const [name, file] of files)
      if (file?.exposed && name.endsWith('.key'))
        work.warn(`${work.path(name)} can be read by others than its owner: run chmod 600 on it`);
    return work;
  }

  /** Names of the files to be written, or written. */
  get written(): readonly string[] {
    return [...this.#drafts.keys()];
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /** The text of a file as it will be; undefined if there is none. */
  text(name: string): string | undefined {
    return this.#drafts.get(name) ?? this.#files.get(name)?.content;
  }

  put(name: string, content: string): void {
    this.#drafts.set(name, content);
  }

  warn(sentence: string): void {
    this.warnings.push(sentence);
  }

  async finish(): Promise<void> {
    const drafts = [...this.#drafts];
    await writeSecretFiles(
      this.#folder,
      drafts.filter(([name]) => name.endsWith('.key')),
    );
    await writeSecretFiles(
      this.#folder,
      drafts.filter(([name]) => !name.endsWith('.key')),
    );
  }

  /** The first certificate of a file. Throws ConfigError if there is none to read. */
  certificate(name: string, text: string): X509Certificate {
    try {
      return new X509Certificate(text);
    } catch (caught) {
      throw this.#damaged(name, 'does not contain a valid certificate', caught);
    }
  }

  /** The private key of a file. Throws ConfigError if it is damaged, encrypted or of a kind that signs nothing here. */
  privateKey(name: string, text: string): KeyObject {
    let key: KeyObject;
    try {
      key = createPrivateKey(text);
    } catch (caught) {
      throw this.#damaged(name, NO_PRIVATE_KEY, caught);
    }
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
    if (type !== 'rsa' && !(type === 'ec' && CURVES.includes(details?.namedCurve ?? '')))
      throw new ConfigError(`${this.path(name)}: ${NO_PRIVATE_KEY}`);
    return key;
  }

  /** Throws ConfigError unless the key of one file is the key of the certificate in the other. */
  checkPair(certificateName: string, certificate: X509Certificate, keyName: string, keyText: string): void {
    if (!certificate.checkPrivateKey(this.privateKey(keyName, keyText)))
      throw new ConfigError(`${this.path(keyName)} is not the key of the certificate in ${this.path(certificateName)}`);
  }

  #damaged(name: string, what: string, cause: unknown): ConfigError {
    return new ConfigError(`${this.path(name)}: ${what} (${toError(cause).message})`, { cause });
  }
}

/** Whether a certificate should be made again: its time has not come, is over, or less than 30 days or a fifth of it are left. */
export function isDue(certificate: X509Certificate, now: number): boolean {
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  return now < from || to - now < Math.min(30 * DAY, (to - from) / 5);
}
