/**
 * The parts that all endpoints share: the interface to the server, the scope of a request, and the steps that most
 * verbs have in common. Nothing here depends on a kind: the scope holds the differences between resources.
 */

import type { SupportedMediaType } from '../../apimachinery/codec/negotiation.ts';
import type { FieldManager } from '../../apimachinery/managed-fields/field-manager.ts';
import type { GroupResource, GroupVersionKind, GroupVersionResource } from '../../apimachinery/meta/gvk.ts';
import { isMalformed, type OptionsResult } from '../../apimachinery/meta/options-decode.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, invalid, requestEntityTooLarge } from '../../apimachinery/status/status-catalogue.ts';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Slab } from '../../base/slab.ts';
import type { Admission } from '../admission.ts';
import type { Authorizer } from '../authorizer.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { ResourceContext, ResourceStore } from '../resource/resource-store.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import type { AnswerForm, AnswerForms } from './encode/answer-form.ts';
import type { ProtobufWriter } from './encode/protobuf-writer.ts';
import type { WatchEncodings } from './watch/watch-encoding.ts';
import type { WatchSet } from './watch/watch-set.ts';

/** The platform's gzip. */
export interface Compressor {
  /** Returns the compressed bytes. Must not modify `bytes`. Never rejects. */
  compress(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Returns a namespace that is at least as fresh as the last answered write; undefined if it does not exist. */
export type NamespaceReader = (name: string) => MaybePromise<JsonObject | undefined>;

/** The parts of the server that endpoints use. */
export interface EndpointHost {
  readonly clock: Clock;
  readonly admission: Admission;
  /** Reads a namespace for admission. Undefined on a server without namespaces. */
  readonly namespaces: NamespaceReader | undefined;
  /** Called when an update creates an object. Undefined: such an update needs no permission to create. */
  readonly authorizer: Authorizer | undefined;
  /** The media types of request bodies. */
  readonly inputTypes: readonly SupportedMediaType[];
  /** The media types of request bodies for kinds without a protobuf form. */
  readonly textTypes: readonly SupportedMediaType[];
  /** Undefined if the server does not write protobuf. */
  readonly protobuf: ProtobufWriter | undefined;
  readonly bodyBytes: number;
  readonly minRequestTimeoutSeconds: number;
  /** Returns a number from 0 up to, not including, 1. */
  random(): number;
  readonly watches: WatchSet;
  /** Allocates the bytes of small answers. */
  readonly slab: Slab;
  /** Undefined if answers are never compressed. */
  readonly gzip: Compressor | undefined;
  /** Called when events of a resource are written to a watcher's stream, with their number and size. */
  readonly onWatchEvents: ((resource: GroupVersionResource, count: number, bytes: number) => void) | undefined;
  /**
   * Called with the reason when the managers of an object cannot be computed. The object is then written without
   * managedFields. Undefined: nothing is reported.
   */
  readonly onUntracked: ((resource: GroupVersionResource, reason: string) => void) | undefined;
  /** Reports whether the server has a kind. The message that refuses a body of another kind depends on the result. */
  knowsKind(kind: GroupVersionKind): boolean;
}

/** One resource, or one of its subresources, in one version. All requests to it share one scope. */
export interface RequestScope {
  /** The version in the path. It is `version` of the contexts that the store gets. */
  readonly version: VersionDefinition;
  /** The version of bodies and answers: that of the subresource, if it has one of its own. */
  readonly bodyVersion: VersionDefinition;
  /** Every version of the resource. A body in one of the other versions is refused with a message about its version. */
  readonly versions: readonly VersionDefinition[];
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** The resource as Statuses name it. */
  readonly groupResource: GroupResource;
  /** '' for the resource itself. */
  readonly subresource: string;
  readonly namespaced: boolean;
  /** True for the resource `namespaces`: a request to one of its objects counts as a request in that namespace. */
  readonly isNamespaces: boolean;
  /**
   * Converts an object between versions of the resource, for admission. May change and return the object that it gets.
   * Custom objects keep undeclared fields and get no defaults.
   */
  convert(object: JsonObject, from: VersionDefinition, to: VersionDefinition): MaybePromise<JsonObject>;
  readonly store: ResourceStore;
  /** Made on first use. */
  readonly fieldManager: FieldManager;
  readonly forms: AnswerForms;
  readonly encodings: WatchEncodings;
}

/** One verb. Answers synchronously where the store does. Throws, or rejects with, a StatusError. */
export type Endpoint = (host: EndpointHost, scope: RequestScope, request: ServerRequest) => MaybePromise<Answer>;

/** Returns the context of a request to one object. Throws the 400 for a path without a name or without a namespace. */
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

/** Returns the context of a read whose answer has this form. */
export function readContext(context: ResourceContext, { shape }: AnswerForm): ResourceContext {
  const isMetadata = shape === 'PartialObjectMetadata' || shape === 'PartialObjectMetadataList';
  return isMetadata ? { ...context, metadataOnly: true } : context;
}

/**
 * Returns the options. Throws the 400 for malformed ones and the 422 for invalid ones. `kind` is that of the options.
 */
export function checkedOptions<T>(result: OptionsResult<T>, kind: string): T {
  if (result.ok) return result.value;
  if (isMalformed(result)) throw new StatusError(badRequest(result.message));
  throw new StatusError(invalid({ group: 'meta.k8s.io', kind }, '', result.issues));
}

/** Reads the whole body. Throws the 413 if it exceeds the server's limit. */
export function readBody(host: EndpointHost, request: ServerRequest): MaybePromise<Uint8Array> {
  return andThen(request.incoming.body(host.bodyBytes), (read) => {
    if (read.outcome === 'ok') return read.bytes;
    if (read.outcome === 'too-large') throw new StatusError(requestEntityTooLarge(`limit is ${host.bodyBytes}`));
    throw new StatusError(badRequest('the body of the request ended before it was complete'));
  });
}
