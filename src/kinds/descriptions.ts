/**
 * The descriptions of the built-in types, from the text files in `descriptions/`. Nothing is read until a description
 * is asked for.
 */
import { Descriptions, type TypeDescriptions } from '../apimachinery/facts/descriptions.ts';
import { META_DESCRIPTIONS } from '../apimachinery/facts/meta-descriptions.ts';
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
    const split = typeName.lastIndexOf('.') + 1;
    const found = packages.find(({ modelPrefix }) => modelPrefix.length === split && typeName.startsWith(modelPrefix));
    return found === undefined ? undefined : this.#texts.find(found.id, typeName.slice(split), field);
  };

  /** Reads all texts at the first call. */
  readonly fingerprint = (): string => {
    this.#fingerprint ??= contentHash(encodeUtf8(packages.map(({ id }) => this.#read(id) ?? '').join('')));
    return this.#fingerprint;
  };
}
