/**
 * The interface of the client: one `Api` per kind and namespace. All calls send requests through one Transport and take
 * an AbortSignal.
 * Invariants: a response with an HTTP error code is thrown as a StatusError, for which there are guards (`isNotFound`,
 * `isConflict`, ...). If its body is not a Status, one is made from the code, as in client-go, with the cause
 * UnexpectedServerResponse. A failed connection is a TransportError; a response that cannot be read is a TransportError
 * that is not retryable. The client does not retry; a transport may (`withRetries`).
 */
import type { HttpHeaders, Transport, TransportResponse } from '../apimachinery/http/transport.ts';
import type { WatchEvent } from '../apimachinery/watch/watch-event.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { Scale } from '../kinds/api/autoscaling/v1.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Applied, DeepReadonly, Stored } from './object-types.ts';

export interface CallOptions {
  /** Cancels the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignalLike;
}

export interface GetOptions extends CallOptions {
  /** Default: the newest state. `0` accepts any state that the server has. */
  readonly resourceVersion?: string;
}

export interface SelectOptions extends CallOptions {
  /** A label selector, such as `app=web,tier!=db`. Default: every object. */
  readonly labelSelector?: string;
  /** A field selector, such as `metadata.name=web`. Default: every object. */
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** The number of objects per request. Default 500; 0: all objects in one request. */
  readonly pageSize?: number;
}

export interface PageOptions extends SelectOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** The most objects in the page. Default 0: no limit. */
  readonly limit?: number;
  /** The `continueToken` of the previous page. */
  readonly continueToken?: string;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly Stored<T>[];
  /** The revision of the whole list, from which a watch can continue. */
  readonly resourceVersion: string;
  /** '' on the last page. */
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
}

/** The objects of a list. Pages are requested while the loop runs. Each loop lists again. */
export interface ObjectList<T> extends AsyncIterable<Stored<T>> {
  /** Reads all pages. */
  toArray(): Promise<Stored<T>[]>;
}

export interface WatchOptions extends SelectOptions {
  /**
   * The watch begins after this revision. Default: with the existing objects as ADDED events, in no particular order.
   */
  readonly resourceVersion?: string;
  /** Default true. */
  readonly allowBookmarks?: boolean;
  /** Whether the watch begins with the existing objects, followed by a bookmark. Default false. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this time. Default: decided by the server. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  /** The name of the field manager. Default: the server derives it from the user agent. */
  readonly fieldManager?: string;
  /** Whether the request is processed without storing anything. Default false. */
  readonly dryRun?: boolean;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Called with each warning of the response. Default: warnings are dropped. */
  readonly onWarning?: (text: string) => void;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Whether to take fields over from other managers, instead of failing with a Conflict. Default false. */
  readonly force?: boolean;
  /** The subresource to patch: `status` or `scale`. Default: the object itself. */
  readonly subresource?: string;
}

export interface PatchOptions extends WriteOptions {
  readonly subresource?: string;
}

/** A patch in one of the formats of the API. For server-side apply see `Api.apply`. */
export type ObjectPatch =
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly body: object }
  /** Built-in kinds only. */
  | { readonly type: 'strategic'; readonly body: object };

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  /** Default: the default of the kind, which is Background for almost all. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** The deletion fails with a Conflict if the object has another uid or resourceVersion. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export interface ConnectOptions extends CallOptions {
  /** Default GET. */
  readonly method?: string;
  /** A path below the subresource, for `proxy`. Default: none. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: HttpHeaders;
  readonly body?: Uint8Array;
}

/** The objects of a kind in one namespace, in all namespaces, or in the cluster. */
export interface Collection<T> {
  readonly kind: Kind<T>;
  /** Undefined for a cluster-scoped kind and for all namespaces. */
  readonly namespace: string | undefined;
  list(options?: ListOptions): ObjectList<T>;
  listPage(options?: PageOptions): Promise<Page<T>>;
  /**
   * Sends one watch request. The loop ends when the server ends the watch; an ERROR event is the last event. Leaving
   * the loop closes the request. Programs that must not miss a change should use an informer instead.
   */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Stored<T>>>;
}

/** The objects of a kind in one namespace, or in the cluster. */
export interface Api<T> extends Collection<T> {
  get(name: string, options?: GetOptions): Promise<Stored<T>>;
  /** Like `get`, but resolves with undefined if the object does not exist. */
  find(name: string, options?: GetOptions): Promise<Stored<T> | undefined>;
  /** Creates an object. `apiVersion` and `kind` may be absent: they are added from the kind. */
  create(object: DeepReadonly<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Replaces the object with this `metadata.name`. If the object has a resourceVersion that is not the current one, the
   * update fails with a Conflict.
   */
  update(object: DeepReadonly<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Like `update`, but replaces only the status. */
  updateStatus(object: DeepReadonly<T>, options?: WriteOptions): Promise<Stored<T>>;
  patch(name: string, patch: ObjectPatch, options?: PatchOptions): Promise<Stored<T>>;
  /** Applies a configuration with server-side apply. Creates the object if it does not exist. */
  apply(configuration: Applied<T>, options: ApplyOptions): Promise<Stored<T>>;
  /**
   * Deletes an object. Resolves with the object if it still exists, because it has finalizers or a grace period; with
   * undefined if it was removed.
   */
  delete(name: string, options?: DeleteOptions): Promise<Stored<T> | undefined>;
  deleteCollection(options?: DeleteOptions & SelectOptions): Promise<void>;
  /** Reads the scale subresource. */
  getScale(name: string, options?: CallOptions): Promise<Stored<Scale>>;
  /** Sets `spec.replicas` through the scale subresource. */
  scale(name: string, replicas: number, options?: WriteOptions): Promise<Stored<Scale>>;
  /** Returns the Api of any subresource of one object, such as `token`, `eviction` or `approval`. */
  subresource(name: string, subresource: string): SubresourceApi;
}

/** One subresource of one object, without types. */
export interface SubresourceApi {
  get(options?: GetOptions): Promise<JsonObject>;
  create(body: object, options?: WriteOptions): Promise<JsonObject>;
  update(body: object, options?: WriteOptions): Promise<JsonObject>;
  patch(patch: ObjectPatch, options?: WriteOptions): Promise<JsonObject>;
  /** Returns the raw response, for `log` and `proxy`. A response with an error code does not reject. */
  connect(options?: ConnectOptions): Promise<TransportResponse>;
}

export interface Client {
  readonly transport: Transport;
  /** Returns the Api of a cluster-scoped kind. */
  api<T>(kind: Kind<T, 'Cluster'>): Api<T>;
  /** Returns the Api of a namespaced kind in one namespace. */
  api<T>(kind: Kind<T, 'Namespaced'>, namespace: string): Api<T>;
  /** For a kind whose scope is known at run time only. Throws BugError if namespace and scope do not fit. */
  api<T>(kind: Kind<T>, namespace: string | undefined): Api<T>;
  /** Returns the collection of all objects of a kind, in all namespaces. */
  all<T>(kind: Kind<T>): Collection<T>;
}
