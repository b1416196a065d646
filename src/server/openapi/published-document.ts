/**
 * One document in its two forms. Invariant: what is kept is bytes, made when they are first asked for; the value that they are made from is not. The hash is that of
 * the JSON, or of a fingerprint that changes whenever the JSON does, and names both forms.
 */
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { writeJsonBytes } from '../../base/json-write.ts';
import { sha256Hex } from '../../base/sha256.ts';

/** Part of every hash that is made from a fingerprint: raise it when the same facts give another document, because clients keep documents for good by their hash. */
const FORMAT_REVISION = 1;

export interface DocumentMaker {
  make(): JsonObject;
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
      this.#hash = sha256Hex(fingerprint === undefined ? this.json() : encodeUtf8(`${FORMAT_REVISION} ${fingerprint}`));
    }
    return this.#hash;
  }

  json(): Uint8Array {
    this.#json ??= writeJsonBytes(this.#maker.make());
    return this.#json;
  }

  protobuf(): Uint8Array {
    this.#protobuf ??= this.#maker.encode(this.value());
    return this.#protobuf;
  }

  /** The document, for one who makes something else from it; read again from the bytes if there are any. */
  value(): JsonObject {
    return this.#json === undefined ? this.#maker.make() : (JSON.parse(decodeUtf8(this.#json)) as JsonObject);
  }
}
