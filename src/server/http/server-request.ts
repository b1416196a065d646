/**
 * A request on its way through the chain: what the listener read, and what the filters found out about it, each in its turn. Invariant: a
 * field is set by one filter, before any filter or endpoint that reads it runs; after that nobody changes it.
 */

import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Flow } from '../flow-matcher.ts';
import type { MetaTypes } from '../resource/meta-types.ts';
import type { Answer, Incoming } from './exchange.ts';
import type { RequestInfo } from './request-info.ts';
import { WarningRecorder } from './warning-header.ts';

/** What an audit policy wants to know about a request; the audit filter makes one only for requests that it logs. */
export interface AuditRecord {
  /** Whether the bodies are wanted: what is expensive to keep is kept only if so. */
  readonly wantsRequestObject: boolean;
  readonly wantsResponseObject: boolean;
  /** The request's object as the server understood it, before admission. */
  requestObject: JsonObject | undefined;
  /** JSON bytes, or the object. */
  responseObject: Uint8Array | JsonObject | undefined;
  /** The name that a create ended up with. */
  objectName: string;
  /** The verb that allowed an impersonation; '' if there was none, or it was allowed in the old way. */
  impersonationConstraint: string;
  annotate(key: string, value: string): void;
}

/** Nobody yet: what a request carries before authentication. */
export const NOBODY: UserInfo = { name: '', uid: '', groups: [], extra: {} };

/** As many characters as the reference logs. */
const LOGGED_AUDIT_ID = 64;

export class ServerRequest {
  /** Without the headers that said who the client is, once authentication and impersonation have read them. */
  incoming: Incoming;
  readonly info: RequestInfo;
  /** On the clock's wall, in milliseconds. */
  readonly receivedAt: number;
  /** On the clock's monotonic axis; set where the chain begins. */
  startedAt = 0;
  /** Set by the audit id filter. */
  auditId = '';
  /** Watches and connects; set by the deadline filter. */
  longRunning = false;
  /** When the answer must be ready, on the clock's monotonic axis; Infinity for long-running requests. Set by the deadline filter. */
  deadline: number = Number.POSITIVE_INFINITY;
  /** Set by authentication, replaced by impersonation. */
  user: UserInfo = NOBODY;
  /** The user before impersonation; undefined if there was none. */
  impersonator: UserInfo | undefined = undefined;
  /** What authentication has to say to the audit event. */
  authenticationAnnotations: Readonly<Record<string, string>> | undefined = undefined;
  audit: AuditRecord | undefined = undefined;
  /** What the answer says about the request's flow; undefined: nothing. Set by flow control. */
  flow: Flow | undefined = undefined;
  /** What statuses are written in protobuf with; undefined: they are not. Set where the chain begins. */
  types: MetaTypes | undefined = undefined;
  #warnings: WarningRecorder | undefined = undefined;

  constructor(incoming: Incoming, info: RequestInfo, receivedAt: number) {
    this.incoming = incoming;
    this.info = info;
    this.receivedAt = receivedAt;
  }

  /** The verb of the request info. */
  get verb(): string {
    return this.info.verb;
  }

  /** The audit id as logs show it: clients may send one of any length, and the log is not theirs to fill. */
  get loggedAuditId(): string {
    return this.auditId.slice(0, LOGGED_AUDIT_ID);
  }

  /** Adds a `Warning: 299` header to the answer. */
  warn(text: string, agent = ''): void {
    this.#warnings ??= new WarningRecorder();
    this.#warnings.add(text, agent);
  }

  /** Adds an annotation to the audit event; does nothing if the request is not audited. */
  annotate(key: string, value: string): void {
    this.audit?.annotate(key, value);
  }

  /** Undefined for the many requests without a warning. */
  get warnings(): WarningRecorder | undefined {
    return this.#warnings;
  }
}

/** Answers a request, maybe at once. It throws, or rejects with, a StatusError for what the client is to be told; anything else is a 500. */
export type RequestHandler = (request: ServerRequest) => MaybePromise<Answer>;

/** One step of the chain around the next one. */
export type RequestFilter = (next: RequestHandler) => RequestHandler;
