/**
 * The interface that endpoints call: the verbs of one resource. `server/registry/store.ts` implements it over Storage.
 * A kind that stores nothing, such as a review, and an extension author's own table implement it themselves.
 *
 * Rules for every verb:
 *
 * - A verb is optional. Discovery publishes the verbs that are present; a request for another one is a 405.
 * - The request is authenticated and authorized, and its options are decoded and valid, before a verb is called.
 * - Objects go in as JSON values in the version of the request (`context.version`). Objects come out as JSON bytes in
 *   that version, because bytes are what a cache holds.
 * - A verb may answer synchronously. It refuses by throwing, or rejecting with, a StatusError, which is what the client
 *   gets. Any other error becomes a 500.
 * - A write must call the validating admission that it is given, with the final object, before it stores anything.
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
  /** The version in the path. For a subresource it is the version of the parent. */
  readonly version: VersionDefinition;
  /** '' for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string;
  /** The name in the path; '' for requests to a collection. */
  readonly name: string;
  /**
   * Only the metadata of the objects is used: a get, list or watch may answer with objects of another version. Default
   * false.
   */
  readonly metadataOnly?: boolean;
}

/**
 * An object as JSON in the version of the request, with `kind` and `apiVersion` first, and with its resourceVersion if
 * it has one. Shared and read-only.
 */
export type ObjectBytes = Uint8Array;

// ── Reads ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ListPage {
  /** The revision of the state that the list shows; '' for a computed collection. */
  readonly resourceVersion: string;
  /** The `continue` token for the next page; '' on the last page. */
  readonly continueToken: string;
  /** The number of items after this page. Undefined if it is not known. */
  readonly remaining: number | undefined;
  readonly items: readonly ObjectBytes[];
}

export interface WatchRequest {
  /** Field selectors name only selectable fields of the version. */
  readonly options: ListOptions;
  /** Makes the bytes of an event. Events of watches with the same encoding may be shared. */
  readonly encoding: EventEncoding;
}

/** The receiver of a watch. The store's calls never overlap, and never come before `watch` has returned or resolved. */
export interface ResourceWatchSink {
  /** Takes encoded events, in order. False: the store must not call it again before `drained()`. */
  write(chunks: readonly Uint8Array[]): boolean;
  /**
   * The last call, made once. A status is sent as an ERROR event; without one the stream ends. Not called after
   * `stop()`.
   */
  end(error: Status | undefined): void;
}

export interface ResourceWatch {
  /** Called when the sink takes events again after `write` returned false. */
  drained(): void;
  /**
   * Sends a bookmark now, if that is possible; returns whether it was sent. Called shortly before a watch times out.
   */
  bookmark(): boolean;
  /** Ends the watch. No call reaches the sink after it returns. Idempotent. */
  stop(): void;
}

// ── Writes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Validating admission of a create. Gets the object in the version of the request. Throws a StatusError to refuse it.
 */
export type ValidateCreate = (object: JsonObject) => MaybePromise<void>;
/**
 * Validating admission of an update. Gets both objects in the version of the request. Throws a StatusError to refuse.
 */
export type ValidateUpdate = (object: JsonObject, old: JsonObject) => MaybePromise<void>;
/**
 * Admission of a delete. Gets the object in the version of the request, and the options that the store completed;
 * default those of the request. A deletecollection ignores them, as kube-apiserver does. Throws a StatusError to
 * refuse.
 */
export type ValidateDelete = (old: JsonObject, completed?: DeleteOptions) => MaybePromise<void>;

export interface CreateRequest {
  /** True: the store checks everything, stores nothing, and answers as if it had stored the object. */
  readonly dryRun: boolean;
  /** To be called with the final object before it is stored. */
  readonly validate: ValidateCreate;
}

/** A change of one object: a PUT, a PATCH, or a change by the server itself. */
export interface ObjectChange {
  /**
   * Returns the whole new object; mutating admission has run on it. `current` is the stored object in the version of
   * the request, with its resourceVersion, or undefined if there is none. It is a copy that `apply` may change and
   * return. Called once per attempt, so it may run several times; the result must depend on nothing but `current`.
   */
  apply(current: JsonObject | undefined): MaybePromise<JsonObject>;
  /** The update is refused with a 409 unless these preconditions hold for the stored object. */
  readonly preconditions: Preconditions | undefined;
}

export interface UpdateRequest {
  readonly dryRun: boolean;
  /**
   * True: the store creates the object if it does not exist, even if the strategy does not allow that. Server-side
   * apply sets it.
   */
  readonly forceAllowCreate: boolean;
  /**
   * True: the store refuses an object that is too large because of its managedFields. Server-side apply sets it. False:
   * the store drops managedFields instead. Default false.
   */
  readonly keepManagedFields?: boolean;
  /** To be called instead of `validateUpdate` if the object does not exist. Authorizes the create as well. */
  readonly validateCreate: ValidateCreate;
  /** To be called with the final object and the stored one before the object is stored. */
  readonly validateUpdate: ValidateUpdate;
}

