/**
 * Content negotiation as the reference does it: which form an answer takes (Accept) and how a body is read (Content-Type). Invariant: the
 * answer depends on the headers and on the list of supported types alone; a refusal carries the reference's words.
 */
import { parseAccept, parseContentType } from './media-type.ts';

/** A form that a server can read and write. */
export interface SupportedMediaType {
  /** Such as `application/json`. */
  readonly mediaType: string;
  /** The form of a watch as named in a 406, such as `application/json;stream=watch`; undefined if it cannot be watched (YAML). */
  readonly streamMediaType: string | undefined;
}

/** The forms of the reference, in its order; the first is the default. CBOR belongs behind its feature gate. */
export const JSON_MEDIA_TYPE: SupportedMediaType = supported('application/json', true);
export const YAML_MEDIA_TYPE: SupportedMediaType = supported('application/yaml', false);
export const PROTOBUF_MEDIA_TYPE: SupportedMediaType = supported('application/vnd.kubernetes.protobuf', true);
export const CBOR_MEDIA_TYPE: SupportedMediaType = {
  mediaType: 'application/cbor',
  streamMediaType: 'application/cbor-seq',
};

function supported(mediaType: string, canStream: boolean): SupportedMediaType {
  return { mediaType, streamMediaType: canStream ? `${mediaType};stream=watch` : undefined };
}

/** What `as`, `g` and `v` ask the answer to be turned into; a part that was not given is ''. */
export interface TransformTarget {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface NegotiationOptions {
  /** Never empty; the first is used when the client does not say. */
  readonly supported: readonly SupportedMediaType[];
  /** Whether this endpoint can answer so; `target` is undefined for the plain object. Default: plain objects only. */
  readonly allowsTransform?: (target: TransformTarget | undefined, mediaType: string) => boolean;
  /** Whether a client may ask for this version of the server's own group (`sv`). Default: none. */
  readonly allowsServerVersion?: (version: string) => boolean;
}

export interface NegotiatedMedia {
  readonly accepted: SupportedMediaType;
  readonly target: TransformTarget | undefined;
  /** `pretty=1` in the Accept header; see `wantsPretty` for the other ways to ask. */
  readonly pretty: boolean;
  /** `watch` or ''. */
  readonly stream: string;
  /** The discovery profile (`profile=nopeer`), or ''. */
  readonly profile: string;
}

export type Negotiated<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly message: string };

/** The form of an answer. Refusal: 406. */
export function negotiateAccept(
  header: string | undefined,
  options: NegotiationOptions,
): Negotiated<{ media: NegotiatedMedia }> {
  const media = choose(header ?? '', options);
  return media === undefined ? notAcceptable(options.supported.map((s) => s.mediaType)) : { ok: true, media };
}

/** How a body is read; a missing header means the first supported type. Refusal: 415. */
export function negotiateContentType(
  header: string | undefined,
  list: readonly SupportedMediaType[],
): Negotiated<{ type: SupportedMediaType }> {
  const mediaType = header === undefined || header === '' ? list[0]?.mediaType : parseContentType(header);
  const type = list.find((s) => s.mediaType === mediaType);
  if (type !== undefined) return { ok: true, type };
  const names = list.map((s) => s.mediaType).join(', ');
  return {
    ok: false,
    message: `the body of the request was in an unknown format - accepted media types include: ${names}`,
  };
}

function notAcceptable(names: readonly string[]): { ok: false; message: string } {
  return { ok: false, message: `only the following media types are accepted: ${names.join(', ')}` };
}

const TRUE_WORDS: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Whether JSON is indented: the query parameter decides; without it (undefined or '') browsers and well-known command line tools get it. */
export function wantsPretty(queryValue: string | undefined, userAgent: string | undefined): boolean {
  if (queryValue !== undefined && queryValue !== '') return TRUE_WORDS.has(queryValue);
  return userAgent !== undefined && /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/**
 * The transforms of resource endpoints: Table in JSON and YAML if the resource has columns, PartialObjectMetadata and its list in any form,
 * in meta.k8s.io v1 and v1beta1.
 */
export function allowsMetaTransform(target: TransformTarget | undefined, mediaType: string, hasTable = true): boolean {
  if (target === undefined) return true;
  if (target.group !== 'meta.k8s.io' || (target.version !== 'v1' && target.version !== 'v1beta1')) return false;
  if (target.kind === 'Table')
    return hasTable && (mediaType === 'application/json' || mediaType === 'application/yaml');
  return target.kind === 'PartialObjectMetadata' || target.kind === 'PartialObjectMetadataList';
}

/** The transforms of the discovery endpoints `/api` and `/apis`: the aggregated form in apidiscovery.k8s.io v2 and v2beta1. */
export function allowsDiscoveryTransform(target: TransformTarget | undefined): boolean {
  if (target === undefined) return true;
  const isVersion = target.version === 'v2' || target.version === 'v2beta1';
  return target.group === 'apidiscovery.k8s.io' && isVersion && target.kind === 'APIGroupDiscoveryList';
}

function choose(header: string, options: NegotiationOptions): NegotiatedMedia | undefined {
  const [first] = options.supported;
  if (header === '' && first !== undefined)
    return { accepted: first, target: undefined, pretty: false, stream: '', profile: '' };
  for (const clause of parseAccept(header)) {
    for (const candidate of options.supported) {
      if (!matches(clause.type, clause.subtype, candidate.mediaType)) continue;
      const media = acceptParams(clause.params, candidate, options);
      if (media !== undefined) return media;
    }
  }
  return undefined;
}

function matches(type: string, subtype: string, mediaType: string): boolean {
  if (type === '*') return subtype === '*';
  if (!mediaType.startsWith(type) || mediaType[type.length] !== '/') return false;
  return subtype === '*' || mediaType.slice(type.length + 1) === subtype;
}

/** Undefined if the endpoint cannot do what the parameters ask; unknown parameters are passed over. */
function acceptParams(
  params: ReadonlyMap<string, string>,
  candidate: SupportedMediaType,
  options: NegotiationOptions,
): NegotiatedMedia | undefined {
  const [kind, group, version] = [params.get('as'), params.get('g'), params.get('v')];
  const isPlain = kind === undefined && group === undefined && version === undefined;
  const target = isPlain ? undefined : { group: group ?? '', version: version ?? '', kind: kind ?? '' };
  const stream = params.get('stream') ?? '';
  if (stream !== '' && (candidate.streamMediaType === undefined || stream !== 'watch')) return undefined;
  const serverVersion = params.get('sv') ?? '';
  if (serverVersion !== '' && options.allowsServerVersion?.(serverVersion) !== true) return undefined;
  const allowed = options.allowsTransform?.(target, candidate.mediaType) ?? isPlain;
  if (!allowed) return undefined;
  return {
    accepted: candidate,
    target,
    pretty: params.get('pretty') === '1',
    stream,
    profile: params.get('profile') ?? '',
  };
}
