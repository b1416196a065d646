/**
 * One document in its two forms. Invariant: the bytes are made when they are asked for and kept until memory is tidied
 * up; the value that they are made from is not. The hash is that of the JSON, or of a fingerprint that changes whenever
 * the JSON does, and names both forms; it is kept.
 */
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { contentHash } from '../../base/content-hash.ts';
import type { JsonObject } from '../../base/json-value.ts';

/**
 * Part of every hash that is made from a fingerprint: raise it when the same facts give another document, because
 * clients keep documents for good by their hash.
 */
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
  #json: WeakRef<Uint8Array> | undefined;
  #protobuf: WeakRef<Uint8Array> | undefined;
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
    let bytes = this.#json?.deref();
    if (bytes === undefined) {
      bytes = encodeUtf8(this.#maker.make());
      this.#json = new WeakRef(bytes);
    }
    return bytes;
  }

  protobuf(): Uint8Array {
    let bytes = this.#protobuf?.deref();
    if (bytes === undefined) {
      const json = this.#json?.deref();
      const text = json === undefined ? this.#maker.make() : decodeUtf8(json);
      bytes = this.#maker.encode(JSON.parse(text) as JsonObject);
      this.#protobuf = new WeakRef(bytes);
    }
    return bytes;
  }
}
