/**
 * Content negotiation with the reference's rules: the form of a response (Accept) and of a request body (Content-Type).
 * The result depends only on the headers and the list of supported types. Messages of refusals are the reference's.
 */
import { parseAccept, parseContentType } from './media-type.ts';

/** A media type that a server can read and write. */
export interface SupportedMediaType {
  /** Such as `application/json`. */
  readonly mediaType: string;
  /**
   * The name of the watch form in a 406, such as `application/json;stream=watch`; undefined if it cannot be watched
   * (YAML).
   */
  readonly streamMediaType: string | undefined;
}

/**
 * The media types of the reference, in its order. The first is the default. The reference has CBOR behind a feature
 * gate.
 */
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

/** The target of the parameters `as`, `g` and `v`: the kind that the response is converted to. A missing part is ''. */
export interface TransformTarget {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface NegotiationOptions {
  /** Never empty. The first is used if the client names none. */
  readonly supported: readonly SupportedMediaType[];
  /** Whether this endpoint supports the target; undefined is the plain object. Default: plain objects only. */
  readonly allowsTransform?: (target: TransformTarget | undefined, mediaType: string) => boolean;
  /** Whether a client may ask for this version of the server's own group (`sv`). Default: no. */
  readonly allowsServerVersion?: (version: string) => boolean;
}

export interface NegotiatedMedia {
  readonly accepted: SupportedMediaType;
  readonly target: TransformTarget | undefined;
  /** `pretty=1` in the Accept header. `wantsPretty` covers the other ways to ask. */
  readonly pretty: boolean;
  /** `watch` or ''. */
  readonly stream: string;
  /** The discovery profile (`profile=nopeer`), or ''. */
  readonly profile: string;
}

export type Negotiated<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly message: string };

/** Chooses the form of a response. A refusal is answered with 406. */
export function negotiateAccept(
  header: string | undefined,
  options: NegotiationOptions,
): Negotiated<{ media: NegotiatedMedia }> {
  const media = choose(header ?? '', options);
  return media === undefined ? notAcceptable(options.supported.map((s) => s.mediaType)) : { ok: true, media };
}

/** Chooses how a body is read. A missing header means the first supported type. A refusal is answered with 415. */
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

/**
 * Whether JSON is indented. The query parameter decides; if it is undefined or '', browsers and common command line
 * tools get indented JSON.
 */
export function wantsPretty(queryValue: string | undefined, userAgent: string | undefined): boolean {
  if (queryValue !== undefined && queryValue !== '') return TRUE_WORDS.has(queryValue);
  return userAgent !== undefined && /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/**
 * The transforms of resource endpoints: Table in JSON and YAML if the resource has columns, and PartialObjectMetadata
 * and its list in any media type, in meta.k8s.io v1 and v1beta1.
 */
export function allowsMetaTransform(target: TransformTarget | undefined, mediaType: string, hasTable = true): boolean {
  if (target === undefined) return true;
  if (target.group !== 'meta.k8s.io' || (target.version !== 'v1' && target.version !== 'v1beta1')) return false;
  if (target.kind === 'Table')
    return hasTable && (mediaType === 'application/json' || mediaType === 'application/yaml');
  return target.kind === 'PartialObjectMetadata' || target.kind === 'PartialObjectMetadataList';
}

/**
 * The transforms of the discovery endpoints `/api` and `/apis`: the aggregated form in apidiscovery.k8s.io v2 and
 * v2beta1.
 */
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

/** Returns undefined if the endpoint does not support what the parameters ask for. Unknown parameters are ignored. */
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
