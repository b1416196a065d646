/**
 * One document in its two forms. Invariant: what is kept is bytes, made when they are first asked for; the value that they are made from is not. The hash is that of
 * the JSON, or of a fingerprint that changes whenever the JSON does, and names both forms.
 */
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { contentHash } from '../../base/content-hash.ts';
import type { JsonObject } from '../../base/json-value.ts';

/** Part of every hash that is made from a fingerprint: raise it when the same facts give another document, because clients keep documents for good by their hash. */
const FORMAT_REVISION = 1;

export interface DocumentMaker {
  /** The text of its JSON. */
  make(): string;
  /** The protobuf form of what `make` gives. */
  encode(document: JsonObject): Uint8Array;
  readonly fingerprint?: string | undefined;
}

export class PublishedDocument {
  readonly #maker: DocumentMaker;
  #json: Uint8Array | undefined;
  #protobuf: Uint8Array | undefined;
  #hash: string | undefined;

  constructor(maker: DocumentMaker) {
    this.#maker = maker;
  }

  /** Upper-case hexadecimal digits. */
  get hash(): string {
    if (this.#hash === undefined) {
      const { fingerprint } = this.#maker;
      this.#hash = contentHash(
        fingerprint === undefined ? this.json() : encodeUtf8(`${FORMAT_REVISION} ${fingerprint}`),
      );
    }
    return this.#hash;
  }

  json(): Uint8Array {
    this.#json ??= encodeUtf8(this.#maker.make());
    return this.#json;
  }

  protobuf(): Uint8Array {
    if (this.#protobuf === undefined) {
      const text = this.#json === undefined ? this.#maker.make() : decodeUtf8(this.#json);
      this.#protobuf = this.#maker.encode(JSON.parse(text) as JsonObject);
    }
    return this.#protobuf;
  }
}
