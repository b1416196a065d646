/**
 * A reader of the metadata of stored objects that parses as little as possible: one pass over the bytes finds where the
 * few wanted members are, and skips everything else. It stops behind `metadata` if that follows `apiVersion` and
 * `kind`, as in every object that this server writes.
 *
 * One reader is used for many objects, one after the other. Its getters describe the object of the last `read`.
 */
import { decodeUtf8, EMPTY_BYTES } from '../base/bytes.ts';
import { endOfString } from '../base/json-scan.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The members that `read` finds, in the order of their spans. */
const TOP_LEVEL = ['apiVersion', 'kind', 'metadata'] as const;
const IN_METADATA = ['name', 'namespace', 'uid', 'ownerReferences', 'deletionTimestamp', 'finalizers'] as const;

const [API_VERSION, KIND, METADATA] = [0, 1, 2];
const [NAME, NAMESPACE, UID, OWNERS, DELETED, FINALIZERS] = [3, 4, 5, 6, 7, 8];

export class StoredMetadata {
  #bytes: Uint8Array = EMPTY_BYTES;
  #at = 0;
  /** Start and end offsets of the wanted values, in pairs. Both are 0 for an absent value. */
  readonly #spans = new Int32Array((TOP_LEVEL.length + IN_METADATA.length) * 2);

  /** Returns false if the bytes are not an object with metadata. Keeps the bytes until the next call. */
  read(bytes: Uint8Array): boolean {
    this.#bytes = bytes;
    this.#at = 0;
    this.#spans.fill(0);
    this.#skipSpace();
    return bytes[this.#at] === OPEN_BRACE && this.#object(TOP_LEVEL_NAMES, 0) && this.#has(METADATA);
  }

  get apiVersion(): string {
    return this.#text(API_VERSION);
  }

  get kind(): string {
    return this.#text(KIND);
  }

  get name(): string {
    return this.#text(NAME);
  }

  /** '' for a cluster-scoped object. */
  get namespace(): string {
    return this.#text(NAMESPACE);
  }

  get uid(): string {
    return this.#text(UID);
  }

  get hasOwners(): boolean {
    // `[]` has two bytes.
    return this.#bytes[this.#start(OWNERS)] === OPEN_BRACKET && this.#length(OWNERS) > 2;
  }

  get beingDeleted(): boolean {
    return this.#bytes[this.#start(DELETED)] === QUOTE && this.#has(DELETED) && this.#length(DELETED) > 2;
  }

  ownerReferences(): readonly unknown[] {
    return this.#list(OWNERS);
  }

  finalizers(): readonly unknown[] {
    return this.#list(FINALIZERS);
  }

  /**
   * Reads an object from its `{` to behind its `}`, or until all wanted members are found. Returns false for malformed
   * bytes.
   */
  #object(names: readonly WantedName[], first: number): boolean {
    const bytes = this.#bytes;
    let left = names.length;
    this.#at++;
    for (;;) {
      this.#skipSpace();
      if (bytes[this.#at] === CLOSE_BRACE) {
        this.#at++;
        return true;
      }
      if (bytes[this.#at] === COMMA) {
        this.#at++;
        continue;
      }
      if (bytes[this.#at] !== QUOTE) return false;
      const from = this.#at + 1;
      this.#at = endOfString(bytes, this.#at);
      if (this.#at < 0) return false;
      const wanted = indexOfName(names, bytes, from, this.#at - 1);
      this.#skipSpace();
      this.#at++;
      this.#skipSpace();
      const start = this.#at;
      if (start >= bytes.length) return false;
      const span = first + wanted;
      if (span === METADATA && wanted >= 0 && bytes[start] === OPEN_BRACE) {
        if (!this.#object(IN_METADATA_NAMES, NAME)) return false;
      } else this.#skipValue();
      if (wanted < 0) continue;
      this.#spans[span * 2] = start;
      this.#spans[span * 2 + 1] = this.#at;
      // The end of metadata must be found, so only the top level ends early.
      if (first === 0 && --left === 0) return true;
    }
  }

  #skipValue(): void {
    const bytes = this.#bytes;
    const size = bytes.length;
    let at = this.#at;
    let depth = 0;
    while (at < size) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        at = endOfString(bytes, at);
        if (at < 0) at = size;
        if (depth === 0) break;
        continue;
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) break;
        if (--depth === 0) {
          at++;
          break;
        }
      } else if (byte === COMMA && depth === 0) break;
      at++;
    }
    this.#at = at;
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let byte = bytes[at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at];
    this.#at = at;
  }

  #start(span: number): number {
    return this.#spans[span * 2] as number;
  }

  #length(span: number): number {
    return (this.#spans[span * 2 + 1] as number) - this.#start(span);
  }

  #has(span: number): boolean {
    return this.#length(span) > 0;
  }

  #slice(span: number): string {
    return decodeUtf8(this.#bytes.subarray(this.#start(span), this.#spans[span * 2 + 1]));
  }

  /** '' for an absent value and for one that is not a string. */
  #text(span: number): string {
    if (!this.#has(span) || this.#bytes[this.#start(span)] !== QUOTE) return '';
    const text = this.#slice(span);
    return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
  }

  #list(span: number): readonly unknown[] {
    if (!this.#has(span) || this.#bytes[this.#start(span)] !== OPEN_BRACKET) return [];
    const list: unknown = JSON.parse(this.#slice(span));
    return Array.isArray(list) ? list : [];
  }
}

type WantedName = readonly number[];

const TOP_LEVEL_NAMES = TOP_LEVEL.map(charCodes);
const IN_METADATA_NAMES = IN_METADATA.map(charCodes);

function charCodes(name: string): WantedName {
  return [...name].map((letter) => letter.charCodeAt(0));
}

function indexOfName(names: readonly WantedName[], bytes: Uint8Array, from: number, to: number): number {
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as WantedName;
    if (name.length !== to - from) continue;
    let at = 0;
    while (at < name.length && bytes[from + at] === name[at]) at++;
    if (at === name.length) return i;
  }
  return -1;
}
