/**
 * What endpoints share: the server around them, the resource they serve, and the small steps that most verbs take.
 * Invariant: nothing here knows a kind; what differs between resources is in the scope.
 */

import type { SupportedMediaType } from '../../apimachinery/codec/negotiation.ts';
import type { GroupResource, GroupVersionKind, GroupVersionResource } from '../../apimachinery/meta/gvk.ts';
import { isMalformed, type OptionsResult } from '../../apimachinery/meta/options-decode.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, invalid, requestEntityTooLarge } from '../../apimachinery/status/status-catalogue.ts';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Admission } from '../admission.ts';
import type { Authorizer } from '../authorizer.ts';
import { headerText } from '../filters/authentication/header-text.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { ResourceContext, ResourceStore } from '../resource/resource-store.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import type { AnswerForms } from './encode/answer-form.ts';
import type { ProtobufWriter } from './encode/protobuf-writer.ts';
import type { WatchEncodings } from './watch/watch-encoding.ts';
import type { WatchSet } from './watch/watch-set.ts';

/** Makes bytes smaller; the platform's gzip. */
export interface Compressor {
  compress(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Returns a namespace that is at least as fresh as the last answered write; undefined if it does not exist. */
export type NamespaceReader = (name: string) => MaybePromise<JsonObject | undefined>;

/** What the endpoints of one server share. */
export interface EndpointHost {
  readonly clock: Clock;
  readonly admission: Admission;
  /** Reads a namespace for admission; undefined: the server has no namespaces. */
  readonly namespaces: NamespaceReader | undefined;
  /** Asked when an update creates; undefined: an update that creates needs no further permission. */
  readonly authorizer: Authorizer | undefined;
  /** What bodies can be read in. */
  readonly inputTypes: readonly SupportedMediaType[];
  /** The same for kinds without a binary form. */
  readonly textTypes: readonly SupportedMediaType[];
  /** Undefined: answers are never in protobuf. */
  readonly protobuf: ProtobufWriter | undefined;
  readonly bodyBytes: number;
  readonly minRequestTimeoutSeconds: number;
  /** From 0 up to, not including, 1. */
  random(): number;
  readonly watches: WatchSet;
  /** Undefined: answers are never compressed. */
  readonly gzip: Compressor | undefined;
  /** Hears how many events of a resource were sent to watchers, and how many bytes. */
  readonly onWatchEvents: ((resource: GroupVersionResource, count: number, bytes: number) => void) | undefined;
  /** Whether a kind is known to the server, for the words that refuse a body of another kind. */
  knowsKind(kind: GroupVersionKind): boolean;
}

/** One resource, or one subresource of it, in one version. */
export interface RequestScope {
  /** Of the path: what the store's contexts carry. */
  readonly version: VersionDefinition;
  /** Of bodies and answers: the subresource's own where it has one. */
  readonly bodyVersion: VersionDefinition;
  /** Every version of the resource: bodies of another one are told so. */
  readonly versions: readonly VersionDefinition[];
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** The resource as Statuses name it. */
  readonly groupResource: GroupResource;
  /** '' for the resource itself. */
  readonly subresource: string;
  readonly namespaced: boolean;
  /** The resource that namespaces are: a request to one of them is in that namespace. */
  readonly isNamespaces: boolean;
  /** Converts an object between versions of the resource; it may change and return the one that it got. */
  convert(object: JsonObject, from: VersionDefinition, to: VersionDefinition): MaybePromise<JsonObject>;
  readonly store: ResourceStore;
  readonly forms: AnswerForms;
  readonly encodings: WatchEncodings;
}

/** One verb. It throws, or rejects with, StatusErrors. */
export type Endpoint = (host: EndpointHost, scope: RequestScope, request: ServerRequest) => MaybePromise<Answer>;

/** Fails for a path that leaves the name, or that of the namespace, empty. */
export function namedContext(scope: RequestScope, request: ServerRequest): ResourceContext {
  const name = request.info.parts[1] ?? '';
  if (name === '') throw new StatusError(badRequest('name must be provided'));
  const { namespaced, version } = scope;
  const namespace = namespaced ? request.info.namespace : '';
  if (namespaced && namespace === '') throw new StatusError(badRequest('Namespace parameter required.'));
  return { request, version, namespace, name };
}

export function collectionContext(scope: RequestScope, request: ServerRequest): ResourceContext {
  return { request, version: scope.version, namespace: scope.namespaced ? request.info.namespace : '', name: '' };
}

/** Options, or the 400 for what cannot be read and the 422 for what breaks a rule. `kind` is that of the options. */
export function checkedOptions<T>(result: OptionsResult<T>, kind: string): T {
  if (result.ok) return result.value;
  if (isMalformed(result)) throw new StatusError(badRequest(result.message));
  throw new StatusError(invalid({ group: 'meta.k8s.io', kind }, '', result.issues));
}

/** The whole body; a 413 beyond the server's limit. */
export function readBody(host: EndpointHost, request: ServerRequest): MaybePromise<Uint8Array> {
  return andThen(request.incoming.body(host.bodyBytes), (read) => {
    if (read.outcome === 'ok') return read.bytes;
    if (read.outcome === 'too-large') throw new StatusError(requestEntityTooLarge(`limit is ${host.bodyBytes}`));
    throw new StatusError(badRequest('the body of the request ended before it was complete'));
  });
}

// The reference's FieldManagerMaxLength.
const MAX_MANAGER_BYTES = 128;
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** The field manager of a write: what the client says, or the beginning of its user agent. */
export function fieldManagerOf(request: ServerRequest, given: string): string {
  if (given !== '') return given;
  const agent = headerText(request.incoming.header('user-agent') ?? '');
  const slash = agent.indexOf('/');
  const product = (slash < 0 ? agent : agent.slice(0, slash)).replace(UNPRINTABLE, '');
  return product.length * 3 <= MAX_MANAGER_BYTES ? product : firstBytes(product, MAX_MANAGER_BYTES);
}

/** Whole characters that fit into so many bytes of UTF-8. */
function firstBytes(text: string, limit: number): string {
  let end = 0;
  let size = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}