export interface WriteAnswer {
  /** The object as stored. */
  readonly bytes: ObjectBytes;
  /** Whether the object was created; the answer to an update is then a 201. */
  readonly created: boolean;
  /** Sent instead of `bytes`, with its code: for creates that answer with a Status, such as an Eviction. */
  readonly status?: Status;
}

export interface DeleteRequest {
  /** `options.dryRun` says whether to delete anything. */
  readonly options: DeleteOptions;
  /** To be called with the stored object before it is deleted or marked. */
  readonly validate: ValidateDelete;
}

export type DeleteAnswer =
  /**
   * The object is deleted. `bytes` is its last state if the kind answers with the object; otherwise the client gets a
   * Status.
   */
  | {
      readonly outcome: 'deleted';
      readonly name: string;
      readonly uid: string;
      readonly bytes: ObjectBytes | undefined;
    }
  /** The object is marked; finalizers or a grace period hold it. */
  | { readonly outcome: 'pending'; readonly bytes: ObjectBytes };

/** `list` selects the objects; `options` and `validate` apply to each of them. */
export interface DeleteCollectionRequest extends DeleteRequest {
  readonly list: ListOptions;
}

// ── Connect ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ConnectRequest {
  /** The path after the subresource, decoded, without a leading slash. '' if there is none. */
  readonly path: string;
  /** The query. */
  readonly params: QueryParams;
  /** The HTTP request: its method, headers and body. */
  readonly incoming: Incoming;
}

export interface ConnectOptions {
  /** Whether a path may follow the subresource. Default false: such a request is a 404. */
  readonly takesPath?: boolean;
  /** Whether a GET reads a text, as `log` does; OpenAPI then documents it as a read. Default false. */
  readonly isRead?: boolean;
  /**
   * Whether the user must be allowed to `create` the subresource, whatever verb the HTTP method stands for. A store
   * that runs something sets it, because browsers can open a WebSocket only with a GET, whose verb is `get`. Default
   * false.
   */
  readonly requiresCreate?: boolean;
  /** The type whose fields are the query parameters. Default: the type of the subresource's own version. */
  parameters?(): StructView;
}

// ── The store ────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ResourceStore {
  /**
   * Reads one object. `options.resourceVersion`: '' for the newest state, '0' for any state, otherwise a state at least
   * that new. 404 if there is no such object.
   */
  get?(context: ResourceContext, options: GetOptions): MaybePromise<ObjectBytes>;
  /**
   * Lists the objects of `context.namespace`, or of all namespaces, that the label and field selectors select: the
   * store applies them. It may ignore `limit` and answer with everything and no continue token. 410 if the requested
   * state is no longer known.
   */
  list?(context: ResourceContext, options: ListOptions): MaybePromise<ListPage>;
  /**
   * Starts a watch that delivers to `sink` until one of them ends it. Refuses what it can before it starts; a start
   * that is too old may also end the watch with a 410 as its first event.
   */
  watch?(context: ResourceContext, request: WatchRequest, sink: ResourceWatchSink): MaybePromise<ResourceWatch>;
  /**
   * Creates an object. The object is decoded, normalized, defaulted and passed by mutating admission; its namespace is
   * that of the path. It belongs to the store, which may change it. 409 AlreadyExists if the name is taken.
   */
  create?(context: ResourceContext, object: JsonObject, request: CreateRequest): MaybePromise<WriteAnswer>;
  /**
   * Whether `create` gets uid and timestamps as the client sent them: a Binding names its Pod by uid. Default false:
   * the endpoint clears them, since only the server sets them.
   */
  readonly keepsSystemFields?: boolean;
  /**
   * Changes an object, for PUT and PATCH. Applies the change to the newest state and stores the result over exactly
   * that state; tries again if another write came first. 404 if there is no such object, 409 if the change was made
   * from another resourceVersion. PATCH needs `get` too.
   */
  update?(context: ResourceContext, change: ObjectChange, request: UpdateRequest): MaybePromise<WriteAnswer>;
  /** Deletes an object, or marks it for deletion. 404 if there is none, 409 if preconditions do not hold. */
  delete?(context: ResourceContext, request: DeleteRequest): MaybePromise<DeleteAnswer>;
  /** Deletes every object that the list options select, and answers with the list of them as they were before. */
  deleteCollection?(context: ResourceContext, request: DeleteCollectionRequest): MaybePromise<ListPage>;
  /** Answers a request with one of `connectMethods`, after admission. Proxies and streams implement it. */
  connect?(context: ResourceContext, request: ConnectRequest): MaybePromise<Answer>;
  /** The HTTP methods that `connect` takes. */
  readonly connectMethods?: readonly string[];
  readonly connectOptions?: ConnectOptions;
  /** Called once, when the server stops. Releases what the store holds. */
  stop?(): MaybePromise<void>;
}
