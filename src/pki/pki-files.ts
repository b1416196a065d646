/**
 * The files of a PKI folder, or of a map in memory, as read at the start, with the changes that `finish` writes.
 * Invariant: a key is durable before its certificate is written. A crash leaves at worst a key without a certificate,
 * and the next start issues one for it.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { ConfigError, toError } from '../base/errors.ts';
import { NO_PRIVATE_KEY } from './keys.ts';
import { type ReadFile, readSmallFile, writeSecretFiles } from './secret-file.ts';

const DAY = 86_400_000;
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];

export class PkiFiles {
  readonly clock: Clock;
  readonly warnings: string[] = [];
  readonly #folder: string;
  readonly #files: ReadonlyMap<string, ReadFile | undefined>;
  readonly #drafts = new Map<string, string>();
  /** Receives the files instead of the folder. */
  readonly #memory: Map<string, string> | undefined;

  private constructor(
    folder: string,
    clock: Clock,
    files: ReadonlyMap<string, ReadFile | undefined>,
    memory?: Map<string, string>,
  ) {
    this.#folder = folder;
    this.clock = clock;
    this.#files = files;
    this.#memory = memory;
  }

  /** Takes the files from a map by their names, and writes them there. `folder` is a name for messages only. */
  static inMemory(folder: string, clock: Clock, memory: Map<string, string>): PkiFiles {
    const files = Array.from(memory, ([name, content]) => [name, { content, exposed: false }] as const);
    return new PkiFiles(folder, clock, new Map(files), memory);
  }

  /**
   * Reads the named files of the folder; a file may be absent. Throws ConfigError naming a file that cannot be read.
   */
  static async open(folder: string, clock: Clock, names: readonly string[]): Promise<PkiFiles> {
    const files = await Promise.all(
      names.map(async (name) => [name, await readSmallFile(join(folder, name))] as const),
    );
    const opened = new PkiFiles(folder, clock, new Map(files));
    for (const [name, file] of files)
      if (file?.exposed && name.endsWith('.key'))
        opened.warn(`${opened.path(name)} can be read by others than its owner: run chmod 600 on it`);
    return opened;
  }

  /** The names of the files that `finish` writes, or has written. */
  get written(): readonly string[] {
    return [...this.#drafts.keys()];
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /** Returns the text of a file, pending changes included; undefined if it does not exist. */
  text(name: string): string | undefined {
    return this.#drafts.get(name) ?? this.#files.get(name)?.content;
  }

  /** Schedules a file to be written by `finish`. */
  put(name: string, content: string): void {
    this.#drafts.set(name, content);
  }

  warn(sentence: string): void {
    this.warnings.push(sentence);
  }

  /** Writes the changes, keys first. Throws ConfigError naming the path that cannot be written. */
  async finish(): Promise<void> {
    const drafts = [...this.#drafts];
    if (this.#memory !== undefined) {
      for (const [name, content] of drafts) this.#memory.set(name, content);
      return;
    }
    await writeSecretFiles(
      this.#folder,
      drafts.filter(([name]) => name.endsWith('.key')),
    );
    await writeSecretFiles(
      this.#folder,
      drafts.filter(([name]) => !name.endsWith('.key')),
    );
  }

  /** Parses the first certificate of a file's text. Throws ConfigError if it is malformed. */
  certificate(name: string, text: string): X509Certificate {
    try {
      return new X509Certificate(text);
    } catch (caught) {
      throw this.#damaged(name, 'does not contain a valid certificate', caught);
    }
  }

  /**
   * Parses the private key of a file's text. Throws ConfigError if it is malformed, encrypted or of an unsupported
   * type.
   */
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

/**
 * Returns whether a certificate is due for renewal: it is not valid yet, it has expired, or its remaining time is less
 * than 30 days and less than a fifth of its lifetime.
 */
export function isDueForRenewal(certificate: X509Certificate, now: number): boolean {
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  return now < from || to - now < Math.min(30 * DAY, (to - from) / 5);
}
