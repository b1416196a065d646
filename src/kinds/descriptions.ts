/**
 * The descriptions of the built-in types, from the text files in `descriptions/`. Nothing is read until a description
 * is asked for.
 */
import { Descriptions, type TypeDescriptions } from '../apimachinery/facts/descriptions.ts';
import { META_DESCRIPTIONS } from '../apimachinery/facts/meta-descriptions.ts';
import { packageOfType } from '../apimachinery/facts/package-facts.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { contentHash } from '../base/content-hash.ts';
import { packages } from './facts/all.ts';

export class KindDescriptions implements TypeDescriptions {
  readonly #read: (packageId: string) => string | undefined;
  readonly #texts: Descriptions;
  #fingerprint: string | undefined;

  /** `read` returns the text of a package, and undefined if it has none. */
  constructor(read: (packageId: string) => string | undefined) {
    this.#read = (packageId) => META_DESCRIPTIONS[packageId] ?? read(packageId);
    this.#texts = new Descriptions(this.#read);
  }

  readonly describe = (typeName: string, field?: string): string | undefined => {
    const found = packageOfType(packages, typeName);
    return found && this.#texts.find(found.id, typeName.slice(found.modelPrefix.length), field);
  };

  /** Reads all texts at the first call. */
  readonly fingerprint = (): string => {
    this.#fingerprint ??= contentHash(encodeUtf8(packages.map(({ id }) => this.#read(id) ?? '').join('')));
    return this.#fingerprint;
  };
}
