/**
 * The limits on the number of requests in flight. Reads and writes have one limit each. Long-running requests are
 * counted without a limit.
 *
 * Invariant: every ticket that `acquire` returns is released exactly once. Requests never wait here: a full gate
 * refuses them (429).
 */
import { encodeUtf8 } from '../base/bytes.ts';
import { Deferred } from '../base/deferred.ts';
import { BugError } from '../base/errors.ts';
import type { Answer } from './http/exchange.ts';
import type { RequestInfo } from './http/request-info.ts';

/** The reference's names of the two limited kinds, and the kind without a limit. */
export type InFlightKind = 'readOnly' | 'mutating' | 'longRunning';

/** `uncounted` is a privileged request that was admitted to a full gate. `refused` need not be released. */
export type InFlightTicket = InFlightKind | 'uncounted' | 'refused';

export interface InFlightLimits {
  /** 0 means no limit. Default 400, as `--max-requests-inflight`. */
  readonly readOnly?: number;
  /** 0 means no limit. Default 200, as `--max-mutating-requests-inflight`. */
  readonly mutating?: number;
}

/** The answer to a refused request: plain text, as in the reference. */
export const TOO_MANY_REQUESTS: Answer = {
  kind: 'bytes',
  status: 429,
  headers: {
    'retry-after': '1',
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  },
  body: encodeUtf8('Too many requests, please try again later.\n'),
};

export interface LongRunningRules {
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** Returns the check for requests that last as long as the client wishes. They have no deadline and no limit. */
export function createLongRunningCheck(rules: LongRunningRules): (info: RequestInfo) => boolean {
  const verbs = new Set(rules.verbs);
  const subresources = new Set(rules.subresources);
  return (info) =>
    verbs.has(info.verb) || (info.isResourceRequest && info.subresource !== '' && subresources.has(info.subresource));
}

/**
 * Returns the kind of a request. Get, list and watch are reads. Every other verb counts as a write, including the empty
 * one.
 */
export function inFlightKind(verb: string, longRunning: boolean): InFlightKind {
  if (longRunning) return 'longRunning';
  return verb === 'get' || verb === 'list' || verb === 'watch' ? 'readOnly' : 'mutating';
}

class InFlightCount {
  readonly limit: number;
  count = 0;
  highWater = 0;

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 0) throw new BugError(`${limit} is not a limit of requests in flight`);
    this.limit = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  }
}

export class InFlightGate {
  readonly #readOnly: InFlightCount;
  readonly #mutating: InFlightCount;
  readonly #longRunning = new InFlightCount(0);
  #settled: Deferred<void> | undefined;

  constructor(limits: InFlightLimits = {}) {
    this.#readOnly = new InFlightCount(limits.readOnly ?? 400);
    this.#mutating = new InFlightCount(limits.mutating ?? 200);
  }

  /**
   * Counts a request, or refuses it if the gate is full. `privileged` requests (group system:masters) are admitted even
   * then. Such a request is not counted, as in the reference.
   */
  acquire(kind: InFlightKind, privileged: boolean): InFlightTicket {
    const counter = this.#countOf(kind);
    if (counter.count >= counter.limit) return privileged ? 'uncounted' : 'refused';
    counter.count++;
    if (counter.count > counter.highWater) counter.highWater = counter.count;
    return kind;
  }

  /**
   * Ends a request. Called once per ticket of `acquire`; `refused` may be passed, too. Throws BugError for a second
   * release that it can detect.
   */
  release(ticket: InFlightTicket): void {
    if (ticket === 'uncounted' || ticket === 'refused') return;
    const counter = this.#countOf(ticket);
    if (counter.count === 0) throw new BugError(`a ${ticket} ticket was released twice`);
    counter.count--;
    if (this.#settled !== undefined && this.#isSettled) this.#settled.resolve();
  }

  /** Resolves when no request is in flight, except long-running ones. Called once, when the server refuses requests. */
  settled(): Promise<void> {
    this.#settled ??= new Deferred();
    if (this.#isSettled) this.#settled.resolve();
    return this.#settled.promise;
  }

  get #isSettled(): boolean {
    return this.#readOnly.count === 0 && this.#mutating.count === 0;
  }

  /** Returns the number of requests in flight. */
  count(kind: InFlightKind): number {
    return this.#countOf(kind).count;
  }

  /**
   * Returns the highest number of requests in flight since the last call, for the gauge
   * apiserver_current_inflight_requests.
   */
  takeHighWater(kind: InFlightKind): number {
    const counter = this.#countOf(kind);
    const highest = counter.highWater;
    counter.highWater = counter.count;
    return highest;
  }

  #countOf(kind: InFlightKind): InFlightCount {
    return kind === 'readOnly' ? this.#readOnly : kind === 'mutating' ? this.#mutating : this.#longRunning;
  }
}
