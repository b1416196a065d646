/** The OpenAPI of group-versions that other servers have: the aggregator publishes those of extension API servers. */
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';

/** A v3 document that this server has, in both forms. */
export interface ServedDocument {
  /** The hash in the index of `/openapi/v3`. It changes with the document. */
  readonly hash: string;
  /** Returns the document as JSON. */
  json(): MaybePromise<Uint8Array>;
  /** Returns the document in its gnostic protobuf form. */
  protobuf(): MaybePromise<Uint8Array>;
}

/** A v3 document that another server has. */
export interface ForwardedDocument {
  /** The URL in the index of `/openapi/v3`. It changes with the document. */
  readonly url: string;
  /** Answers a request for the document. Throws, or rejects with, a StatusError if the other server does not answer. */
  answer(request: ServerRequest): MaybePromise<Answer>;
}

/** One group-version of another server. */
export interface GivenVersion extends GroupVersion {
  /** The v3 document. Undefined: the index does not list the version. */
  readonly document: ServedDocument | ForwardedDocument | undefined;
  /** The v3 document of the path `/apis/<group>`. It is not listed if this server has one. */
  readonly groupDocument: ForwardedDocument | undefined;
  /**
   * Returns the part of `/openapi/v2` about this version: a v2 document with its paths and the definitions and
   * parameters that they use. Undefined while it is not known. Called when `/openapi/v2` is made.
   */
  v2(): JsonObject | undefined;
}

/** The publishing side of the OpenAPI manager for versions of other servers. */
export interface RemoteOpenApiPublisher {
  /** Publishes a group-version, or replaces it. A local one of the same name is hidden until it is removed. */
  publish(version: GivenVersion): void;
  /** Removes a group-version. Does nothing if it is not published. */
  remove(version: GroupVersion): void;
}
