/**
 * One document in its JSON and protobuf forms. The bytes are made on request and held weakly, so the garbage collector
 * may drop them. The hash is kept: it is that of the JSON, or of a fingerprint that changes whenever the JSON does.
 */
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { contentHash } from '../../base/content-hash.ts';
import type { JsonObject } from '../../base/json-value.ts';

/**
 * Part of every hash that is made from a fingerprint. Increment it when the same types produce another document,
 * because clients cache documents by their hash forever.
 */
const FORMAT_REVISION = 2;

export interface DocumentMaker {
  /** Returns the JSON text. */
  make(): string;
  /** Encodes the parsed JSON as protobuf. */
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

  /** In upper-case hexadecimal. */
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
