/**
 * The interface of the client: one `Api` per kind and namespace. Every call sends requests through one Transport and
 * takes an AbortSignal. Invariants: a response with an HTTP code of failure is thrown as a StatusError, for which the
 * guards (`isNotFound`, `isConflict`, ...) exist; if its body is no Status, one is made from the code, as in client-go,
 * with the cause UnexpectedServerResponse. A connection that fails is a TransportError; a response that cannot be read
 * is a TransportError that is not retryable. Nothing is retried here: that is the transport's concern.
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
  /** In the syntax of queries: `app=web,tier!=db`. Default: every object. */
  readonly labelSelector?: string;
  /** `metadata.name=web`. Default: every object. */
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Objects per request. Default 500; 0 asks for all at once. */
  readonly pageSize?: number;
}

export interface PageOptions extends SelectOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** 0, the default, means no limit. */
  readonly limit?: number;
  /** The token of the page before. */
  readonly continueToken?: string;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly Stored<T>[];
  /** The revision of the whole list, for a watch that follows. */
  readonly resourceVersion: string;
  /** '' on the last page. */
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
}

/** The objects of a list, page by page as the loop goes on. Each loop over it lists again. */
export interface ObjectList<T> extends AsyncIterable<Stored<T>> {
  /** Reads all pages. */
  toArray(): Promise<Stored<T>[]>;
}

export interface WatchOptions extends SelectOptions {
  /** Events after this revision. Default: the present objects as ADDED events, in no order, then changes. */
  readonly resourceVersion?: string;
  /** Default true. */
  readonly allowBookmarks?: boolean;
  /** Whether the watch begins with the present objects, followed by a bookmark. Default false. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this time. Default: the server's own. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  /** Default: derived by the server from the user agent. */
  readonly fieldManager?: string;
  /** Nothing is stored. Default false. */
  readonly dryRun?: boolean;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Receives each warning of the response. Default: warnings are dropped. */
  readonly onWarning?: (text: string) => void;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers instead of failing with a Conflict. Default false. */
  readonly force?: boolean;
  /** `status` or `scale`. Default: the object itself. */
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
  /** The deletion fails with a Conflict unless the object has this identity. */
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
  /** undefined for a cluster-scoped kind and for all namespaces. */
  readonly namespace: string | undefined;
  list(options?: ListOptions): ObjectList<T>;
  listPage(options?: PageOptions): Promise<Page<T>>;
  /**
   * One watch request. The loop ends when the server ends the watch; an ERROR event is the last one. Leaving the loop
   * closes the request. A program that must not miss a change uses an informer instead.
   */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Stored<T>>>;
}

/** The objects of a kind in one namespace, or in the cluster. */
export interface Api<T> extends Collection<T> {
  get(name: string, options?: GetOptions): Promise<Stored<T>>;
  /** As `get`, but resolves with undefined if there is no such object. */
  find(name: string, options?: GetOptions): Promise<Stored<T> | undefined>;
  /** `apiVersion` and `kind` may be absent: those of the kind are sent. */
  create(object: DeepReadonly<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Replaces the object that `metadata.name` names. With a resourceVersion it fails with a Conflict if the object has
   * changed since.
   */
  update(object: DeepReadonly<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Replaces the status only. */
  updateStatus(object: DeepReadonly<T>, options?: WriteOptions): Promise<Stored<T>>;
  patch(name: string, patch: ObjectPatch, options?: PatchOptions): Promise<Stored<T>>;
  /** Server-side apply. Creates the object if it is missing. */
  apply(configuration: Applied<T>, options: ApplyOptions): Promise<Stored<T>>;
  /**
   * Resolves with the object if it still exists, because it has finalizers or a grace period, and with undefined if it
   * is gone.
   */
  delete(name: string, options?: DeleteOptions): Promise<Stored<T> | undefined>;
  deleteCollection(options?: DeleteOptions & SelectOptions): Promise<void>;
  /** The scale subresource. */
  getScale(name: string, options?: CallOptions): Promise<Stored<Scale>>;
  /** Sets `spec.replicas` through the scale subresource. */
  scale(name: string, replicas: number, options?: WriteOptions): Promise<Stored<Scale>>;
  /** Any subresource of one object, such as `token`, `eviction` or `approval`. */
  subresource(name: string, subresource: string): SubresourceApi;
}

/** One subresource of one object, without types. */
export interface SubresourceApi {
  get(options?: GetOptions): Promise<JsonObject>;
  create(body: object, options?: WriteOptions): Promise<JsonObject>;
  update(body: object, options?: WriteOptions): Promise<JsonObject>;
  patch(patch: ObjectPatch, options?: WriteOptions): Promise<JsonObject>;
  /** The raw response, for `log` and `proxy`. A failure is a response here, not an error. */
  connect(options?: ConnectOptions): Promise<TransportResponse>;
}

export interface Client {
  readonly transport: Transport;
  /** The Api of a cluster-scoped kind. */
  api<T>(kind: Kind<T, 'Cluster'>): Api<T>;
  /** The Api of a namespaced kind in one namespace. */
  api<T>(kind: Kind<T, 'Namespaced'>, namespace: string): Api<T>;
  /** For a kind whose scope is known at run time only. Throws BugError if namespace and scope do not fit. */
  api<T>(kind: Kind<T>, namespace: string | undefined): Api<T>;
  /** All objects of a kind, in every namespace. */
  all<T>(kind: Kind<T>): Collection<T>;
}
