/**
 * The negotiated form of an answer: the media type, and whether it has the object itself, a Table or its metadata only.
 *
 * Invariant: the checks of the router and of the endpoint run in the reference's order. Accepted headers are cached in
 * a map of bounded size.
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
  /** Undefined if the media type has no form for watches. */
  readonly streamMediaType: string | undefined;
  readonly shape: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** The version of a Table or of metadata: `meta.k8s.io/v1`. '' for the object itself. */
  readonly apiVersion: string;
  /** True for `pretty=1` in the header. */
  readonly pretty: boolean;
}

const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 1024;

/** Negotiates the forms of answers for one group of kinds. */
export class AnswerForms {
  readonly #options: NegotiationOptions;
  readonly #mediaTypes: readonly SupportedMediaType[];
  readonly #names: readonly string[];
  readonly #remembered = new Map<string, AnswerForm>();
  readonly #default: AnswerForm;
  readonly #isRouted: boolean;

  /**
   * `binary`: objects have a protobuf form; without it, only their metadata can be sent in protobuf. `tables`: objects
   * can be sent as a Table. `routed`: a router checks the header first, with a message of its own; default true.
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

  /**
   * Returns the form that the Accept header asks for. Throws the 406. `listing` is true for paths that can be watched;
   * their 406 names the streaming media types too.
   */
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

  /** Returns the 406 for a watch whose form cannot be streamed. */
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

  /** Returns the router's 406. */
  #unroutable(listing: boolean): Status {
    const streams = listing ? this.#mediaTypes.flatMap((type) => type.streamMediaType ?? []) : [];
    const types = [...this.#names, ...streams];
    const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`;
    return genericServerResponse({ code: 406, verb: '', serverMessage });
  }
}
