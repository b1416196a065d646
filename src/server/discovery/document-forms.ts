/**
 * A discovery document in each supported media type. A form is encoded on its first request and kept as long as the
 * document. Its bytes are shared by all answers.
 */
import {
  CBOR_MEDIA_TYPE,
  JSON_MEDIA_TYPE,
  type NegotiatedMedia,
  PROTOBUF_MEDIA_TYPE,
  type SupportedMediaType,
  YAML_MEDIA_TYPE,
} from '../../apimachinery/codec/negotiation.ts';
import { encodeObject } from '../../apimachinery/protobuf/encode.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { encodeValue, isPretty } from '../http/respond.ts';
import type { ServerRequest } from '../http/server-request.ts';

export interface FormSettings {
  /** Whether CBOR is supported. kube-apiserver has it behind the feature gate CBORServingAndStorage, off by default. */
  readonly cbor: boolean;
  /** Whether protobuf is supported, which needs the types of the documents. */
  readonly protobuf: boolean;
}

/** Returns the media types in the reference's order. The first one is the default. */
export function supportedForms({ cbor, protobuf }: FormSettings): readonly SupportedMediaType[] {
  return [
    JSON_MEDIA_TYPE,
    YAML_MEDIA_TYPE,
    ...(protobuf ? [PROTOBUF_MEDIA_TYPE] : []),
    ...(cbor ? [CBOR_MEDIA_TYPE] : []),
  ];
}

export class DocumentForms {
  readonly #value: () => JsonObject;
  readonly #view: () => StructView;
  readonly #json: (() => string) | undefined;
  readonly #forms = new Map<string, Uint8Array>();

  /** `json` is optional: it returns the JSON text of the same value at a lower cost. */
  constructor(value: () => JsonObject, view: () => StructView, json?: () => string) {
    this.#value = value;
    this.#view = view;
    this.#json = json;
  }

  bytes(media: NegotiatedMedia, request: ServerRequest): Uint8Array {
    const { mediaType } = media.accepted;
    const pretty = mediaType === JSON_MEDIA_TYPE.mediaType && (media.pretty || isPretty(request));
    const key = pretty ? 'pretty' : mediaType;
    let bytes = this.#forms.get(key);
    if (bytes === undefined) {
      bytes = this.#make(mediaType, pretty);
      this.#forms.set(key, bytes);
    }
    return bytes;
  }

  #make(mediaType: string, pretty: boolean): Uint8Array {
    if (mediaType === JSON_MEDIA_TYPE.mediaType && !pretty && this.#json !== undefined)
      return encodeUtf8(`${this.#json()}\n`);
    if (mediaType !== PROTOBUF_MEDIA_TYPE.mediaType) return encodeValue(this.#value(), mediaType, pretty);
    const encoded = encodeObject(this.#view(), this.#value());
    if (!encoded.ok) throw new BugError(`a discovery document has no binary form: ${encoded.error.message}`);
    return encoded.bytes;
  }
}
