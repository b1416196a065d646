/**
 * ServerRequest: a request on its way through the filter chain and the endpoints.
 *
 * Invariant: one filter sets a field, before any filter or endpoint reads it. Only two fields are replaced later:
 * `incoming` by authentication and impersonation, and `user` by impersonation.
 */

import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Flow } from '../flow-matcher.ts';
import type { MetaTypes } from '../resource/meta-types.ts';
import type { Answer, Incoming } from './exchange.ts';
import type { RequestInfo } from './request-info.ts';
import { WarningRecorder } from './warning-header.ts';

/**
 * The parts of a request that the audit event needs. The audit filter makes a record only for requests that its policy
 * logs; endpoints fill it.
 */
export interface AuditRecord {
  /** Whether the policy logs the bodies of the request and of the answer. Endpoints record a body only if so. */
  readonly wantsRequestObject: boolean;
  readonly wantsResponseObject: boolean;
  /** The decoded object of the request, before admission. */
  requestObject: JsonObject | undefined;
  /** The object of the answer, as JSON bytes or as a value. */
  responseObject: Uint8Array | JsonObject | undefined;
  /** The name of a created object, which may be generated. */
  objectName: string;
  /**
   * The verb that allowed a constrained impersonation; '' without impersonation and for the unconstrained
   * `impersonate`.
   */
  impersonationConstraint: string;
  /** Adds an annotation to the audit event. */
  annotate(key: string, value: string): void;
}

/** The user of a request before authentication. */
const UNAUTHENTICATED: UserInfo = { name: '', uid: '', groups: [], extra: {} };

/** The reference logs as many characters. */
const LOGGED_AUDIT_ID = 64;

export class ServerRequest {
  /**
   * The request of the listener. Authentication and impersonation replace it with one that hides the headers that they
   * have read.
   */
  incoming: Incoming;
  readonly info: RequestInfo;
  /** The time of arrival in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The time of arrival on the clock's monotonic axis. Set by the head of the chain. */
  startedAt = 0;
  /** Set by the head of the chain. */
  auditId = '';
  /** True for watches and connects. Set by the deadline filter. */
  longRunning = false;
  /**
   * When the answer must be complete, on the clock's monotonic axis. Infinity for long-running requests. Set by the
   * deadline filter.
   */
  deadline: number = Number.POSITIVE_INFINITY;
  /** Set by authentication. Impersonation replaces it. */
  user: UserInfo = UNAUTHENTICATED;
  /** The user before impersonation; undefined if there was none. */
  impersonator: UserInfo | undefined = undefined;
  /** Annotations that the authenticator adds to the audit event. */
  authenticationAnnotations: Readonly<Record<string, string>> | undefined = undefined;
  /** Undefined for requests that the policy does not log. Set by the audit filter. */
  audit: AuditRecord | undefined = undefined;
  /** The error that the answer was made from, for the log; undefined if an endpoint returned the answer. */
  failure: Error | undefined = undefined;
  /** The flow that the answer's headers name; undefined without such headers. Set by flow control. */
  flow: Flow | undefined = undefined;
  /**
   * The types that Statuses are encoded in protobuf with; undefined: a Status is never sent in protobuf. Set by the
   * head of the chain.
   */
  types: MetaTypes | undefined = undefined;
  /** The index of a running write in RunningWrites, which sets it. */
  writeSlot = -1;
  #warnings: WarningRecorder | undefined = undefined;

  constructor(incoming: Incoming, info: RequestInfo, receivedAt: number) {
    this.incoming = incoming;
    this.info = info;
    this.receivedAt = receivedAt;
  }

  get verb(): string {
    return this.info.verb;
  }

  /** Whether the query asks to store nothing. Endpoints have validated the value. */
  get dryRun(): boolean {
    return this.info.params.has('dryRun');
  }

  /** Adds a listener that is called once if the client disconnects before the answer is complete. */
  onClose(listener: () => void): void {
    this.incoming.onClose(listener);
  }

  /** The audit id as logs show it. It is truncated, because clients may send one of any length. */
  get loggedAuditId(): string {
    return this.auditId.slice(0, LOGGED_AUDIT_ID);
  }

  /** Adds a `Warning: 299` header to the answer. See WarningRecorder for its limits. */
  warn(text: string, agent = ''): void {
    this.#warnings ??= new WarningRecorder();
    this.#warnings.add(text, agent);
  }

  /** Adds an annotation to the audit event; does nothing if the request is not audited. */
  annotate(key: string, value: string): void {
    this.audit?.annotate(key, value);
  }

  /** Undefined until the first warning. */
  get warnings(): WarningRecorder | undefined {
    return this.#warnings;
  }
}

/**
 * Answers a request, synchronously where it can. Throws, or rejects with, a StatusError that the client receives. Any
 * other error is logged and answered as a 500.
 */
export type RequestHandler = (request: ServerRequest) => MaybePromise<Answer>;

/** One step of the filter chain, wrapped around the next one. A filter either calls `next` once or answers itself. */
export type RequestFilter = (next: RequestHandler) => RequestHandler;
