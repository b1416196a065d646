/**
 * What endpoints call: the verbs of one resource, each optional; discovery shows those present. `store.ts` is the one over Storage; an extension
 * author's table, or a kind that only answers (reviews), is one of its own.
 *
 * Objects go in as JSON values in the request's version (`context.version`), decoded, normalized and defaulted. Objects come out as JSON bytes in
 * that version, because that is what a cache has: a get may hand out ready bytes, synchronously. What a client is to be told is thrown as StatusError.
 */
import type { DeleteOptions, Preconditions } from '../../apimachinery/meta/delete-options.ts';
import type { ListOptions } from '../../apimachinery/meta/list-options.ts';
import type { QueryParams } from '../../apimachinery/meta/query.ts';
import type { GetOptions } from '../../apimachinery/meta/write-options.ts';
import type { Status } from '../../apimachinery/status/status.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { EventEncoding } from '../../cache/cache.ts';
import type { Answer, Incoming } from '../http/exchange.ts';
import type { RequestContext } from './request-context.ts';
import type { VersionDefinition } from './version-definition.ts';

/** One request to one resource. */
export interface ResourceContext {
  readonly request: RequestContext;
  /** The version of the path (of the parent, for a subresource). */
  readonly version: VersionDefinition;
  /** '' for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string;
  /** From the path; '' for collections. */
  readonly name: string;
}

/** JSON in the request's version, resourceVersion included. Shared: nobody changes it. */
export type ObjectBytes = Uint8Array;

export interface ListPage {
  /** The revision of the state that the list shows. */
  readonly resourceVersion: string;
  /** For the next page; '' on the last one. */
  readonly continueToken: string;
  /** Undefined if nobody counted. */
  readonly remaining: number | undefined;
  readonly items: readonly ObjectBytes[];
}

/** Where a watch delivers; calls never overlap and never come before `watch` has returned (or its promise has resolved). */
export interface ResourceWatchSink {
  /** Encoded events, in order. False: no further call until `drained()`. */
  write(chunks: readonly Uint8Array[]): boolean;
  /** The last call, once. With a status, an ERROR event tells it; without one the stream just ends. Not called after `stop()`. */
  end(error: Status | undefined): void;
}

export interface ResourceWatch {
  /** The sink takes chunks again. */
  drained(): void;
  /** Sends a bookmark now if that is possible: for the end of a watch's time. */
  bookmark(): boolean;
  /** No call reaches the sink after this returns. Idempotent. */
  stop(): void;
}

export interface WatchRequest {
  /** Validated and defaulted; field selectors name only selectable fields. */
  readonly options: ListOptions;
  readonly encoding: EventEncoding;
}

/** The validating part of admission; throws StatusError to refuse. It gets objects in the request's version. */
export type ValidateCreate = (object: JsonObject) => MaybePromise<void>;
export type ValidateUpdate = (object: JsonObject, old: JsonObject) => MaybePromise<void>;
export type ValidateDelete = (old: JsonObject) => MaybePromise<void>;

export interface CreateRequest {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly validate: ValidateCreate;
}

/**
 * A change of one object. `apply` gets the stored object in the request's version, a copy of its own with its resourceVersion, or undefined if there is
 * none, and returns the whole new object, mutating admission included. It may run several times and depends on nothing but what it gets.
 */
export interface ObjectChange {
  apply(current: JsonObject | undefined): MaybePromise<JsonObject>;
  readonly preconditions: Preconditions | undefined;
}

export interface UpdateRequest {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** Create what does not exist, even if the strategy would not (apply). */
  readonly forceAllowCreate: boolean;
  readonly validateCreate: ValidateCreate;
  readonly validateUpdate: ValidateUpdate;
}

export interface WriteAnswer {
  readonly bytes: ObjectBytes;
  /** An update that created (201). */
  readonly created: boolean;
  /** A create whose answer is no object of the kind that was sent: this is sent instead of `bytes`, with its code. */
  readonly status?: Status;
}

export interface DeleteRequest {
  readonly options: DeleteOptions;
  readonly validate: ValidateDelete;
}

export type DeleteAnswer =
  /** Gone. `bytes` is its last state if the kind answers with it. */
  | {
      readonly outcome: 'deleted';
      readonly name: string;
      readonly uid: string;
      readonly bytes: ObjectBytes | undefined;
    }
  /** Marked: finalizers or a grace period hold it. */
  | { readonly outcome: 'pending'; readonly bytes: ObjectBytes };

export interface DeleteCollectionRequest extends DeleteRequest {
  readonly list: ListOptions;
}

export interface ConnectRequest {
  /** What follows the subresource in the path, decoded, without a leading slash. */
  readonly path: string;
  /** The query. */
  readonly params: QueryParams;
  /** The HTTP request: its method, its headers, its body. */
  readonly incoming: Incoming;
}

export interface ConnectFacts {
  /** More of a path may follow. Default false. */
  readonly takesPath?: boolean;
  /** It reads a text, as a get would: `log`. Default false. */
  readonly isRead?: boolean;
  /** Whose fields are the parameters, where that is not what the subresource speaks. */
  options?(): StructView;
}

export interface ResourceStore {
  get?(context: ResourceContext, options: GetOptions): MaybePromise<ObjectBytes>;
  list?(context: ResourceContext, options: ListOptions): MaybePromise<ListPage>;
  watch?(context: ResourceContext, request: WatchRequest, sink: ResourceWatchSink): MaybePromise<ResourceWatch>;
  create?(context: ResourceContext, object: JsonObject, request: CreateRequest): MaybePromise<WriteAnswer>;
  /** `create` gets the uid and the timestamps of the body as they were sent; without it they are cleared, since only the server sets them. */
  readonly keepsSystemFields?: boolean;
  update?(context: ResourceContext, change: ObjectChange, request: UpdateRequest): MaybePromise<WriteAnswer>;
  delete?(context: ResourceContext, request: DeleteRequest): MaybePromise<DeleteAnswer>;
  deleteCollection?(context: ResourceContext, request: DeleteCollectionRequest): MaybePromise<ListPage>;
  connect?(context: ResourceContext, request: ConnectRequest): MaybePromise<Answer>;
  /** The HTTP methods that `connect` takes. */
  readonly connectMethods?: readonly string[];
  /** What else it takes. Default: no more of a path than the subresource; its parameters are the fields of what the subresource speaks. */
  readonly connects?: ConnectFacts;
}
