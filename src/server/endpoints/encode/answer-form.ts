/**
 * The form of an answer, from the Accept header: which media type, and whether it is the object itself, a Table or
 * metadata only. Invariant: a header that was accepted once is found in a map of bounded size; the router's check of
 * the header and the endpoint's come in the reference's order.
 */
import {
  allowsMetaTransform,
  type NegotiationOptions,
  negotiateAccept,
  PROTOBUF_MEDIA_TYPE,
  type SupportedMediaType,
} from '../../../apimachinery/codec/negotiation.ts';
import { type Status, StatusError } from '../../../apimachinery/status/status.ts';
import { genericServerResponse, notAcceptable } from '../../../apimachinery/status/status-catalogue.ts';
import { acceptsOneOf } from '../../discovery/restful-accept.ts';
import type { ServerRequest } from '../../http/server-request.ts';

export interface AnswerForm {
  readonly mediaType: string;
  /** Undefined if it cannot be watched. */
  readonly streamMediaType: string | undefined;
  readonly shape: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Of a Table or of metadata: `meta.k8s.io/v1`. */
  readonly apiVersion: string;
  /** `pretty=1` in the header. */
  readonly pretty: boolean;
}

const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 1024;

/** Chooses forms for the kinds of one server that have a binary form, or for those that have none. */
export class AnswerForms {
  readonly #options: NegotiationOptions;
  readonly #mediaTypes: readonly SupportedMediaType[];
  readonly #names: readonly string[];
  readonly #remembered = new Map<string, AnswerForm>();
  readonly #default: AnswerForm;
  readonly #isRouted: boolean;

  /**
   * `binary`: objects have a protobuf form. Without it only what the server makes itself of them, their metadata, is
   * written so. `tables`: they can be shown as a Table. `routed`: a router looks at the header first, and refuses in
   * words of its own; default true.
   */
  constructor(
    mediaTypes: readonly SupportedMediaType[],
    { binary, tables, routed }: { readonly binary: boolean; readonly tables: boolean; readonly routed?: boolean },
  ) {
    this.#isRouted = routed ?? true;
    this.#mediaTypes = mediaTypes;
    this.#names = mediaTypes.map((type) => type.mediaType);
    this.#options = {
      supported: mediaTypes,
      allowsTransform: (target, mediaType) =>
        target === undefined
          ? binary || mediaType !== PROTOBUF_MEDIA_TYPE.mediaType
          : allowsMetaTransform(target, mediaType, tables),
      allowsServerVersion: (version) => version === 'v1',
    };
    this.#default = this.#choose('') as AnswerForm;
  }

  /** Throws the 406. `listing` is for paths that can be watched: they offer the media types of streams too. */
  of(request: ServerRequest, listing: boolean): AnswerForm {
    const header = request.incoming.header('accept');
    if (header === undefined || header === '') return this.#default;
    const known = this.#remembered.get(header);
    if (known !== undefined) return known;
    if (this.#isRouted && !acceptsOneOf(header, this.#names)) throw new StatusError(this.#unroutable(listing));
    const form = this.#choose(header);
    if (form === undefined) throw new StatusError(notAcceptable(this.#names));
    if (header.length <= MAX_REMEMBERED_LENGTH) {
      if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(header, form);
    }
    return form;
  }

  /** What a watch that cannot be streamed in the chosen form is told. */
  streamRefusal(): Status {
    return notAcceptable(this.#mediaTypes.flatMap((type) => type.streamMediaType ?? []));
  }

  #choose(header: string): AnswerForm | undefined {
    const negotiated = negotiateAccept(header, this.#options);
    if (!negotiated.ok) return undefined;
    const { accepted, target, pretty } = negotiated.media;
    return {
      mediaType: accepted.mediaType,
      streamMediaType: accepted.streamMediaType,
      shape: target === undefined ? 'object' : (target.kind as AnswerForm['shape']),
      apiVersion: target === undefined ? '' : `${target.group}/${target.version}`,
      pretty,
    };
  }

  /** The router's words for a header that no route can serve. */
  #unroutable(listing: boolean): Status {
    const streams = listing ? this.#mediaTypes.flatMap((type) => type.streamMediaType ?? []) : [];
    const types = [...this.#names, ...streams];
    const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`;
    return genericServerResponse({ code: 406, verb: '', serverMessage });
  }
}
