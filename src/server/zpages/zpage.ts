/**
 * The z-pages of the server (`/flagz`, `/statusz`): text for people, and a structured form of config.k8s.io for
 * programs (KEP-4827, KEP-4828).
 *
 * Invariant: the structured form is sent only to a client that names its kind and version. Everything else that
 * accepts text gets text.
 */
import {
  JSON_MEDIA_TYPE,
  negotiateAccept,
  type SupportedMediaType,
  type TransformTarget,
  YAML_MEDIA_TYPE,
} from '../../apimachinery/codec/negotiation.ts';
import { notAcceptable } from '../../apimachinery/status/status-catalogue.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Answer } from '../http/exchange.ts';
import type { PathMux } from '../http/paths.ts';
import { contentHeaders, encodeValue, isPretty, STANDARD_MEDIA_TYPES, statusAnswer } from '../http/respond.ts';
import type { ServerRequest } from '../http/server-request.ts';

export interface ZPage {
  /** The last segment of the path: `flagz`. */
  readonly name: string;
  /** The kind of the structured form: `Flagz`. */
  readonly kind: string;
  /** Returns the lines after the heading. Called for each request for text. */
  text(): string;
  /** Returns the fields after the metadata. Called for each request for the structured form. */
  fields(): JsonObject;
}

const GROUP = 'config.k8s.io';
const VERSIONS: readonly string[] = ['v1alpha1', 'v1beta1'];
const DEPRECATED = 'v1alpha1';
/** The name of the component that the reference gives its pages. */
const COMPONENT = 'apiserver';
const TEXT_MEDIA_TYPE: SupportedMediaType = { mediaType: 'text/plain', streamMediaType: undefined };
const SUPPORTED: readonly SupportedMediaType[] = [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE, TEXT_MEDIA_TYPE];

/** Serves the page at `/<name>`, for every HTTP method, as the reference does. */
export function mountZPage(mux: PathMux, page: ZPage): void {
  mux.handle(`/${page.name}`, (request) => answer(page, request));
}

function answer(page: ZPage, request: ServerRequest): Answer {
  const accept = request.incoming.header('accept') ?? '';
  if (accept.trim() === '') return textAnswer(page);
  const negotiated = negotiateAccept(accept, {
    supported: SUPPORTED,
    allowsTransform: (target, mediaType) =>
      mediaType === TEXT_MEDIA_TYPE.mediaType ? target === undefined : isStructured(page, target),
  });
  if (!negotiated.ok)
    return statusAnswer(request, notAcceptable(SUPPORTED.map((type) => type.mediaType)), STANDARD_MEDIA_TYPES);
  const { accepted, target, pretty } = negotiated.media;
  if (target === undefined) return textAnswer(page);
  return structuredAnswer(page, target.version, accepted.mediaType, pretty || isPretty(request));
}

function isStructured({ kind }: ZPage, target: TransformTarget | undefined): boolean {
  return target?.group === GROUP && target.kind === kind && VERSIONS.includes(target.version);
}

function textAnswer(page: ZPage): Answer {
  const warning =
    'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
  const text = `\n${COMPONENT} ${page.name}\n${warning}\n${page.text()}`;
  return { kind: 'bytes', status: 200, headers: contentHeaders('text/plain; charset=utf-8'), body: encodeUtf8(text) };
}

function structuredAnswer(page: ZPage, version: string, mediaType: string, pretty: boolean): Answer {
  const { kind, name } = page;
  const value = { kind, apiVersion: `${GROUP}/${version}`, metadata: { name: COMPONENT }, ...page.fields() };
  const headers = contentHeaders(`${mediaType};g=${GROUP};v=${version};as=${kind}`);
  const warning = `299 - "This version of the ${name} endpoint is deprecated. Please use a newer version."`;
  return {
    kind: 'bytes',
    status: 200,
    headers: version === DEPRECATED ? { ...headers, warning } : headers,
    body: encodeValue(value, mediaType, pretty),
  };
}
